package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestTrafficCountsMessagesByTheMinute(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	require.Equal(t, core.Traffic{At: now.Now()}, n.Traffic(), "nothing was said, and that is known of the whole hour")

	for i := range 3 {
		post(t, n, room, alice, numbered(i, i+1)[0])
	}
	now.Advance(59 * time.Minute)
	post(t, n, room, alice, "the last")
	want := [60]int{0: 3, 59: 1}
	require.Equal(t, want, n.Traffic().Messages)

	// Whoever starts later counts by the events' own times.
	again := openNode(t, log, core.Options{Now: now.Now, NodeID: "again"})
	require.Equal(t, want, again.Traffic().Messages)
	require.Zero(t, again.Traffic().Since)

	now.Advance(time.Minute)
	require.Equal(t, [60]int{58: 1}, n.Traffic().Messages, "what is older than an hour is gone")
	now.Advance(24 * time.Hour)
	require.Equal(t, [60]int{}, n.Traffic().Messages, "a minute of another day is another minute")
	post(t, n, room, alice, "a day later")
	require.Equal(t, [60]int{59: 1}, n.Traffic().Messages)
}

func TestTrafficSaysSinceWhenItCounts(t *testing.T) {
	log, now, snaps := memlog.New(), newClock(), memlog.NewSnapshots()
	o := core.Options{Now: now.Now, Snapshots: snaps}
	n, err := core.Open(t.Context(), log, o)
	require.NoError(t, err)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	post(t, n, room, alice, "before")
	require.NoError(t, n.Close(t.Context()))

	now.Advance(10 * time.Minute)
	started := now.Now()
	n = openNode(t, log, o)
	now.Advance(time.Minute)
	post(t, n, room, alice, "after")
	got := n.Traffic()
	require.Equal(t, [60]int{59: 1}, got.Messages, "what lies before the stored state is not read again")
	require.Equal(t, started, got.Since)
	now.Advance(time.Hour)
	require.Zero(t, n.Traffic().Since, "an hour later it knows the whole hour")
}

func TestTrafficCountsCallbacksThatWereGivenUp(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	hook, err := n.AddWebhook(t.Context(), bob.ID, core.Webhook{ID: n.NewWebhookID(), URL: "https://bob.example", Enabled: true})
	require.NoError(t, err)
	room := openRoom(t, n, alice, bob)
	post(t, n, room, alice, "one")
	post(t, n, room, alice, "two")
	waiting := n.CallbacksWaiting(bob.ID)
	require.Positive(t, waiting)
	require.Zero(t, n.CallbacksWaiting(alice.ID))
	for _, outcome := range []core.WebhookOutcome{core.WebhookDead, core.WebhookDelivered} {
		due, _ := n.DueCallbacks(1, func(string, string, string) bool { return false })
		require.Len(t, due, 1)
		require.Equal(t, hook.ID, due[0].Webhook.ID)
		mine, err := n.Claim(t.Context(), due[0])
		require.NoError(t, err)
		require.True(t, mine)
		require.NoError(t, n.Settle(t.Context(), due[0], core.WebhookSettledEvent{Outcome: outcome}))
	}
	require.Equal(t, 1, n.Traffic().GivenUp)
	require.Equal(t, waiting-2, n.CallbacksWaiting(bob.ID))
	now.Advance(time.Hour)
	require.Zero(t, n.Traffic().GivenUp)
}

func TestLatencyIsThatOfWhatServes(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	post(t, n, room, alice, "old")
	now.Advance(time.Hour)

	served, looking := n.NewAgentReader(bob.ID, 0), n.NewAgentReader(bob.ID, 0)
	defer served.Close()
	defer looking.Close()
	served.Serve(bob.ID, "switch", "c-1")
	take(t, served, 1)
	require.Zero(t, n.Latency(), "what is caught up on was not late")

	for i, late := range []time.Duration{5, 5, 5, 40} {
		post(t, n, room, alice, numbered(i, i+1)[0])
		now.Advance(late * time.Millisecond)
		take(t, served, 1)
	}
	want := core.Latency{Deliveries: 4, Median: 5 * time.Millisecond, P95: 5 * time.Millisecond}
	require.Equal(t, want, n.Latency())
	for range 20 {
		post(t, n, room, alice, "m")
		now.Advance(40 * time.Millisecond)
		take(t, served, 1)
	}
	require.Equal(t, core.Latency{Deliveries: 24, Median: 40 * time.Millisecond, P95: 40 * time.Millisecond}, n.Latency())

	take(t, looking, 25)
	require.Equal(t, 24, n.Latency().Deliveries, "a reader that serves nobody delivers nothing")
	now.Advance(time.Hour)
	served.Seek(0)
	take(t, served, 25)
	require.Equal(t, 24, n.Latency().Deliveries, "nothing is delivered twice")
}

func TestLatencyIsOfTheNewestDeliveries(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	r := n.NewRoomReader(room, n.Applied())
	defer r.Close()
	r.Serve("", "edge", room)
	send := func(count int, late time.Duration) {
		for range count {
			post(t, n, room, alice, "m")
		}
		now.Advance(late)
		take(t, r, count)
	}
	send(500, time.Minute)
	send(4096, time.Second)
	require.Equal(t, core.Latency{Deliveries: 4096, Median: time.Second, P95: time.Second}, n.Latency())
}
