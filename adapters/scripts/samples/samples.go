package samples

import (
	"encoding/json"
	"time"

	"stele/core"
)

// Who and where the samples tell of. Ada receives, and is the agent that an edge address names; Bob is the other one.
const (
	Room = "room_1"
	Ada  = "agt_ada"
	Bob  = "agt_bob"
)

// Start is when the first event of a story happens.
var start = time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)

// Of returns the variants of a kind, nil for one that no room's stream has. They begin at the tenth version of a room.
func Of(kind core.Kind) []*core.Entry {
	made := payloads(kind)
	if made == nil {
		return nil
	}
	out := make([]*core.Entry, 0, len(made)+1)
	for i, p := range made {
		out = append(out, entry(p, 10+i))
	}
	if erased := erasable(kind); erased != nil {
		e := entry(erased, 10+len(made))
		e.Erased = true
		out = append(out, e)
	}
	return out
}

// Story returns every variant of every kind, as one stream of one room that begins with its creation: versions without holes,
// positions with some. It is no conversation that could have happened, but one that has to be told right all the same.
func Story() []*core.Entry {
	var out []*core.Entry
	for _, kind := range core.RoomKinds() {
		for _, e := range Of(kind) {
			e.Version = uint64(len(out) + 1)
			e.Position = core.Position(100 + 3*len(out))
			e.At = start.Add(time.Duration(len(out)) * 1234 * time.Millisecond)
			out = append(out, e)
		}
	}
	return out
}

// Entry makes an event of the room of the samples, with a version and what belongs to it.
func Entry(p core.Payload, version int) *core.Entry { return entry(p, version) }

func entry(p core.Payload, version int) *core.Entry {
	return &core.Entry{Recorded: core.Recorded{
		Event: core.Event{
			Kind: p.Kind(), Version: uint64(version), At: start.Add(time.Duration(version) * time.Second), Payload: p,
		},
		Position: core.Position(100 + 3*version), Stream: core.RoomStream(Room),
	}}
}

func payloads(kind core.Kind) []core.Payload {
	switch kind {
	case core.MessagePosted:
		return messages()
	case core.RoomCreated:
		return rooms()
	case core.MemberJoined, core.MemberLeft:
		return members(kind)
	case core.RoomStateChanged, core.RoomClosed, core.RoomPurged:
		return states(kind)
	case core.RoomChanged, core.LinkAdded, core.LinkRemoved, core.ReferenceAttached, core.ListingPublished, core.ListingWithdrawn:
		return settings(kind)
	case core.RoleDefined, core.RoleEdited, core.RoleDeleted, core.RoleAssumed, core.RoleReleased:
		return roles(kind)
	case core.DocumentCreated, core.DocumentChanged, core.DocumentDeleted:
		return documents(kind)
	case core.StatePatched, core.StateReplaced, core.EventEmitted:
		return shared(kind)
	}
	return dealings(kind)
}

// erasable is what the log still has of an event whose content was destroyed, nil for a kind that has none.
func erasable(kind core.Kind) core.Payload {
	switch kind {
	case core.RoomCreated:
		return &core.RoomCreatedEvent{RoomFacts: core.RoomFacts{
			ID: Room, Name: "harbour", Creator: Bob, Floor: core.FloorTurns, State: core.StateActive, ChannelType: "channel_public",
		}}
	case core.MessagePosted:
		return &core.MessagePostedEvent{MessageFacts: core.MessageFacts{
			ID: "msg_gone", Turn: 9, Sender: Bob, Addressed: []string{Ada}, Media: []string{"med_1"},
		}}
	case core.TaskDelegated:
		return &core.TaskDelegatedEvent{TaskFacts: taskOfAda()}
	case core.DocumentCreated:
		return &core.DocumentCreatedEvent{DocumentFacts: core.DocumentFacts{Document: "doc_1", Agent: Bob}}
	case core.EventEmitted:
		return &core.EventEmittedEvent{SharedFacts: core.SharedFacts{Actor: Bob}}
	case core.StatePatched:
		return &core.StatePatchedEvent{SharedFacts: core.SharedFacts{Actor: Bob}}
	}
	return nil
}

func rooms() []core.Payload {
	plain := core.RoomFacts{
		ID: Room, Name: "harbour", Creator: Bob, Floor: core.FloorOpen, State: core.StateActive, ChannelType: "channel_public",
		ReadVisibility: "public", WriteVisibility: "private",
	}
	full := plain
	full.Owner, full.InternalOnly, full.AdminMode = "user_1", true, true
	full.SecurityConfig = json.RawMessage(`{"k":"v"}`)
	full.Listeners, full.Conversation, full.Group = []string{Bob}, "harbour", "grp_1"
	full.Imported = &core.Imported{Events: 2, Hash: "c0ffee", At: start, From: "core", Room: "room_0"}
	turns := plain
	turns.Floor, turns.State, turns.Name = core.FloorTurns, core.StateOpen, "Is a hot dog a sandwich? 🌭"
	turns.MaxTurns, turns.TTLAt = 12, start.Add(time.Hour)
	turns.HumanCodeHash, turns.HumanCodeUntil = "d34db33f", start.Add(2*time.Hour)
	turns.Listing = &core.Listing{
		ID: "lst_1", Agent: Bob, Topic: turns.Name, Tags: []string{"food"}, MaxTurns: 12, TTLSeconds: 3600,
	}
	return []core.Payload{
		&core.RoomCreatedEvent{RoomFacts: plain},
		&core.RoomCreatedEvent{RoomFacts: full, RoomTexts: core.RoomTexts{
			Description: "what comes in", Instructions: "be short",
			Roles: []core.RoleDef{{Name: "pilot", Instructions: "steer", Exclusive: true}, {Name: "crew"}},
			Links: []core.Link{{Target: "room_2", Label: "the sea"}},
		}},
		&core.RoomCreatedEvent{RoomFacts: turns},
	}
}

func members(kind core.Kind) []core.Payload {
	if kind == core.MemberLeft {
		return []core.Payload{&core.MemberLeftEvent{Agent: Bob}, &core.MemberLeftEvent{Agent: Ada}}
	}
	return []core.Payload{
		&core.MemberJoinedEvent{Agent: Bob, Name: "Bob"},
		&core.MemberJoinedEvent{Agent: Bob, Name: "Bob the Builder", Handle: "bob", Alias: "chief", Actor: Ada, Listeners: []string{Ada}},
		&core.MemberJoinedEvent{Agent: Bob, Name: "Bob", Handle: "bob", Side: "a", Listeners: []string{"agt_carol"}},
		&core.MemberJoinedEvent{Agent: Ada, Name: "Ada", Handle: "ada", Side: "b"},
		&core.MemberJoinedEvent{Agent: "agt_carol", Name: "Carol", History: true},
	}
}

func states(kind core.Kind) []core.Payload {
	switch kind {
	case core.RoomClosed:
		return []core.Payload{
			&core.RoomClosedEvent{Reason: core.ClosedByMember, Actor: Bob},
			&core.RoomClosedEvent{Reason: core.ClosedByMaxTurns},
			&core.RoomClosedEvent{Reason: core.ClosedByTTL},
		}
	case core.RoomPurged:
		return []core.Payload{
			&core.RoomPurgedEvent{Reason: core.PurgedByGrace},
			&core.RoomPurgedEvent{Reason: core.PurgedByRetention},
		}
	}
	return []core.Payload{
		&core.RoomStateChangedEvent{From: core.StateOpen, To: core.StateActive, Actor: Ada, Next: Bob},
		&core.RoomStateChangedEvent{From: core.StateActive, To: core.StateClosed},
	}
}
