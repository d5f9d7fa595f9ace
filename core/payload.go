package core

import (
	"fmt"

	"stele/internal/strictjson"
)

// Payload is the typed form of an event. Its facts and its content are stored apart, so that content can be erased while
// the state that the facts make stays the same.
type Payload interface {
	// Kind names the event.
	Kind() Kind
	// parts returns pointers to what is stored as Body and, if there is any, as Content.
	parts() (body, content any)
}

// newPayload makes an empty payload of a kind, or nil for a kind this program does not know.
func newPayload(kind Kind) Payload {
	switch kind {
	case RoomCreated:
		return &RoomCreatedEvent{}
	case MemberJoined:
		return &MemberJoinedEvent{}
	case MemberLeft:
		return &MemberLeftEvent{}
	case MessagePosted:
		return &MessagePostedEvent{}
	case RoomStateChanged:
		return &RoomStateChangedEvent{}
	case RoomClosed:
		return &RoomClosedEvent{}
	case RoomPurged:
		return &RoomPurgedEvent{}
	case RoomChanged:
		return &RoomChangedEvent{}
	case RoleDefined, RoleEdited, RoleDeleted, RoleAssumed, RoleReleased:
		return newRolePayload(kind)
	case LinkAdded:
		return &LinkAddedEvent{}
	case LinkRemoved:
		return &LinkRemovedEvent{}
	case ReferenceAttached:
		return &ReferenceAttachedEvent{}
	case DocumentCreated:
		return &DocumentCreatedEvent{}
	case DocumentChanged:
		return &DocumentChangedEvent{}
	case DocumentDeleted:
		return &DocumentDeletedEvent{}
	case TaskDelegated, TaskAccepted, TaskUpdated, TaskFinalised, TaskCancelled:
		return newTaskPayload(kind)
	case CommandSent:
		return &CommandSentEvent{}
	case StatePatched:
		return &StatePatchedEvent{}
	case StateReplaced:
		return &StateReplacedEvent{}
	case EventEmitted:
		return &EventEmittedEvent{}
	case ListingPublished:
		return &ListingPublishedEvent{}
	case ListingWithdrawn:
		return &ListingWithdrawnEvent{}
	}
	return newOutsidePayload(kind)
}

// newOutsidePayload makes the payloads of the streams that are no room's.
func newOutsidePayload(kind Kind) Payload {
	switch kind {
	case SessionOpened:
		return &SessionOpenedEvent{}
	case RoomTokenMinted:
		return &RoomTokenMintedEvent{}
	case RoomTokenExtended:
		return &RoomTokenExtendedEvent{}
	case ContextAcked:
		return &ContextAckedEvent{}
	case ConnectionOpened:
		return &ConnectionOpenedEvent{}
	case ConnectionSubscribed:
		return &ConnectionSubscribedEvent{}
	case ConnectionClosed:
		return &ConnectionClosedEvent{}
	case RuntimeReported:
		return &RuntimeReportedEvent{}
	case PollerMoved:
		return &PollerMovedEvent{}
	case AgentEnded:
		return &AgentEndedEvent{}
	case TokenCreated:
		return &TokenCreatedEvent{}
	case TokenRevoked:
		return &TokenRevokedEvent{}
	case AgentRegistered:
		return &AgentRegisteredEvent{}
	case AgentChanged:
		return &AgentChangedEvent{}
	case AgentDeleted:
		return &AgentDeletedEvent{}
	case GroupCreated:
		return &GroupCreatedEvent{}
	case ReferenceCreated:
		return &ReferenceCreatedEvent{}
	}
	return newNoticePayload(kind)
}

// newNoticePayload makes the payloads of what agents and viewers say about being told of things, and of what is known of people.
func newNoticePayload(kind Kind) Payload {
	switch kind {
	case DeliveryAcked:
		return &DeliveryAckedEvent{}
	case WebhookAdded:
		return &WebhookAddedEvent{}
	case WebhookRemoved:
		return &WebhookRemovedEvent{}
	case WebhookTried:
		return &WebhookTriedEvent{}
	case WebhookSettled:
		return &WebhookSettledEvent{}
	case ViewerJoined:
		return &ViewerJoinedEvent{}
	case ViewerLeft:
		return &ViewerLeftEvent{}
	case UserSet:
		return &UserSetEvent{}
	case UserDeleted:
		return &UserDeletedEvent{}
	case UserKeyAdded:
		return &UserKeyAddedEvent{}
	case UserKeyRemoved:
		return &UserKeyRemovedEvent{}
	}
	return nil
}

// encodePayload fills Kind, Body, Content and Payload of an event.
func encodePayload(p Payload) (Event, error) {
	body, content := p.parts()
	e := Event{Kind: p.Kind(), Payload: p}
	var err error
	if e.Body, err = strictjson.Marshal(body); err != nil {
		return Event{}, fmt.Errorf("encode %s: %w", e.Kind, err)
	}
	if content != nil {
		if e.Content, err = strictjson.Marshal(content); err != nil {
			return Event{}, fmt.Errorf("encode content of %s: %w", e.Kind, err)
		}
	}
	return e, nil
}

// decode makes sure that the record has its typed payload. A kind from a newer program stays without one and changes no
// state.
func (r *Recorded) decode() error {
	if r.Payload != nil {
		return nil
	}
	p := newPayload(r.Kind)
	if p == nil {
		return nil
	}
	body, content := p.parts()
	if err := strictjson.UnmarshalLimits(r.Body, body, storedLimits); err != nil {
		return fmt.Errorf("decode %s at position %d: %w", r.Kind, r.Position, err)
	}
	if content != nil && len(r.Content) > 0 {
		if err := strictjson.UnmarshalLimits(r.Content, content, storedLimits); err != nil {
			return fmt.Errorf("decode content of %s at position %d: %w", r.Kind, r.Position, err)
		}
	}
	r.Payload = p
	return nil
}

// storedLimits bound what the log itself may hold: larger than any door lets in.
var storedLimits = strictjson.Limits{MaxBytes: 64 << 20, MaxDepth: 1024}
