package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// TestNobodyIsLockedOutByAName: taking somebody's handle as an alias, or calling a role by it, does not keep that agent
// out of the room.
func TestNobodyIsLockedOutByAName(t *testing.T) {
	n := newNode(t)
	mallory, bob, judge := register(t, n, "mallory"), register(t, n, "bob"), register(t, n, "judge")
	room := openRoom(t, n, mallory)
	require.NoError(t, n.ChangeRoom(t.Context(), room, core.ChangeRoom{
		Actor: mallory.ID, Aliases: map[string]string{mallory.ID: "BOB"},
	}, nil))
	define(t, n, room, mallory, "judge", false)
	open(t, n, mallory, "c", core.ScopeSingle, room)
	_, err := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: mallory.ID, Role: "judge", Connection: "c"})
	require.NoError(t, err)

	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(bob), With: []core.NewMember{member(judge)}}))
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) {
		require.Empty(t, r.Members[mallory.ID].Alias, "a handle is the better name")
		require.Len(t, r.Members, 3)
	}))
	r := n.NewRoomReader(room, n.Applied())
	defer r.Close()
	post(t, n, room, newMember(t, n, room, "zoe"), "@bob @judge.")
	for _, e := range take(t, r, 2) {
		if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
			require.ElementsMatch(t, []string{bob.ID, judge.ID, mallory.ID}, p.Addressed, "a role of the same name reaches its holder too")
		}
	}
}

// newMember registers an agent and lets it join.
func newMember(t *testing.T, n *core.Node, room, handle string) core.Agent {
	t.Helper()
	a := register(t, n, handle)
	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(a)}))
	return a
}

func TestSeveralJoinAtOnceOrNotAtAll(t *testing.T) {
	n := newNode(t)
	alice, bob, one, two := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "bob.1"), register(t, n, "bob.2")
	room := openRoom(t, n, alice)
	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(one)}))
	before := n.Applied()
	join := core.JoinRoom{Member: member(bob), With: []core.NewMember{member(one), member(two), member(bob)}}
	join.With[1].Alias = "alice"
	refused(t, n.JoinRoom(t.Context(), room, join), "aliases", "the name of an agent")
	join.With[1].Alias = "BOB"
	refused(t, n.JoinRoom(t.Context(), room, join), "aliases", "the name of an agent")
	require.False(t, n.IsMember(bob.ID, room))
	require.Equal(t, before, n.Applied())

	join.With[1].Alias = "twin"
	require.NoError(t, n.JoinRoom(t.Context(), room, join))
	require.Equal(t, before+2, n.Applied(), "one event for each that was not there")
	require.True(t, n.IsMember(bob.ID, room))
	require.True(t, n.IsMember(two.ID, room))
	require.NoError(t, n.JoinRoom(t.Context(), room, join))
	require.Equal(t, before+2, n.Applied())
}

// TestARoomOfTwoStaysOne: its sides were promised that nobody else listens.
func TestARoomOfTwoStaysOne(t *testing.T) {
	n := newNode(t)
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	room := turnsRoom(t, n, alice, bob, 9)
	refused(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(carol), Inviter: alice.ID}), "room", "nobody can be added")
	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(bob)}), "who is in stays in")
}

// TestWhoeverWatchesATurnsRoomOnlyWatches: a third member is one from the start, and neither speaks nor ends the room.
func TestWhoeverWatchesATurnsRoomOnlyWatches(t *testing.T) {
	n := newNode(t)
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "three", Floor: core.FloorTurns, Creator: alice.ID, ReadVisibility: "private", WriteVisibility: "private",
		},
		Members: []core.NewMember{member(alice), member(bob), member(carol)},
	}, nil)
	require.NoError(t, err)
	var turn *core.NotYourTurnError
	for _, speaker := range []core.Agent{alice, bob} {
		_, _, err = n.PostMessage(t.Context(), made.Room, core.PostMessage{Sender: carol.ID, Text: "me"}, nil)
		require.ErrorAs(t, err, &turn)
		post(t, n, made.Room, speaker, "mine")
	}
	_, _, err = n.CloseRoom(t.Context(), made.Room, core.CloseRoom{Actor: carol.ID}, nil)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	_, _, err = n.CloseRoom(t.Context(), made.Room, core.CloseRoom{Actor: bob.ID}, nil)
	require.NoError(t, err)
}

// TestAnAliasDoesNotKeepTheSecondSideOut: also through a listing a handle wins over an alias.
func TestAnAliasDoesNotKeepTheSecondSideOut(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	listing := n.IDs().New(core.ListingPrefix, n.Now())
	first := member(alice)
	first.Alias = "bob"
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: "duel", Floor: core.FloorTurns, MaxTurns: 4, Listing: &core.Listing{ID: listing, Agent: alice.ID, Topic: "duel"},
		},
		Members: []core.NewMember{first},
	}, nil)
	require.NoError(t, err)
	got, err := n.ConnectListing(t.Context(), listing, core.ConnectListing{Member: member(bob)}, nil)
	require.NoError(t, err)
	require.Equal(t, [2]string{alice.ID, bob.ID}, got.Sides)
	require.NoError(t, n.ViewRoom(t.Context(), made.Room, func(r *core.Room) {
		require.Equal(t, core.StateActive, r.State)
		require.Equal(t, "b", r.Members[bob.ID].Side)
		require.Empty(t, r.Members[alice.ID].Alias)
	}))
}

// TestTheLogNamesWhoAddsSomebody: who adds others is written down, and who comes by itself is nobody's guest.
func TestTheLogNamesWhoAddsSomebody(t *testing.T) {
	n := newNode(t)
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "ops", Creator: alice.ID, WriteVisibility: "public"}, Members: []core.NewMember{member(alice)}}
	made, _, err := n.CreateRoom(t.Context(), cmd, nil)
	require.NoError(t, err)
	join := core.JoinRoom{Member: member(bob), With: []core.NewMember{member(carol)}, Inviter: bob.ID}
	require.NoError(t, n.JoinRoom(t.Context(), made.Room, join))
	require.Empty(t, arrival(t, n, made.Room, alice).Actor)
	require.Empty(t, arrival(t, n, made.Room, bob).Actor)
	require.Equal(t, bob.ID, arrival(t, n, made.Room, carol).Actor)
}
