package edgefront

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
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
			switch rapid.SampledFrom([]string{"post", "post", "post", "join", "connect", "close"}).Draw(rt, "do") {
			case "post":
				_, _, _ = node.PostMessage(ctx, made.Room, core.PostMessage{Sender: who.Agent, Text: "hi @b"}, nil)
			case "join":
				_ = node.JoinRoom(ctx, made.Room, core.JoinRoom{Member: who})
			case "connect":
				_, _ = node.ConnectListing(ctx, "lst_1", core.ConnectListing{Member: who}, nil)
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
