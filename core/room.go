package core

import (
	"maps"
	"slices"
	"time"

	"stele/internal/typedjson"
)

// RoomState is where a room is in its life: OPEN → ACTIVE → CLOSED → PURGED, never back.
type RoomState string

// The states of a room.
const (
	StateOpen   RoomState = "OPEN"
	StateActive RoomState = "ACTIVE"
	StateClosed RoomState = "CLOSED"
	StatePurged RoomState = "PURGED"
)

// CloseReason says why a room closed.
type CloseReason string

// The reasons for closing.
const (
	ClosedByMember   CloseReason = "manual_close"
	ClosedByMaxTurns CloseReason = "max_turns_reached"
	ClosedByTTL      CloseReason = "ttl_expired"
)

// RecentMessages is how many of the newest messages a room keeps at hand.
const RecentMessages = 6

// Room is the state that a room's events fold to. It holds no positions: the same events give the same room wherever
// they lie in a log.
type Room struct {
	RoomFacts
	RoomTexts
	// Version is that of the newest event, see [VersionCount]; Turn counts its messages and is the number of the next one.
	Version uint64 `json:"version"`
	Turn    int    `json:"turn"`
	// Sides are the two speakers of a turns room; the second is empty until somebody connects.
	Sides     [2]string          `json:"sides"`
	Members   map[string]*Member `json:"members"`
	LastActor string             `json:"last_actor,omitempty"`
	// Recent are the newest messages, oldest first, at most RecentMessages.
	Recent      []Message   `json:"recent,omitempty"`
	CreatedAt   time.Time   `json:"created_at"`
	ClosedAt    time.Time   `json:"closed_at"`
	CloseReason CloseReason `json:"close_reason,omitempty"`
	PurgedAt    time.Time   `json:"purged_at"`
	Archived    bool        `json:"archived,omitempty"`
	// Published is a listing that the room got after its creation, nil if none or withdrawn; Withdrawn tells that the one
	// that it came with stands no more. See [Room.Offer].
	Published *Listing `json:"published,omitempty"`
	Withdrawn bool     `json:"withdrawn,omitempty"`
	// References are ids of the directory's references, in the order of attaching; Documents those that live in the room.
	References []string   `json:"references,omitempty"`
	Documents  []Document `json:"documents,omitempty"`
	// Tasks by id. Leases are holds on roles by agent, live or not.
	Tasks  map[string]*Task     `json:"tasks,omitempty"`
	Leases map[string]RoleLease `json:"leases,omitempty"`
	// Shared is what the members keep together, nil while it is {}, see [Room.SharedState].
	Shared *typedjson.Value `json:"shared,omitempty"`
	// Jumps are the places where the versions go on in a later life of the log, oldest first.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Member is an agent in a room.
type Member struct {
	Agent  string `json:"agent"`
	Name   string `json:"name"`
	Handle string `json:"handle,omitempty"`
	Alias  string `json:"alias,omitempty"`
	Side   string `json:"side,omitempty"`
	// Joined is the version of the room at which it arrived.
	Joined   uint64    `json:"joined"`
	JoinedAt time.Time `json:"joined_at"`
}

// Message is a message as the room remembers it.
type Message struct {
	ID         string    `json:"id"`
	Turn       int       `json:"turn"`
	Version    uint64    `json:"version"`
	Sender     string    `json:"sender"`
	SenderName string    `json:"sender_name"`
	Text       string    `json:"text"`
	At         time.Time `json:"at"`
}

// Apply folds one event into the room.
func (r *Room) Apply(rec *Recorded) {
	if r.Version > 0 && VersionLife(rec.Version) > VersionLife(r.Version) {
		r.Jumps = append(r.Jumps, Jump{Last: r.Version, First: rec.Version})
	}
	r.Version = rec.Version
	switch e := rec.Payload.(type) {
	case *RoomCreatedEvent:
		r.RoomFacts, r.RoomTexts = e.RoomFacts, e.RoomTexts
		r.CreatedAt = rec.At
		r.Members = map[string]*Member{}
	case *MemberJoinedEvent:
		r.applyJoined(rec, e)
	case *MemberLeftEvent:
		delete(r.Members, e.Agent)
		delete(r.Leases, e.Agent)
	case *MessagePostedEvent:
		r.applyPosted(rec, e)
	case *RoomStateChangedEvent:
		r.State = e.To
		if e.To == StatePurged {
			r.PurgedAt = rec.At
		}
	case *RoomClosedEvent:
		r.ClosedAt, r.CloseReason = rec.At, e.Reason
	case *RoomPurgedEvent:
		r.applyPurged()
	case *RoomChangedEvent, *LinkAddedEvent, *LinkRemovedEvent, *ReferenceAttachedEvent:
		r.applySettings(e)
	case *RoleDefinedEvent, *RoleEditedEvent, *RoleDeletedEvent, *RoleAssumedEvent, *RoleReleasedEvent:
		r.applyRole(rec)
	case *DocumentCreatedEvent, *DocumentChangedEvent, *DocumentDeletedEvent:
		r.applyDocument(rec)
	case *TaskDelegatedEvent, *TaskAcceptedEvent, *TaskUpdatedEvent, *TaskFinalisedEvent, *TaskCancelledEvent:
		r.applyTask(rec)
	case *StatePatchedEvent, *StateReplacedEvent:
		r.applyShared(e)
	case *ListingPublishedEvent, *ListingWithdrawnEvent:
		r.applyOffer(rec)
	}
}

func (r *Room) applyJoined(rec *Recorded, e *MemberJoinedEvent) {
	if !e.History {
		r.Members[e.Agent] = &Member{
			Agent: e.Agent, Name: e.Name, Handle: e.Handle, Alias: e.Alias, Side: e.Side,
			Joined: rec.Version, JoinedAt: rec.At,
		}
	}
	switch e.Side {
	case "a":
		r.Sides[0] = e.Agent
	case "b":
		r.Sides[1] = e.Agent
	}
}

func (r *Room) applyPosted(rec *Recorded, e *MessagePostedEvent) {
	r.Turn = e.Turn + 1
	r.LastActor = e.Sender
	if len(r.Recent) == RecentMessages {
		copy(r.Recent, r.Recent[1:])
		r.Recent = r.Recent[:RecentMessages-1]
	}
	r.Recent = append(r.Recent, Message{
		ID: e.ID, Turn: e.Turn, Version: rec.Version, Sender: e.Sender,
		SenderName: e.SenderName, Text: e.Shown(), At: rec.At,
	})
}

// Clone returns a room that shares nothing that Apply changes.
func (r *Room) Clone() *Room {
	c := *r
	c.Members = maps.Clone(r.Members)
	c.Recent = slices.Clone(r.Recent)
	c.Jumps = slices.Clone(r.Jumps)
	c.Tasks = maps.Clone(r.Tasks)
	c.Leases = maps.Clone(r.Leases)
	return &c
}

// Exists tells whether the room was created.
func (r *Room) Exists() bool { return r.Version > 0 }

// Expired tells whether the room's time to live has passed while it still took messages.
func (r *Room) Expired(now time.Time) bool {
	return (r.State == StateOpen || r.State == StateActive) && !r.TTLAt.IsZero() && now.After(r.TTLAt)
}

// Listens tells whether the member asked to be told of arrivals.
func (r *Room) Listens(agent string) bool { return slices.Contains(r.Listeners, agent) }
