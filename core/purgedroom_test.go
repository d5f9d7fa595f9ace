package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestNothingIsWrittenIntoAPurgedRoom: what was destroyed is not followed by more of it, whatever command asks for that.
// Members still leave, and the room is still archived, neither with a word of anybody.
func TestNothingIsWrittenIntoAPurgedRoom(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute}})
	w := furnish(t, n)
	now.Advance(time.Minute)
	require.Equal(t, core.StatePurged, stateIn(t, n, w.room))
	awaitErased(t, log, w.room)
	ctx, ada := t.Context(), w.ada.ID
	second := func(_ any, _ core.Placed, err error) error { return err }
	key := &core.Key{Agent: ada, Value: "marker-k", BodyHash: "marker-hash"}
	for name, do := range map[string]func() error{
		"post": func() error {
			return second(n.PostMessage(ctx, w.room, core.PostMessage{Sender: ada, Text: "x"}, nil))
		},
		"repeat of a post": func() error {
			return second(n.PostMessage(ctx, w.room, core.PostMessage{Sender: ada, Text: "x"}, key))
		},
		"close": func() error { return second(n.CloseRoom(ctx, w.room, core.CloseRoom{Actor: ada}, nil)) },
		"join": func() error {
			return n.JoinRoom(ctx, w.room, core.JoinRoom{Member: core.NewMember{Agent: "agt_new"}, Inviter: ada})
		},
		"settings": func() error {
			return n.ChangeRoom(ctx, w.room, core.ChangeRoom{Actor: ada, Description: ptr("x")}, nil)
		},
		"role": func() error {
			return n.DefineRole(ctx, w.room, core.DefineRole{Actor: ada, Name: "scribe"}, nil)
		},
		"document": func() error {
			_, err := n.CreateDocument(ctx, w.room, core.CreateDocument{Agent: ada, Name: "d", Content: "x"}, nil)
			return err
		},
		"shared state": func() error {
			return second(n.PatchState(ctx, w.room, core.PatchState{Actor: ada, Patch: plain(t, `{"a":1}`)}, nil))
		},
		"other shared state": func() error {
			return second(n.ReplaceState(ctx, w.room, core.ReplaceState{Actor: ada, State: plain(t, `{"a":1}`)}, nil))
		},
		"event": func() error {
			_, err := n.EmitEvent(ctx, w.room, core.EmitEvent{Actor: ada, Type: "x"}, nil)
			return err
		},
		"task": func() error {
			return second(n.DelegateTask(ctx, w.room, core.DelegateTask{Requester: ada, Performer: w.bob.ID, Summary: "x"}, nil))
		},
		"command": func() error { return send(t, n, w.room, w.bob, core.CommandInterrupt, "x") },
		"report": func() error {
			return n.ReportRuntime(ctx, ada, core.ReportRuntime{Room: w.room, State: "idle", Detail: "x"})
		},
		"code": func() error { return n.CheckHumanCode(ctx, w.room, "code") },
		"viewer": func() error {
			_, err := n.JoinViewers(ctx, w.room, "code")
			return err
		},
		"typing": func() error {
			_, err := n.StartTyping(ctx, w.room, ada, time.Second)
			return err
		},
	} {
		before := n.Applied()
		var refused *core.RoomNotActiveError
		require.ErrorAs(t, do(), &refused, name)
		require.Equal(t, core.StatePurged, refused.State, name)
		require.Equal(t, before, n.Applied(), name)
	}
	_, reported := n.Runtime(ada, w.room)
	require.False(t, reported)
	require.NoError(t, n.ChangeRoom(ctx, w.room, core.ChangeRoom{Actor: ada, Archived: ptr(true)}, nil))
	require.NoError(t, n.LeaveRoom(ctx, w.room, core.LeaveRoom{Agent: w.bob.ID}))
	require.Equal(t, core.StatePurged, stateIn(t, n, w.room))
	for rec, err := range log.Read(ctx, core.RoomStream(w.room), 0) {
		require.NoError(t, err)
		require.NotContains(t, string(rec.Body)+string(rec.Content), "marker")
	}
}

// TestPurgeStanding: what operators are told of rooms that wait for their end.
func TestPurgeStanding(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{
		Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute, Retention: time.Hour},
	})
	room, viewer, a := watchedRoom(t, n)
	require.Zero(t, n.PurgeStanding().Closed)
	closeRoom(t, n, room, a)
	now.Advance(30 * time.Second)
	got := n.PurgeStanding()
	require.Equal(t, core.PurgeStanding{Closed: 1, OldestClosed: 30 * time.Second, Policy: got.Policy}, got)
	now.Advance(30 * time.Second)
	require.NoError(t, n.BeatViewer(room, viewer))
	got = n.PurgeStanding()
	require.Equal(t, core.PurgeStanding{Closed: 1, Watched: 1, OldestClosed: time.Minute, Policy: got.Policy}, got)
	now.Advance(time.Hour)
	got = n.PurgeStanding()
	age := time.Hour + time.Minute
	require.Equal(t, core.PurgeStanding{Closed: 1, Ready: 1, OverRetention: 1, OldestClosed: age, OldestReady: age, Policy: got.Policy}, got)
	require.Equal(t, core.StatePurged, stateIn(t, n, room))
	require.Zero(t, n.PurgeStanding().Closed)
}
