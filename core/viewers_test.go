package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// watchedRoom makes a listed room with a viewer.
func watchedRoom(t testing.TB, n *core.Node) (room, viewer string, owner core.Agent) {
	t.Helper()
	owner = register(t, n, "owner")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns, Listing: &core.Listing{ID: "lst_w", Agent: owner.ID}},
		Members: []core.NewMember{member(owner)}, HumanCodeHash: core.HashSecret("code"),
	}, nil)
	require.NoError(t, err)
	viewer, err = n.JoinViewers(t.Context(), made.Room, "code")
	require.NoError(t, err)
	return made.Room, viewer, owner
}

func TestCheckHumanCode(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	room, _, owner := watchedRoom(t, n)
	plain := openRoom(t, n, owner)
	ctx := t.Context()
	require.NoError(t, n.CheckHumanCode(ctx, room, "code"))
	for _, wrong := range []string{"", "Code", "code "} {
		require.ErrorIs(t, n.CheckHumanCode(ctx, room, wrong), core.ErrWrongCode, wrong)
	}
	require.ErrorIs(t, n.CheckHumanCode(ctx, plain, ""), core.ErrWrongCode, "a room without a code has none that opens it")
	require.ErrorIs(t, n.CheckHumanCode(ctx, "room_none", "code"), core.ErrNoRoom)
	_, err := n.JoinViewers(ctx, room, "wrong")
	require.ErrorIs(t, err, core.ErrWrongCode)
	now.Advance(core.HumanCodeLife - time.Millisecond)
	require.NoError(t, n.CheckHumanCode(ctx, room, "code"))
	now.Advance(time.Millisecond)
	require.ErrorIs(t, n.CheckHumanCode(ctx, room, "code"), core.ErrWrongCode)
}

// TestViewerLife: a viewer counts while it is heard of, comes back when it is heard of again, and is gone when it left.
func TestViewerLife(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	room, viewer, owner := watchedRoom(t, n)
	other := openRoom(t, n, owner)
	second, err := n.JoinViewers(t.Context(), room, "code")
	require.NoError(t, err)
	require.NotEqual(t, viewer, second)
	require.Equal(t, 2, n.ActiveViewers(room))
	require.True(t, n.KnowsViewer(viewer))
	require.False(t, n.KnowsViewer("hv_unknown"))

	now.Advance(core.ViewerLife)
	require.NoError(t, n.BeatViewer(room, viewer))
	now.Advance(time.Millisecond)
	require.Equal(t, 1, n.ActiveViewers(room))
	require.NoError(t, n.CheckViewer(room, viewer))
	require.ErrorIs(t, n.CheckViewer(room, second), core.ErrNoViewer)
	require.NoError(t, n.BeatViewer(room, second), "a late beat revives")
	require.NoError(t, n.CheckViewer(room, second))

	for _, err := range []error{
		n.BeatViewer(other, viewer), n.CheckViewer(other, viewer), n.LeaveViewers(t.Context(), other, viewer),
		n.BeatViewer(room, "hv_unknown"), n.LeaveViewers(t.Context(), room, "hv_unknown"),
	} {
		require.ErrorIs(t, err, core.ErrNoViewer)
	}
	require.NoError(t, n.LeaveViewers(t.Context(), room, viewer))
	before := n.Applied()
	require.NoError(t, n.LeaveViewers(t.Context(), room, viewer), "leaving is repeatable")
	require.Equal(t, before, n.Applied())
	require.ErrorIs(t, n.BeatViewer(room, viewer), core.ErrViewerLeft)
	require.ErrorIs(t, n.CheckViewer(room, viewer), core.ErrViewerLeft)
	require.Equal(t, 1, n.ActiveViewers(room))
}

// TestViewersSurviveARestart: their tokens stay good, their beats begin anew, and those that left stay away.
func TestViewersSurviveARestart(t *testing.T) {
	log, snaps, now := memlog.New(), memlog.NewSnapshots(), newClock()
	n, err := core.Open(t.Context(), log, core.Options{Now: now.Now, Snapshots: snaps})
	require.NoError(t, err)
	room, viewer, _ := watchedRoom(t, n)
	gone, err := n.JoinViewers(t.Context(), room, "code")
	require.NoError(t, err)
	require.NoError(t, n.LeaveViewers(t.Context(), room, gone))
	require.NoError(t, n.Close(t.Context()))
	now.Advance(10 * core.ViewerLife)
	for name, opts := range map[string]core.Options{"from the snapshot": {Snapshots: snaps}, "from the log": {}} {
		t.Run(name, func(t *testing.T) {
			opts.NodeID, opts.Now, opts.SweepEvery = name, now.Now, time.Hour
			again := openNode(t, log, opts)
			require.Equal(t, 1, again.ActiveViewers(room))
			require.NoError(t, again.CheckViewer(room, viewer))
			require.ErrorIs(t, again.CheckViewer(room, gone), core.ErrViewerLeft)
			now.Advance(core.ViewerLife + time.Millisecond)
			require.Zero(t, again.ActiveViewers(room))
		})
	}
}

// TestPurgeLetsViewersGo: their tokens name nobody any more, and nobody joins.
func TestPurgeLetsViewersGo(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{
		Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute, Retention: time.Minute},
	})
	room, viewer, owner := watchedRoom(t, n)
	closeRoom(t, n, room, owner)
	now.Advance(time.Minute)
	require.NoError(t, n.BeatViewer(room, viewer))
	require.Equal(t, core.StatePurged, stateIn(t, n, room))
	require.Zero(t, n.ActiveViewers(room))
	require.False(t, n.KnowsViewer(viewer))
	for _, err := range []error{n.BeatViewer(room, viewer), n.CheckViewer(room, viewer), n.LeaveViewers(t.Context(), room, viewer)} {
		require.ErrorIs(t, err, core.ErrNoViewer)
	}
}
