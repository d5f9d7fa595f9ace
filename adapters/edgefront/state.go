package edgefront

import (
	"slices"
	"strings"
	"time"

	"stele/core"
	"stele/edgeframes/superjson"
)

// Keys of the room's state that only the gateway writes. A key whose value there is none of is absent, in a snapshot as
// after a patch: null in a patch deletes.
const (
	keyID           = "id"
	keyTopic        = "topic"
	keyDescription  = "description"
	keyFloor        = "floor"
	keyState        = "state"
	keyTurn         = "turn"
	keyNextActor    = "next_actor"
	keyMaxTurns     = "max_turns"
	keyTTLAt        = "ttl_at"
	keyCreatedAt    = "created_at"
	keyClosedAt     = "closed_at"
	keyCloseReason  = "close_reason"
	keyPurgedAt     = "purged_at"
	keyArchived     = "archived"
	keyParticipants = "participants"
	keyTyping       = "typing"
	keyRoles        = "roles"
	keyLinks        = "links"
	keyDocuments    = "documents"
	keyReferences   = "references"
)

// snapshotOf shows a room as it is. It keeps nothing of it.
func snapshotOf(r *core.Room) *superjson.Object {
	if !r.Exists() {
		return superjson.NewObject()
	}
	o := object{}
	o.facts(&r.RoomFacts, &r.RoomTexts, r.State)
	o.number(keyTurn, r.Turn)
	o.textIf(keyNextActor, r.NextActor())
	o.dateIf(keyCreatedAt, r.CreatedAt)
	o.dateIf(keyClosedAt, r.ClosedAt)
	o.textIf(keyCloseReason, string(r.CloseReason))
	o.dateIf(keyPurgedAt, r.PurgedAt)
	if r.Archived {
		o.put(keyArchived, superjson.Bool(true))
	}
	members := make([]*core.Member, 0, len(r.Members))
	for _, m := range r.Members {
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b *core.Member) int {
		if a.Joined != b.Joined {
			return int(a.Joined) - int(b.Joined)
		}
		return strings.Compare(a.Agent, b.Agent)
	})
	people := object{}
	for _, m := range members {
		people.put(m.Agent, participant(m))
	}
	o.put(keyParticipants, people.value())
	o.belongings(r)
	o.shared(r.SharedState())
	return o.value()
}

// patchOf is what an event changes in the state that snapshotOf shows; nil when that is nothing. It looks at nothing but
// the event, so that one patch serves all sockets.
func patchOf(e *core.Entry) *superjson.Object {
	o := object{}
	switch p := e.Payload.(type) {
	case *core.RoomCreatedEvent:
		o.facts(&p.RoomFacts, &p.RoomTexts, p.State)
		o.number(keyTurn, 0)
		o.dateIf(keyCreatedAt, e.At)
		o.put(keyParticipants, superjson.NewObject())
		o.belongings(&core.Room{RoomTexts: p.RoomTexts})
	case *core.MemberJoinedEvent:
		o.put(keyParticipants, superjson.NewObject(superjson.Member{Key: p.Agent, Value: participant(&core.Member{
			Name: p.Name, Handle: p.Handle, Alias: p.Alias, Side: p.Side, JoinedAt: e.At,
		})}))
		if p.Side == "a" {
			// Side a joins when the room is made, and turn 0 is its own.
			o.text(keyNextActor, p.Agent)
		}
	case *core.MemberLeftEvent:
		o.put(keyParticipants, superjson.NewObject(superjson.Member{Key: p.Agent, Value: superjson.Null{}}))
	case *core.MessagePostedEvent:
		o.number(keyTurn, p.Turn+1)
		if o.textIf(keyNextActor, p.Next); p.Last {
			// The room closes in the same atomic unit, but the client is told of that by the next frame only.
			o.put(keyNextActor, superjson.Null{})
		}
	case *core.RoomStateChangedEvent:
		o.text(keyState, string(p.To))
		if p.Next == "" {
			o.put(keyNextActor, superjson.Null{})
		} else {
			o.text(keyNextActor, p.Next)
		}
	case *core.RoomClosedEvent:
		o.dateIf(keyClosedAt, e.At)
		o.textIf(keyCloseReason, string(p.Reason))
	case *core.RoomPurgedEvent:
		// What the members wrote is gone too, and no longer known here: see session.writeState.
		o.dateIf(keyPurgedAt, e.At)
		o.text(keyDescription, "")
	case *core.RoomChangedEvent:
		o.changed(p)
	case *core.StatePatchedEvent:
		o.shared(p.Patch)
	case *core.StateReplacedEvent:
		o.shared(p.Patch)
	default:
		o.belonging(e)
	}
	if len(o) == 0 {
		return nil
	}
	return o.value()
}

// facts are what a room keeps of its creation, as far as readers may know it.
func (o *object) facts(f *core.RoomFacts, t *core.RoomTexts, state core.RoomState) {
	o.text(keyID, f.ID)
	o.text(keyTopic, f.Name)
	o.text(keyDescription, t.Description)
	o.text(keyFloor, string(f.Floor))
	o.text(keyState, string(state))
	if f.MaxTurns > 0 {
		o.number(keyMaxTurns, f.MaxTurns)
	}
	o.dateIf(keyTTLAt, f.TTLAt)
}

func participant(m *core.Member) *superjson.Object {
	o := object{}
	o.text("name", m.Name)
	o.textIf("handle", m.Handle)
	o.textIf("alias", m.Alias)
	o.textIf("side", m.Side)
	o.dateIf("joined_at", m.JoinedAt)
	return o.value()
}

// object gathers the members of a plain object.
type object []superjson.Member

func (o *object) put(key string, v superjson.Value) {
	*o = append(*o, superjson.Member{Key: key, Value: v})
}

func (o *object) text(key, s string) { o.put(key, superjson.String(s)) }

func (o *object) number(key string, n int) { o.put(key, superjson.Int(int64(n))) }

// textIf and dateIf leave out what is not there.
func (o *object) textIf(key, s string) {
	if s != "" {
		o.text(key, s)
	}
}

func (o *object) dateIf(key string, t time.Time) {
	if !t.IsZero() {
		o.put(key, superjson.DateOf(t))
	}
}

func (o *object) value() *superjson.Object { return superjson.NewObject(*o...) }
