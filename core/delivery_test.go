package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// summarised is a delivery without what a test cannot foresee.
type summarised struct {
	Kind   core.DeliveryKind
	Room   string
	Turn   int
	Next   string
	Reason string
}

func summarise(waiting []core.Delivery) []summarised {
	out := make([]summarised, 0, len(waiting))
	for _, d := range waiting {
		out = append(out, summarised{d.Kind, d.Room, d.Turn, d.Next, d.Reason})
	}
	return out
}

func turn(room string, turn int, next core.Agent, reason string) summarised {
	return summarised{core.TurnReady, room, turn, next.ID, reason}
}

func closed(room, reason string) summarised {
	return summarised{Kind: core.RoomWasClosed, Room: room, Reason: reason}
}

// waits asserts what waits for an agent, oldest first, and returns it.
func waits(t testing.TB, n *core.Node, a core.Agent, want ...summarised) []core.Delivery {
	t.Helper()
	got := n.Waiting(t.Context(), a.ID)
	require.Equal(t, append([]summarised{}, want...), summarise(got))
	return got
}

func TestDeliveryIDNamesItsReceiver(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 20)
	_, _, err := n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: bob.ID}, nil)
	require.NoError(t, err)
	forAlice, forBob := waits(t, n, alice, closed(room, "manual_close"))[0], waits(t, n, bob, closed(room, "manual_close"))[0]
	require.Equal(t, forAlice.Position, forBob.Position, "both hear of one event")
	id := forAlice.ID(alice.ID)
	require.NotEqual(t, id, forBob.ID(bob.ID))
	require.Equal(t, id, forAlice.ID(alice.ID))
	require.Regexp(t, `^dly_[A-Za-z0-9_-]{28}$`, id, "it becomes a file's name at clients")

	for name, other := range map[string]string{
		"empty": "", "bare prefix": "dly_", "no prefix": strings.TrimPrefix(id, "dly_"), "cut": id[:len(id)-1],
		"longer": id + "A", "another agent's": forBob.ID(bob.ID), "not base64": "dly_" + strings.Repeat("!", 28),
		"another place": id[:13] + otherThan(id[13]) + id[14:], "invented": "dly_" + strings.Repeat("A", 28),
	} {
		require.ErrorIs(t, n.Acknowledge(t.Context(), alice.ID, other), core.ErrNoDelivery, name)
		require.False(t, n.Acknowledged(alice.ID, other), name)
	}
	waits(t, n, alice, closed(room, "manual_close"))
	require.NoError(t, n.Acknowledge(t.Context(), alice.ID, id))
	waits(t, n, alice)
	waits(t, n, bob, closed(room, "manual_close"))
}

// otherThan is one of two characters of an id.
func otherThan(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// TestDeliveryOfALaterTime: an id from a place that the log has not reached was made by nobody.
func TestDeliveryOfALaterTime(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	future := core.Delivery{Position: n.Applied() + 1, At: n.Now()}
	require.ErrorIs(t, n.Acknowledge(t.Context(), alice.ID, future.ID(alice.ID)), core.ErrNoDelivery)
}

// TestDeliveryOfAnImpossibleTime: whoever knows how ids are made can write a time into one that no delivery can have, up to
// some that no log can hold. A clock that was set back a little is no reason to refuse an honest one.
func TestDeliveryOfAnImpossibleTime(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 20)
	made := waits(t, n, alice, turn(room, 0, alice, "room_activated"))[0]
	head := n.Applied()
	for name, invented := range map[string]core.Delivery{
		"no place":            {At: made.At},
		"after a whole life":  {Position: made.Position, At: now.Now().Add(core.DeliveryLife + time.Millisecond)},
		"in the year 9999":    {Position: made.Position, At: time.Date(9999, time.December, 31, 23, 59, 0, 0, time.UTC)},
		"in the last of them": {Position: 1, At: time.UnixMilli(1<<48 - 1)},
	} {
		require.ErrorIs(t, n.Acknowledge(t.Context(), alice.ID, invented.ID(alice.ID)), core.ErrNoDelivery, name)
	}
	require.Equal(t, head, n.Applied())
	now.Advance(-core.DeliveryLife / 2)
	require.NoError(t, n.Acknowledge(t.Context(), alice.ID, made.ID(alice.ID)))
	waits(t, n, alice)
}

func TestAcksAreRemembered(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 20)
	first := waits(t, n, alice, turn(room, 0, alice, "room_activated"))[0].ID(alice.ID)
	require.False(t, n.Acknowledged(alice.ID, first), "not yet")
	require.NoError(t, n.Acknowledge(t.Context(), alice.ID, first))
	require.True(t, n.Acknowledged(alice.ID, first))
	head := n.Applied()
	require.NoError(t, n.Acknowledge(t.Context(), alice.ID, first))
	require.Equal(t, head, n.Applied(), "the repeat changes nothing")

	// One that was withdrawn, and that the agent may have received before, is acknowledged like any other.
	post(t, n, room, alice, "hello")
	withdrawn := waits(t, n, bob, turn(room, 1, bob, "peer_message"))[0].ID(bob.ID)
	post(t, n, room, bob, "hello")
	waits(t, n, bob)
	require.NoError(t, n.Acknowledge(t.Context(), bob.ID, withdrawn))
	require.True(t, n.Acknowledged(bob.ID, withdrawn))

	// So is one that expired, but nobody can go on after it any more.
	expired := waits(t, n, alice, turn(room, 2, alice, "peer_message"))[0].ID(alice.ID)
	now.Advance(core.DeliveryLife)
	waits(t, n, alice)
	head = n.Applied()
	require.NoError(t, n.Acknowledge(t.Context(), alice.ID, expired))
	require.Equal(t, head, n.Applied())
	require.False(t, n.Acknowledged(alice.ID, expired))
	require.False(t, n.Acknowledged(alice.ID, first), "its time is over too")
}

// TestManyAcks: the newest are remembered, and no more than some hundreds.
func TestManyAcks(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 1000)
	var ids []string
	for range 300 {
		id := n.Waiting(t.Context(), alice.ID)[0].ID(alice.ID)
		require.NoError(t, n.Acknowledge(t.Context(), alice.ID, id))
		ids = append(ids, id)
		post(t, n, room, alice, "tick")
		post(t, n, room, bob, "tock")
	}
	require.True(t, n.Acknowledged(alice.ID, ids[299]))
	require.True(t, n.Acknowledged(alice.ID, ids[300-256]))
	require.False(t, n.Acknowledged(alice.ID, ids[0]))
}

// TestADeletedAgentIsToldNothing: it leaves its rooms after its end, and what ends with that concerns the other one.
func TestADeletedAgentIsToldNothing(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 20)
	require.NoError(t, n.DeleteAgent(t.Context(), alice.ID))
	waits(t, n, alice)
	waits(t, n, bob, closed(room, "manual_close"))
	require.Error(t, n.Acknowledge(t.Context(), alice.ID, "dly_"))
}
