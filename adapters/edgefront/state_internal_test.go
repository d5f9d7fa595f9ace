package edgefront

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// The state that a client patches together equals the one it would get as a snapshot, after any history of any kind of
// room, from whatever command on it began to follow.
func TestPatchesLeadFromSnapshotToSnapshot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		node, err := core.Open(ctx, memlog.New(), core.Options{})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, node.Close(ctx)) }()
		agents := make([]core.NewMember, 4)
		for i, handle := range []string{"a", "b", "c", "d"} {
			r, err := node.Register(ctx, core.Registration{Agent: core.Agent{Name: handle, Handle: handle}})
			require.NoError(rt, err)
			agents[i] = core.NewMember{Agent: r.Agent.ID, Name: handle, Handle: handle}
		}
		cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "chat"}, Members: agents[:1]}
		if rapid.Bool().Draw(rt, "turns") {
			cmd.Facts.Floor, cmd.Facts.MaxTurns, cmd.TTL = core.FloorTurns, rapid.IntRange(1, 6).Draw(rt, "max"), time.Hour
			cmd.Facts.Listing = &core.Listing{ID: "lst_1", Agent: agents[0].Agent}
		}
		made, _, err := node.CreateRoom(ctx, cmd, nil)
		require.NoError(rt, err)

		views := []superjson.Value{current(rt, node, made.Room)}
		reader := node.NewRoomReader(made.Room, node.Applied())
		defer reader.Close()
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			who := rapid.SampledFrom(agents).Draw(rt, "who")
			// Refusals are part of a history too; they leave no event.
			switch rapid.SampledFrom(doings).Draw(rt, "do") {
			case "post":
				_, _, _ = node.PostMessage(ctx, made.Room, core.PostMessage{Sender: who.Agent, Text: "hi @b"}, nil)
			case "join":
				_ = node.JoinRoom(ctx, made.Room, core.JoinRoom{Member: who})
			case "connect":
				_, _ = node.ConnectListing(ctx, "lst_1", core.ConnectListing{Member: who}, nil)
			case "state", "settings", "things":
				change(rt, node, made.Room, who.Agent)
			case "close":
				_, _, _ = node.CloseRoom(ctx, made.Room, core.CloseRoom{Actor: who.Agent}, nil)
			}
			entries, err := reader.Read(ctx, 100, nil)
			require.NoError(rt, err)
			for _, e := range entries {
				if patch := patchOf(e); patch != nil {
					for i := range views {
						views[i] = edgeframes.ApplyMergePatch(views[i], patch)
					}
				}
			}
			want := superjson.ToPlain(current(rt, node, made.Room))
			for _, v := range views {
				require.Equal(rt, want, superjson.ToPlain(v))
			}
			views = append(views, current(rt, node, made.Room))
		}
	})
}

var doings = []string{"post", "post", "join", "connect", "close", "state", "state", "settings", "things", "things"}

// change does something to what is no conversation.
func change(rt *rapid.T, node *core.Node, room, actor string) {
	ctx := context.Background()
	one := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "text") }
	word := one("one", "two", "")
	switch one("patch", "replace", "name", "description", "archive", "alias", "role", "edit", "delete", "document", "rename", "remove", "link", "unlink") {
	case "patch", "replace":
		value, err := typedjson.Parse([]byte(one(
			`{"a":{"b":1,"c":{"$date":null}},"topic":"mine"}`, `{"a":{"b":null}}`, `{"a":null,"s":{"$set":[1]}}`, `{"x":{"$undefined":true}}`, `{}`,
		)), typedjson.Limits{})
		require.NoError(rt, err)
		// Nobody checks keys here: a key that the room has come to use since must not hide what the room says.
		_, _, _ = node.PatchState(ctx, room, core.PatchState{Actor: actor, Patch: value}, nil)
		if rapid.Bool().Draw(rt, "replace") {
			_, _, _ = node.ReplaceState(ctx, room, core.ReplaceState{Actor: actor, State: value}, nil)
		}
	case "name":
		_ = node.ChangeRoom(ctx, room, core.ChangeRoom{Actor: actor, Name: &word}, nil)
	case "description":
		_ = node.ChangeRoom(ctx, room, core.ChangeRoom{Actor: actor, Description: &word}, nil)
	case "archive":
		archived := rapid.Bool().Draw(rt, "archived")
		_ = node.ChangeRoom(ctx, room, core.ChangeRoom{Actor: actor, Archived: &archived}, nil)
	case "alias":
		_ = node.ChangeRoom(ctx, room, core.ChangeRoom{Actor: actor, Aliases: map[string]string{actor: word}}, nil)
	case "role":
		_ = node.DefineRole(ctx, room, core.DefineRole{Actor: actor, Name: one("judge", "constructor")}, nil)
	case "edit":
		exclusive := rapid.Bool().Draw(rt, "exclusive")
		_ = node.EditRole(ctx, room, core.EditRole{Actor: actor, Name: one("judge", "constructor"), Exclusive: &exclusive}, nil)
	case "delete":
		_ = node.DeleteRole(ctx, room, core.DeleteRole{Actor: actor, Name: one("judge", "constructor")}, nil)
	case "document":
		_, _ = node.CreateDocument(ctx, room, core.CreateDocument{Agent: actor, Name: word}, nil)
	case "rename", "remove":
		var id string
		require.NoError(rt, node.ViewRoom(ctx, room, func(r *core.Room) {
			if len(r.Documents) > 0 {
				id = r.Documents[0].ID
			}
		}))
		if word == "one" {
			_ = node.DeleteDocument(ctx, room, core.DeleteDocument{Agent: actor, Document: id}, nil)
		} else {
			_ = node.ChangeDocument(ctx, room, core.ChangeDocument{Agent: actor, Document: id, Name: &word}, nil)
		}
	case "link":
		_ = node.AddLink(ctx, room, core.AddLink{Actor: actor, Target: room, Label: "l"}, nil)
	case "unlink":
		_ = node.RemoveLink(ctx, room, core.RemoveLink{Actor: actor, Target: room}, nil)
	}
}

// A room patched together from its very first event is the room.
func TestPatchesFromTheBeginning(t *testing.T) {
	ctx := context.Background()
	node, err := core.Open(ctx, memlog.New(), core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(ctx)) }()
	made, _, err := node.CreateRoom(ctx, core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns, MaxTurns: 4},
		Texts:   core.RoomTexts{Description: "two speak"},
		Members: []core.NewMember{{Agent: "agt_a", Name: "a"}, {Agent: "agt_b", Name: "b", Alias: "bee"}},
		TTL:     time.Hour,
	}, nil)
	require.NoError(t, err)
	reader := node.NewRoomReader(made.Room, 0)
	defer reader.Close()
	entries, err := reader.Read(ctx, 100, nil)
	require.NoError(t, err)
	var state superjson.Value = superjson.NewObject()
	for _, e := range entries {
		state = edgeframes.ApplyMergePatch(state, patchOf(e))
	}
	require.Equal(t, superjson.ToPlain(current(t, node, made.Room)), superjson.ToPlain(state))
}

// After the last turn nobody is next, in no frame: whoever waits for its turn would take the rest of the last one for it.
func TestNobodyIsNextAfterTheLastTurn(t *testing.T) {
	ctx := context.Background()
	node, err := core.Open(ctx, memlog.New(), core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(ctx)) }()
	made, _, err := node.CreateRoom(ctx, core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns, MaxTurns: 1},
		Members: []core.NewMember{{Agent: "agt_a", Name: "a"}, {Agent: "agt_b", Name: "b"}},
	}, nil)
	require.NoError(t, err)
	state := current(t, node, made.Room)
	reader := node.NewRoomReader(made.Room, node.Applied())
	defer reader.Close()
	_, _, err = node.PostMessage(ctx, made.Room, core.PostMessage{Sender: "agt_a", Text: "hello and goodbye"}, nil)
	require.NoError(t, err)
	entries, err := reader.Read(ctx, 100, nil)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	for _, e := range entries {
		state = edgeframes.ApplyMergePatch(state, patchOf(e))
		require.NotContains(t, superjson.ToPlain(state), keyNextActor)
	}
}

type failer interface {
	require.TestingT
	Helper()
}

func current(t failer, node *core.Node, room string) superjson.Value {
	t.Helper()
	var state superjson.Value
	require.NoError(t, node.ViewRoom(context.Background(), room, func(r *core.Room) { state = snapshotOf(r) }))
	return state
}

// What is stored with a room and nobody's business is in no form that readers get.
func TestNoSecretIsShown(t *testing.T) {
	const secret = "do-not-show-this"
	created := &core.RoomCreatedEvent{RoomFacts: core.RoomFacts{
		ID: "room_1", Name: "chat", HumanCodeHash: secret, SecurityConfig: []byte(`"` + secret + `"`), Owner: secret,
	}}
	e := &core.Entry{Recorded: core.Recorded{
		Event:  core.Event{Kind: core.RoomCreated, Version: 1, At: time.Unix(0, 0), Payload: created},
		Stream: core.RoomStream("room_1"),
	}}
	room := &core.Room{}
	room.Apply(&e.Recorded)
	for _, frame := range []edgeframes.Frame{
		eventOf(e), edgeframes.State{Patch: patchOf(e)}, edgeframes.State{Snapshot: snapshotOf(room)},
	} {
		text, err := edgeframes.Encode(frame)
		require.NoError(t, err)
		require.Contains(t, string(text), "chat")
		require.NotContains(t, string(text), secret)
	}
}

func TestEventOfANewerKind(t *testing.T) {
	e := &core.Entry{Recorded: core.Recorded{Event: core.Event{Kind: "poll.opened", Version: 7, At: time.UnixMilli(0)}}}
	require.Nil(t, patchOf(e))
	text, err := edgeframes.Encode(eventOf(e))
	require.NoError(t, err)
	require.Equal(t, `{"json":{"v":2,"kind":"event","seq":7,"type":"poll.opened","payload":null,"at":"1970-01-01T00:00:00.000Z"},`+
		`"meta":{"values":{"payload":["undefined"],"at":["Date"]},"v":1}}`, string(text))
}

// The keys that the gateway writes are those that no member may.
func TestRoomKeysAreReserved(t *testing.T) {
	known := operations.RoomKeys()
	room := &core.Room{}
	created := &core.RoomCreatedEvent{RoomFacts: core.RoomFacts{
		ID: "room_1", Name: "n", Floor: core.FloorTurns, State: core.StateActive, MaxTurns: 3, TTLAt: time.Unix(1, 0),
	}}
	room.Apply(&core.Recorded{Event: core.Event{Kind: core.RoomCreated, Version: 1, At: time.Unix(1, 0), Payload: created}})
	room.ClosedAt, room.CloseReason, room.PurgedAt, room.Archived = time.Unix(2, 0), core.ClosedByTTL, time.Unix(3, 0), true
	room.Sides[0] = "agt_1"
	shown := snapshotOf(room)
	var keys []string
	for key := range shown.All() {
		keys = append(keys, key)
	}
	// Who types is no part of the room.
	keys = append(keys, keyTyping)
	require.ElementsMatch(t, known, keys)
}
