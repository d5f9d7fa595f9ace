package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// ownedRoom is an open room that ada made and bob is in.
func ownedRoom(t testing.TB, n *core.Node, ada, bob core.Agent) string {
	t.Helper()
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "ops", Creator: ada.ID, WriteVisibility: "private", ReadVisibility: "private"},
		Members: []core.NewMember{member(ada), member(bob)},
	}, nil)
	require.NoError(t, err)
	return made.Room
}

func publish(t testing.TB, n *core.Node, room string, a core.Agent, topic string, tags ...string) core.Listing {
	t.Helper()
	p, err := n.PublishListing(t.Context(), room, core.PublishListing{Actor: a.ID, Topic: topic, Tags: tags}, nil)
	require.NoError(t, err)
	require.Equal(t, room, p.Room)
	return p.Listing
}

func found(n *core.Node, q string) (ids []string) {
	for _, s := range n.Listings(q, 10) {
		ids = append(ids, s.Listing.ID)
	}
	return ids
}

func join(t testing.TB, n *core.Node, listing string, a core.Agent) (core.RoomMade, error) {
	t.Helper()
	return n.ConnectListing(t.Context(), listing, core.ConnectListing{Member: member(a)}, nil)
}

// TestPublishedRoomTakesAnyNumber: who connects to the listing of an open room is a member, once.
func TestPublishedRoomTakesAnyNumber(t *testing.T) {
	n := newNode(t)
	ada, bob, cy, dan := register(t, n, "ada"), register(t, n, "bob"), register(t, n, "cy"), register(t, n, "dan")
	room := ownedRoom(t, n, ada, bob)
	l := publish(t, n, room, ada, "", "tea")
	require.Equal(t, "ops", l.Topic, "the room's name")
	require.Equal(t, []string{l.ID}, found(n, "TEA"))
	for _, a := range []core.Agent{cy, dan, cy, bob} {
		made, err := join(t, n, l.ID, a)
		require.NoError(t, err)
		require.Equal(t, core.RoomMade{Room: room, Listing: l.ID, CreatedAt: made.CreatedAt, State: core.StateActive}, made)
	}
	_, err := join(t, n, l.ID, ada)
	require.ErrorIs(t, err, core.ErrOwnListing)
	var joins []string
	for e, err := range n.HistoryOf(room).After(t.Context(), 0) {
		require.NoError(t, err)
		if p, ok := e.Payload.(*core.MemberJoinedEvent); ok {
			joins = append(joins, p.Agent)
		}
	}
	require.Equal(t, []string{ada.ID, bob.ID, cy.ID, dan.ID}, joins)
	post(t, n, room, dan, "hello")
}

// TestListingOfARoomChanges: a room has one listing, whose texts can change and which can be withdrawn.
func TestListingOfARoomChanges(t *testing.T) {
	n := newNode(t)
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room := ownedRoom(t, n, ada, bob)
	l := publish(t, n, room, ada, "tea", "a")
	before := n.Applied()
	require.Equal(t, l, publish(t, n, room, ada, "tea", "a"))
	require.Equal(t, before, n.Applied(), "the same again changes nothing")
	again := publish(t, n, room, ada, "coffee")
	require.Equal(t, l.ID, again.ID)
	require.Empty(t, found(n, "tea"))
	require.Equal(t, []string{l.ID}, found(n, "coffee"))

	withdraw := func() string {
		w, err := n.WithdrawListing(t.Context(), room, core.WithdrawListing{Actor: ada.ID}, nil)
		require.NoError(t, err)
		return w.Listing
	}
	require.Equal(t, l.ID, withdraw())
	require.Empty(t, withdraw())
	require.Empty(t, found(n, ""))
	_, err := join(t, n, l.ID, bob)
	require.ErrorIs(t, err, core.ErrNoListing)
	require.NotEqual(t, l.ID, publish(t, n, room, ada, "coffee").ID)
}

// TestWhoMayOffer: whoever may write the room, and nobody when it has ended or both its sides are taken.
func TestWhoMayOffer(t *testing.T) {
	n := newNode(t)
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room := ownedRoom(t, n, ada, bob)
	offer := func(a core.Agent, room, topic string, tags ...string) error {
		_, err := n.PublishListing(t.Context(), room, core.PublishListing{Actor: a.ID, Topic: topic, Tags: tags}, nil)
		return err
	}
	var invalid *core.InvalidError
	var long *core.TooLongError
	require.ErrorIs(t, offer(bob, room, ""), core.ErrNotAllowed)
	require.ErrorIs(t, offer(ada, "room_none", ""), core.ErrNoRoom)
	require.ErrorAs(t, offer(ada, room, string(make([]rune, core.MaxListingTopicCharacters+1))+"x"), &long)
	require.ErrorAs(t, offer(ada, room, "x", make([]string, core.MaxListingTags+1)...), &invalid)
	publish(t, n, room, ada, "")
	_, err := n.WithdrawListing(t.Context(), room, core.WithdrawListing{Actor: bob.ID}, nil)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	closeRoom(t, n, room, ada)
	require.Empty(t, found(n, ""))
	var ended *core.RoomNotActiveError
	require.ErrorAs(t, offer(ada, room, "more"), &ended)
	_, err = n.WithdrawListing(t.Context(), room, core.WithdrawListing{Actor: ada.ID}, nil)
	require.ErrorAs(t, err, &ended)

	duel, err := n.CreateListing(t.Context(), core.NewListing{Owner: member(ada), Topic: "duel", MaxTurns: 4, TTLSeconds: 60}, nil)
	require.NoError(t, err)
	_, err = n.WithdrawListing(t.Context(), duel.Room, core.WithdrawListing{Actor: ada.ID}, nil)
	require.NoError(t, err)
	_, err = join(t, n, duel.Listing, bob)
	require.ErrorIs(t, err, core.ErrNoListing)
	l := publish(t, n, duel.Room, ada, "duel again")
	require.Equal(t, 4, l.MaxTurns)
	require.InDelta(t, 59, l.TTLSeconds, 1)
	made, err := join(t, n, l.ID, bob)
	require.NoError(t, err)
	require.Equal(t, [2]string{ada.ID, bob.ID}, made.Sides)
	require.ErrorIs(t, offer(ada, duel.Room, "x"), core.ErrListingTaken)
}

// TestArchivedRoomIsNotOffered until it is shown again.
func TestArchivedRoomIsNotOffered(t *testing.T) {
	n := newNode(t)
	ada, bob, cy := register(t, n, "ada"), register(t, n, "bob"), register(t, n, "cy")
	room := ownedRoom(t, n, ada, bob)
	l := publish(t, n, room, ada, "")
	for _, archived := range []bool{true, false} {
		require.NoError(t, n.ChangeRoom(t.Context(), room, core.ChangeRoom{Actor: ada.ID, Archived: &archived}, nil))
		_, err := join(t, n, l.ID, cy)
		if archived {
			require.Empty(t, found(n, ""))
			require.ErrorIs(t, err, core.ErrNoListing)
		} else {
			require.Equal(t, []string{l.ID}, found(n, ""))
			require.NoError(t, err)
		}
	}
}

// TestConnectTellsSideA: the first speaker hears of the arrival for which it waits, whether or not it listens for others.
func TestConnectTellsSideA(t *testing.T) {
	n := newNode(t)
	ada, bob := register(t, n, "ada"), register(t, n, "bob")
	room := turnsRoom(t, n, ada, bob, 4)
	for e, err := range n.HistoryOf(room).After(t.Context(), 0) {
		require.NoError(t, err)
		if p, ok := e.Payload.(*core.MemberJoinedEvent); ok && p.Agent == bob.ID {
			require.Equal(t, []string{ada.ID}, p.Listeners)
		}
	}
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { require.Empty(t, r.Listeners) }))
}

// TestRepeatedListingCommands: a key gives the first answer again, also when the listing is gone.
func TestRepeatedListingCommands(t *testing.T) {
	n := newNode(t)
	ada, bob, cy := register(t, n, "ada"), register(t, n, "bob"), register(t, n, "cy")
	key := func(a core.Agent, value string) *core.Key { return &core.Key{Agent: a.ID, Value: value, BodyHash: "h"} }
	cmd := core.NewListing{Owner: member(ada), Topic: "duel", Tags: []string{"t"}, MaxTurns: 4, TTLSeconds: 60}
	first, err := n.CreateListing(t.Context(), cmd, key(ada, "c"))
	require.NoError(t, err)
	require.NotEmpty(t, first.HumanCode)
	again, err := n.CreateListing(t.Context(), cmd, key(ada, "c"))
	require.NoError(t, err)
	require.Empty(t, again.HumanCode, "a code is told once")
	require.Equal(t, first.RoomMade, again.RoomMade)

	room := ownedRoom(t, n, ada, bob)
	p, err := n.PublishListing(t.Context(), room, core.PublishListing{Actor: ada.ID, Topic: "x"}, key(ada, "p"))
	require.NoError(t, err)
	made, err := n.ConnectListing(t.Context(), p.Listing.ID, core.ConnectListing{Member: member(cy)}, key(cy, "j"))
	require.NoError(t, err)
	_, err = n.WithdrawListing(t.Context(), room, core.WithdrawListing{Actor: ada.ID}, nil)
	require.NoError(t, err)
	q, err := n.PublishListing(t.Context(), room, core.PublishListing{Actor: ada.ID, Topic: "x"}, key(ada, "p"))
	require.NoError(t, err)
	require.Equal(t, p, q)
	repeated, err := n.ConnectListing(t.Context(), p.Listing.ID, core.ConnectListing{Member: member(cy)}, key(cy, "j"))
	require.NoError(t, err)
	require.Equal(t, made, repeated)
	require.Empty(t, found(n, "x"))
}

// TestListingLimitsOfCreation: what no door lets in, the core does not take either.
func TestListingLimitsOfCreation(t *testing.T) {
	n := newNode(t)
	ada := register(t, n, "ada")
	for name, cmd := range map[string]core.NewListing{
		"blank topic": {Topic: " ", MaxTurns: 1, TTLSeconds: 1},
		"two lines":   {Topic: "t\nu", MaxTurns: 1, TTLSeconds: 1},
		"NUL in tag":  {Topic: "t", Tags: []string{"\x00"}, MaxTurns: 1, TTLSeconds: 1},
		"no turns":    {Topic: "t", TTLSeconds: 1},
		"no time":     {Topic: "t", MaxTurns: 1},
		"all turns":   {Topic: "t", MaxTurns: core.MaxListingTurns + 1, TTLSeconds: 1},
		"all time":    {Topic: "t", MaxTurns: 1, TTLSeconds: core.MaxListingTTLSeconds + 1},
	} {
		cmd.Owner = member(ada)
		var invalid *core.InvalidError
		_, err := n.CreateListing(t.Context(), cmd, nil)
		require.ErrorAs(t, err, &invalid, name)
	}
	cut := openNode(t, memlog.New(), core.Options{Listings: core.ListingLimits{TopicCharacters: 1 << 30, Turns: 7}}).ListingLimits()
	require.Equal(t, []int{core.MaxListingTopicCharacters, 7, core.DefaultListingTTLSeconds}, []int{cut.TopicCharacters, cut.Turns, cut.TTLSeconds})
}

// TestListingsExpireWithTheirRoom: a listing is not found when its room's time is over.
func TestListingsExpireWithTheirRoom(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	ada := register(t, n, "ada")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "r", Creator: ada.ID}, Members: []core.NewMember{member(ada)}, TTL: time.Minute,
	}, nil)
	require.NoError(t, err)
	l := publish(t, n, made.Room, ada, "x")
	require.Equal(t, 60, l.TTLSeconds)
	require.Equal(t, []string{l.ID}, found(n, ""))
	now.Advance(time.Minute + time.Second)
	require.Empty(t, found(n, ""))
	_, err = join(t, n, l.ID, register(t, n, "bob"))
	var ended *core.RoomNotActiveError
	require.ErrorAs(t, err, &ended)
}
