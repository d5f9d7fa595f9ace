package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func never(string, string, string) bool { return false }

// hook gives an agent a webhook.
func hook(t *testing.T, n *core.Node, agent core.Agent, enabled bool) core.Webhook {
	t.Helper()
	w, err := n.AddWebhook(t.Context(), agent.ID, core.Webhook{
		ID: n.NewWebhookID(), URL: "https://example.org/" + agent.Handle, Secret: "sealed", KeyID: "v1", Enabled: enabled,
	})
	require.NoError(t, err)
	return w
}

// due is what is to be sent now.
func due(n *core.Node) []core.Sending {
	out, _ := n.DueCallbacks(100, never)
	return out
}

// settle claims the only callback that is due and ends the attempt.
func settle(t *testing.T, n *core.Node, outcome core.WebhookOutcome, again time.Time) core.Callback {
	t.Helper()
	all := due(n)
	require.Len(t, all, 1)
	mine, err := n.Claim(t.Context(), all[0])
	require.NoError(t, err)
	require.True(t, mine)
	require.NoError(t, n.Settle(t.Context(), all[0], core.WebhookSettledEvent{Outcome: outcome, Again: again}))
	return all[0].Callback
}

func kinds(list []core.Callback) (out []core.Kind) {
	for _, c := range list {
		out = append(out, c.Event)
	}
	return out
}

// TestCallbacksTellEverybodyElse follows a room's life in the outboxes of its two speakers.
func TestCallbacksTellEverybodyElse(t *testing.T) {
	clock := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: clock.Now, Purge: core.PurgePolicy{Grace: time.Minute}})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, a, true)
	hook(t, n, b, false)
	room := turnsRoom(t, n, a, b, 3)
	var told []core.Callback
	drain := func() {
		for len(due(n)) > 0 {
			told = append(told, settle(t, n, core.WebhookDelivered, time.Time{}))
		}
	}
	drain()
	post(t, n, room, a, "one")
	drain()
	post(t, n, room, b, "two")
	drain()
	post(t, n, room, a, "three")
	drain()
	clock.Advance(time.Hour)
	_, err := n.Purge(t.Context(), room)
	require.NoError(t, err)
	drain()
	require.Equal(t, []core.Kind{core.MemberJoined, core.MessagePosted, core.RoomPurged}, kinds(told),
		"an agent is not told of what it did itself, and a webhook that is not enabled of nothing")
	require.Equal(t, []any{core.StateActive, 0, a.ID, b.ID}, []any{told[0].State, told[0].Turn, told[0].Next, told[0].Other})
	require.Equal(t, []any{core.StateActive, 2, a.ID}, []any{told[1].State, told[1].Turn, told[1].Next})
	require.Equal(t, []any{core.StatePurged, ""}, []any{told[2].State, told[2].Next})
}

// TestCallbacksKeepTheirOrder: what waits behind a failed attempt goes out after it, in its own room only.
func TestCallbacksKeepTheirOrder(t *testing.T) {
	clock := newClock()
	log := memlog.New()
	n := openNode(t, log, core.Options{Now: clock.Now})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	first, second := turnsRoom(t, n, a, b, 0), turnsRoom(t, n, a, b, 0)
	post(t, n, first, a, "one")
	again := clock.Now().Add(5 * time.Second)
	failed := settle(t, n, core.WebhookDeferred, again)
	post(t, n, first, b, "own")
	post(t, n, first, a, "two")
	require.Empty(t, due(n), "the first waits for its next attempt, and the second for the first")
	post(t, n, second, a, "elsewhere")
	require.Equal(t, second, settle(t, n, core.WebhookDelivered, time.Time{}).Room)
	_, next := n.DueCallbacks(100, never)
	require.Equal(t, again, next)
	clock.Advance(5 * time.Second)
	repeated := settle(t, n, core.WebhookDelivered, time.Time{})
	require.Equal(t, failed.Position, repeated.Position)
	require.Equal(t, 1, repeated.Attempt)
	require.Equal(t, 2, settle(t, n, core.WebhookDead, time.Time{}).Turn-1)
	require.Empty(t, due(n))
}

// TestClaimIsExclusive: of two that saw the same callback one may send it, also when the other's attempt is over by then.
func TestClaimIsExclusive(t *testing.T) {
	clock := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: clock.Now})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	post(t, n, turnsRoom(t, n, a, b, 0), a, "one")
	seen := due(n)[0]
	claim := func() bool {
		mine, err := n.Claim(t.Context(), seen)
		require.NoError(t, err)
		return mine
	}
	require.True(t, claim())
	require.False(t, claim())
	require.Empty(t, due(n))
	clock.Advance(core.WebhookClaim)
	taken := due(n)
	require.Len(t, taken, 1, "a claim of a node that died is taken over")
	require.Equal(t, 1, taken[0].Callback.Attempt)
	mine, err := n.Claim(t.Context(), taken[0])
	require.NoError(t, err)
	require.True(t, mine)
	require.NoError(t, n.Settle(t.Context(), seen, core.WebhookSettledEvent{Outcome: core.WebhookDead}))
	clock.Advance(core.WebhookClaim)
	require.Len(t, due(n), 1, "the outcome of an attempt that was taken over counts for nothing")
	require.NoError(t, n.Settle(t.Context(), taken[0], core.WebhookSettledEvent{Outcome: core.WebhookDelivered}))
	require.Empty(t, due(n))
	require.False(t, claim(), "it is settled")
}

// TestOutboxSurvives: what waits, and how often it was tried, is the same after a restart.
func TestOutboxSurvives(t *testing.T) {
	for name, snaps := range map[string]core.Snapshots{"from the log": nil, "from a snapshot": memlog.NewSnapshots()} {
		t.Run(name, func(t *testing.T) {
			clock, log := newClock(), memlog.New()
			t.Cleanup(func() { require.NoError(t, log.Close()) })
			opts := core.Options{Now: clock.Now, Snapshots: snaps}
			n, err := core.Open(t.Context(), log, opts)
			require.NoError(t, err)
			a, b := register(t, n, "ada"), register(t, n, "bert")
			gone, kept := hook(t, n, b, true), hook(t, n, b, true)
			room := turnsRoom(t, n, a, b, 0)
			post(t, n, room, a, "one")
			require.Len(t, due(n), 2)
			require.ErrorIs(t, n.RemoveWebhook(t.Context(), a.ID, gone.ID), core.ErrNoWebhook, "another agent's")
			require.NoError(t, n.RemoveWebhook(t.Context(), b.ID, gone.ID))
			settle(t, n, core.WebhookDeferred, clock.Now())
			settle(t, n, core.WebhookDeferred, clock.Now())
			before := due(n)
			require.NoError(t, n.Close(context.Background()))

			n, err = core.Open(t.Context(), log, opts)
			require.NoError(t, err)
			defer func() { require.NoError(t, n.Close(context.Background())) }()
			require.Equal(t, before, due(n))
			require.Equal(t, []core.Webhook{kept}, n.Webhooks(b.ID))
			require.Equal(t, 2, settle(t, n, core.WebhookDelivered, time.Time{}).Attempt)
			require.NoError(t, n.Settle(t.Context(), before[0], core.WebhookSettledEvent{Outcome: core.WebhookDelivered}))
		})
	}
}

// TestUncountedAttempt: one that the gateway itself cut off may be made again at once, as if it had not been.
func TestUncountedAttempt(t *testing.T) {
	clock := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: clock.Now})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	post(t, n, turnsRoom(t, n, a, b, 0), a, "one")
	s := due(n)[0]
	_, err := n.Claim(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, n.Settle(t.Context(), s, core.WebhookSettledEvent{
		Outcome: core.WebhookDeferred, Again: clock.Now(), Uncounted: true,
	}))
	require.Equal(t, []core.Sending{{Agent: b.ID, Webhook: s.Webhook, Callback: func() core.Callback {
		c := s.Callback
		c.Due = clock.Now()
		return c
	}()}}, due(n))
	require.Zero(t, settle(t, n, core.WebhookDelivered, time.Time{}).Attempt)
}

// TestWebhooksEndWithTheirAgent: neither the webhooks of a deleted agent nor what they were to be told stays.
func TestWebhooksEndWithTheirAgent(t *testing.T) {
	n := newNode(t)
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	post(t, n, turnsRoom(t, n, a, b, 0), a, "one")
	require.Len(t, due(n), 1)
	require.NoError(t, n.DeleteAgent(t.Context(), b.ID))
	require.Empty(t, due(n))
	require.Empty(t, n.Webhooks(b.ID))
	for range core.MaxWebhooks {
		hook(t, n, a, true)
	}
	var full *core.InvalidError
	_, err := n.AddWebhook(t.Context(), a.ID, core.Webhook{ID: "one too many"})
	require.ErrorAs(t, err, &full)
}

// TestCallbacksOfAnAgentAreBounded: however many webhooks an agent has, no more wait for it than for one, and the newest stay.
func TestCallbacksOfAnAgentAreBounded(t *testing.T) {
	n := newNode(t)
	a, b := register(t, n, "ada"), register(t, n, "bert")
	var one string
	for range core.MaxWebhooks {
		one = hook(t, n, b, true).ID
	}
	room, share := openRoom(t, n, a, b), core.MaxCallbacks/core.MaxWebhooks
	for range share + 10 {
		post(t, n, room, a, "well")
	}
	var turns []int
	for {
		all, _ := n.DueCallbacks(1, func(_, webhook, _ string) bool { return webhook != one })
		if len(all) == 0 {
			break
		}
		mine, err := n.Claim(t.Context(), all[0])
		require.NoError(t, err)
		require.True(t, mine)
		require.NoError(t, n.Settle(t.Context(), all[0], core.WebhookSettledEvent{Outcome: core.WebhookDelivered}))
		turns = append(turns, all[0].Callback.Turn)
	}
	require.Len(t, turns, share)
	require.Equal(t, []int{11, share + 10}, []int{turns[0], turns[share-1]})
}

// TestNextAttemptIsKnownBesideOneThatIsDue: what is due in one room hides from nobody when the next attempt in another is.
func TestNextAttemptIsKnownBesideOneThatIsDue(t *testing.T) {
	clock := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: clock.Now})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	first, second := turnsRoom(t, n, a, b, 0), turnsRoom(t, n, a, b, 0)
	post(t, n, first, a, "one")
	again := clock.Now().Add(5 * time.Second)
	settle(t, n, core.WebhookDeferred, again)
	post(t, n, second, a, "one")
	all, next := n.DueCallbacks(100, never)
	require.Len(t, all, 1)
	require.Equal(t, again, next)
}
