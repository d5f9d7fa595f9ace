package core_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestLeavingARoom(t *testing.T) {
	n := newNode(t)
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room, other := openRoom(t, n, ada, bob), openRoom(t, n, ada)
	_, err := n.OpenConnection(t.Context(), ada.ID, core.OpenRequest{
		ID: "c", Scope: core.ScopeAll, Filter: core.FilterAll, Rooms: []string{room, other}, FromHead: true,
	})
	require.NoError(t, err)
	r := n.NewAgentReader(ada.ID, n.Applied())
	defer r.Close()
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: ada.ID}))
	require.False(t, n.IsMember(ada.ID, room))
	c, err := n.Connection(t.Context(), ada.ID, "c")
	require.NoError(t, err)
	require.Equal(t, []string{other}, c.Rooms, "its claim is free")
	post(t, n, room, bob, "behind its back")
	post(t, n, other, ada, "here")
	require.Equal(t, []string{"here"}, texts(take(t, r, 1)))

	before := n.Applied()
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: ada.ID}), "leaving twice is no error")
	require.Equal(t, before, n.Applied())
	require.ErrorIs(t, n.LeaveRoom(t.Context(), "room_none", core.LeaveRoom{Agent: ada.ID}), core.ErrNoRoom)
	_, _, err = n.PostMessage(t.Context(), room, core.PostMessage{Sender: ada.ID, Text: "x"}, nil)
	require.ErrorIs(t, err, core.ErrNotMember)
}

// TestASpeakerThatLeavesClosesItsTurns: nobody could ever speak again in its place.
func TestASpeakerThatLeavesClosesItsTurns(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room := turnsRoom(t, n, ada, bob, 10)
	require.NoError(t, n.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bob.ID}))
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) {
		require.Equal(t, core.StateClosed, r.State)
		require.Equal(t, core.ClosedByMember, r.CloseReason)
		require.Nil(t, r.Members[bob.ID])
		require.Equal(t, [2]string{ada.ID, bob.ID}, r.Sides)
	}))
	var kinds []core.Kind
	for rec, err := range log.Read(t.Context(), core.RoomStream(room), 0) {
		require.NoError(t, err)
		kinds = append(kinds, rec.Kind)
	}
	require.Equal(t, []core.Kind{core.RoomStateChanged, core.RoomClosed, core.MemberLeft}, kinds[len(kinds)-3:])

	listing := n.IDs().New(core.ListingPrefix, n.Now())
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "offer", Floor: core.FloorTurns, Listing: &core.Listing{ID: listing, Agent: ada.ID, Topic: "offer"},
		},
		Members: []core.NewMember{member(ada)}, TTL: time.Hour,
	}, nil)
	require.NoError(t, err)
	require.NoError(t, n.LeaveRoom(t.Context(), made.Room, core.LeaveRoom{Agent: ada.ID}))
	require.Empty(t, n.Listings("", 10), "an offer of somebody who is gone is none")
}

// life is an agent with one of everything, and what it had.
type life struct {
	agent                core.Agent
	key, session, token  string
	creds                []core.Credential
	open, turns, private string
}

func newLife(t *testing.T, n *core.Node, handle string, peer core.Agent) life {
	t.Helper()
	made, err := n.Register(t.Context(), core.Registration{Agent: fullAgent(handle, "olga")})
	require.NoError(t, err)
	l := life{agent: made.Agent, key: made.Key}
	l.open, l.private = openRoom(t, n, l.agent, peer), openRoom(t, n, l.agent)
	l.turns = turnsRoom(t, n, peer, l.agent, 10)
	l.session, _, err = n.OpenSession(t.Context(), n.Authenticate(l.key))
	require.NoError(t, err)
	l.token, _, err = n.MintRoomToken(t.Context(), l.agent.ID, l.open)
	require.NoError(t, err)
	for _, id := range []string{handle + "-1", handle + "-2"} {
		_, err = n.OpenConnection(t.Context(), l.agent.ID, core.OpenRequest{
			ID: id, Scope: core.ScopeSingle, Filter: core.FilterAll, Rooms: []string{l.open}, FromHead: true,
		})
		require.NoError(t, err)
	}
	for _, secret := range []string{l.key, l.session, l.token} {
		l.creds = append(l.creds, n.Authenticate(secret))
	}
	return l
}

// locked asserts that nothing opens any more, which is so from the moment of the deletion.
func (l life) locked(t *testing.T, n *core.Node) {
	t.Helper()
	_, known := n.Agent(l.agent.ID)
	require.False(t, known)
	for i, secret := range []string{l.key, l.session, l.token} {
		require.Equal(t, core.NoCredential, n.Authenticate(secret).Kind)
		require.False(t, n.StillValid(l.creds[i]))
	}
}

// gone tells whether the agent is in no room and on no connection.
func (l life) gone(n *core.Node) bool {
	_, cause, open := n.ConnectionState(l.agent.ID, l.agent.Handle+"-1", 1)
	return len(n.RoomsOf(l.agent.ID)) == 0 && !open && cause == core.CauseDeleted
}

func TestDeletingAnAgent(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := openNode(t, store.Open(), core.Options{NodeID: "a", SweepEvery: time.Hour})
	b := openNode(t, store.Open(), core.Options{NodeID: "b", SweepEvery: time.Hour})
	peer := register(t, a, "peer")
	ada := newLife(t, a, "ada", peer)
	settled(t, b, a.Applied())
	onB := b.NewAgentReader(ada.agent.ID, b.Applied())
	defer onB.Close()

	require.NoError(t, a.DeleteAgent(t.Context(), ada.agent.ID))
	ada.locked(t, a)
	require.True(t, ada.gone(a), "everything is over when it returns")
	require.ErrorIs(t, a.DeleteAgent(t.Context(), ada.agent.ID), core.ErrNoAgent)
	require.Equal(t, core.StatusDisconnected, a.Presence(ada.agent.ID, ada.open))
	for _, room := range []string{ada.open, ada.turns, ada.private} {
		require.NoError(t, a.ViewRoom(t.Context(), room, func(r *core.Room) { require.Nil(t, r.Members[ada.agent.ID]) }))
	}
	a.ViewDirectory(func(d *core.Directory) { require.Equal(t, map[string]string{ada.agent.ID: "ada"}, d.Deleted) })

	// On the other node too, and a reader there sees nothing of what comes after.
	settled(t, b, a.Applied())
	ada.locked(t, b)
	require.True(t, ada.gone(b))
	<-onB.Wake()
	post(t, b, ada.open, peer, "good riddance")
	for _, e := range take(t, onB, 2) {
		require.Contains(t, []core.Kind{core.RoomStateChanged, core.RoomClosed}, e.Kind, "its turns ended while it was a member")
	}
	nothingLeft(t, onB)

	// Whoever was let in before and comes late opens nothing, anywhere.
	for _, n := range []*core.Node{a, b} {
		_, err := n.OpenConnection(t.Context(), ada.agent.ID, core.OpenRequest{ID: "late", Scope: core.ScopeAll, Filter: core.FilterAll})
		require.ErrorIs(t, err, core.ErrNoAgent)
		_, _, err = n.OpenSession(t.Context(), ada.creds[0])
		require.ErrorIs(t, err, core.ErrNoAgent)
		require.ErrorIs(t, n.Ack(t.Context(), ada.agent.ID, ada.open, 1), core.ErrNoAgent)
	}

	// Its handle is free for another agent, which is not taken for it.
	made, err := b.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
	require.NoError(t, err)
	require.NotEqual(t, ada.agent.ID, made.Agent.ID)
	require.False(t, b.IsMember(made.Agent.ID, ada.open))
}

// halted is a log that takes what is for the directory and nothing else, as if the process ended right after it.
type halted struct {
	core.Log
	on atomic.Bool
}

func (h *halted) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if h.on.Load() && s != core.DirectoryStream {
		return nil, core.ErrFull
	}
	return h.Log.Append(ctx, s, last, e)
}

func TestADeletionThatWasCutShortIsFinished(t *testing.T) {
	for name, snaps := range map[string]core.Snapshots{"from the log": nil, "from a snapshot": memlog.NewSnapshots()} {
		t.Run(name, func(t *testing.T) {
			log := &halted{Log: memlog.New()}
			n, err := core.Open(t.Context(), log, core.Options{SweepEvery: time.Hour, Snapshots: snaps})
			require.NoError(t, err)
			peer := register(t, n, "peer")
			ada := newLife(t, n, "ada", peer)
			log.on.Store(true)
			require.NoError(t, n.DeleteAgent(t.Context(), ada.agent.ID))
			ada.locked(t, n)
			require.False(t, ada.gone(n))
			require.NoError(t, n.Close(t.Context()))

			log.on.Store(false)
			again := openNode(t, log, core.Options{SweepEvery: time.Hour, Snapshots: snaps})
			ada.locked(t, again)
			require.Eventually(t, func() bool { return ada.gone(again) }, patience, time.Millisecond)
		})
	}
}

func TestADeletionThatWasCutShortIsFinishedByHousekeeping(t *testing.T) {
	log := &halted{Log: memlog.New()}
	n := openNode(t, log, core.Options{SweepEvery: time.Millisecond})
	ada := newLife(t, n, "ada", register(t, n, "peer"))
	log.on.Store(true)
	require.NoError(t, n.DeleteAgent(t.Context(), ada.agent.ID))
	require.False(t, ada.gone(n))
	log.on.Store(false)
	require.Eventually(t, func() bool { return ada.gone(n) }, patience, time.Millisecond)
}

// Cause: commands of a room are decided without a look at the directory, so an agent can be made a member just after it
// was deleted.
func TestAMemberThatWasDeletedBeforeItJoinedLeavesAgain(t *testing.T) {
	n := openNode(t, memlog.New(), core.Options{SweepEvery: time.Millisecond})
	ada, peer := register(t, n, "ada"), register(t, n, "peer")
	room := openRoom(t, n, peer)
	require.NoError(t, n.DeleteAgent(t.Context(), ada.ID))
	_ = n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(ada)})
	late := openRoom(t, n, peer, ada)
	require.Eventually(t, func() bool { return !n.IsMember(ada.ID, room) && !n.IsMember(ada.ID, late) }, patience, time.Millisecond)
	require.True(t, n.IsMember(peer.ID, late))
}
