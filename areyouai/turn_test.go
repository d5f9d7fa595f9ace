package areyouai_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// TestReplyAfterConflict: each 409 and the 410, and how the loop goes on.
func TestReplyAfterConflict(t *testing.T) {
	first := []step{contextAt(t, 0, "agt_a", active), contextAck(0)}
	none := historyFrom(t, 0)
	mine, others := message(1, 0, "agt_a", "answer 0"), message(1, 0, "agt_b", "x")
	over := contextAt(t, 1, "", closed)
	cases := map[string]struct {
		steps []step
		given []int64
		moved int
	}{
		"mismatch, no longer the next actor": {
			[]step{refusedPost(0, 409, "turn_mismatch"), none, contextAt(t, 1, "agt_b", active), over},
			[]int64{0},
			1,
		},
		"mismatch, the next actor of a later turn gets a fresh one": {
			[]step{
				refusedPost(0, 409, "turn_mismatch"), historyFrom(t, 0, others), contextAt(t, 2, "agt_a", active), contextAck(2), post(2, closed),
			},
			[]int64{0, 2},
			1,
		},
		"mismatch, still the same turn and prompt": {
			[]step{refusedPost(0, 409, "turn_mismatch"), none, contextAt(t, 0, "agt_a", active), post(0, closed)},
			[]int64{0},
			0,
		},
		"mismatch twice": {
			[]step{
				refusedPost(0, 409, "turn_mismatch"), none, contextAt(t, 0, "agt_a", active),
				refusedPost(0, 409, "turn_mismatch"), none, over,
			},
			[]int64{0},
			1,
		},
		"mismatch, because a proxy had posted it already": {
			[]step{refusedPost(0, 409, "turn_mismatch"), historyFrom(t, 0, mine), eventsFrom(t, lifecycle(1, areyouai.EventRoomClosed)), over},
			[]int64{0},
			0,
		},
		"mismatch, and the room is purged": {
			[]step{
				refusedPost(0, 409, "turn_mismatch"), none, refuse("GET /v1/rooms/room_1/context", 410, "gone"),
				refuse("GET /v1/rooms/room_1/context", 410, "gone"),
			},
			[]int64{0},
			1,
		},
		"stale hash": {
			[]step{refusedPost(0, 409, "stale_bundle_hash"), none, contextAt(t, 2, "agt_a", active), contextAck(2), post(2, closed)},
			[]int64{0, 2},
			1,
		},
		"stale hash, and the same turn is offered afresh": {
			[]step{refusedPost(0, 409, "stale_bundle_hash"), none, contextAt(t, 0, "agt_a", active), contextAck(0), post(0, closed)},
			[]int64{0, 0},
			1,
		},
		"not active": {
			[]step{
				refusedPost(0, 409, "room_not_active"), none, contextAt(t, 0, "agt_a", areyouai.StateOpen),
				eventsFrom(t, lifecycle(1, areyouai.EventRoomStateChanged)), contextAt(t, 0, "agt_a", active), contextAck(0), post(0, closed),
			},
			[]int64{0, 0},
			1,
		},
		"gone": {
			[]step{refusedPost(0, 410, "gone"), none, over},
			[]int64{0},
			1,
		},
		"gone, and the history with it": {
			[]step{
				refusedPost(0, 410, "gone"), refuse("GET /v1/rooms/room_1/events/history?limit=200&since=0", 410, "gone"),
				stateAt(t, 0, "", areyouai.StatePurged), contextAt(t, 0, "", areyouai.StatePurged),
			},
			[]int64{0},
			1,
		},
		"too fast": {
			[]step{refusedPost(0, 429, "rate_limited"), refusedPost(0, 429, "rate_limited"), post(0, closed)},
			[]int64{0},
			0,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, _ := play(t, turnOptions(), append(first[:2:2], c.steps...)...)
			given, moved, err := talk(t.Context(), client)
			require.NoError(t, err)
			require.Equal(t, c.given, given)
			require.Equal(t, c.moved, moved)
		})
	}
}

// TestReplyInDoubt: after a failure that hides what the server did, the
// history decides; every attempt is the same request with the same key.
func TestReplyInDoubt(t *testing.T) {
	lost, mine := posted(0), message(1, 0, "agt_a", "answer 0")
	lost.cut = true
	page := posted(0)
	page.answer = "<html>"
	none := historyFrom(t, 0)
	history := none.want
	ended := []step{eventsFrom(t, lifecycle(1, areyouai.EventRoomClosed)), contextAt(t, 1, "", closed)}
	cases := map[string]struct {
		steps []step
		moved int
	}{
		"it had arrived":                 {append([]step{lost, historyFrom(t, 0, mine)}, ended...), 0},
		"it had arrived, says page two":  {append([]step{lost, historyFrom(t, 0, lifecycle(1, areyouai.EventRoomCreated)), historyFrom(t, 1, message(2, 0, "agt_a", "answer 0"))}, ended...), 0},
		"it had not":                     {[]step{lost, none, post(0, closed)}, 0},
		"it arrived late":                {append([]step{lost, none, refusedPost(0, 409, "turn_mismatch"), historyFrom(t, 0, mine)}, ended...), 0},
		"it closed the room":             {append([]step{lost, none, refusedPost(0, 410, "gone"), historyFrom(t, 0, mine)}, ended...), 0},
		"an error that had committed":    {append([]step{refusedPost(0, 500, "internal_error"), historyFrom(t, 0, mine)}, ended...), 0},
		"an answer nobody understands":   {append([]step{page, historyFrom(t, 0, mine)}, ended...), 0},
		"somebody else had the turn":     {[]step{lost, historyFrom(t, 0, message(1, 0, "agt_b", "answer 0")), contextAt(t, 1, "", closed)}, 1},
		"another text had the turn":      {[]step{lost, historyFrom(t, 0, message(1, 0, "agt_a", "x")), contextAt(t, 1, "", closed)}, 1},
		"the history stumbles too":       {[]step{lost, {want: history, cut: true}, refuse(history, 503, "internal_error"), none, post(0, closed)}, 0},
		"no history, and the turn is on": {[]step{lost, refuse(history, 401, "unauthorized"), stateAt(t, 1, "agt_b", active), contextAt(t, 1, "", closed)}, 1},
		"no history, and the turn is free": {
			[]step{lost, refuse(history, 401, "unauthorized"), stateAt(t, 0, "agt_a", active), post(0, closed)}, 0,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, _ := play(t, turnOptions(), append([]step{contextAt(t, 0, "agt_a", active), contextAck(0)}, c.steps...)...)
			given, moved, err := talk(t.Context(), client)
			require.NoError(t, err)
			require.Equal(t, []int64{0}, given)
			require.Equal(t, c.moved, moved)
		})
	}
	t.Run("nothing tells", func(t *testing.T) {
		client, _ := play(t, turnOptions(), contextAt(t, 0, "agt_a", active), contextAck(0), page, none)
		_, _, err := talk(t.Context(), client)
		require.ErrorContains(t, err, "reply")
	})
	t.Run("a history that goes round", func(t *testing.T) {
		client, _ := play(t, turnOptions(), contextAt(t, 0, "agt_a", active), contextAck(0), lost,
			historyFrom(t, 0, lifecycle(1, areyouai.EventRoomCreated), lifecycle(1, areyouai.EventRoomCreated)))
		_, _, err := talk(t.Context(), client)
		var fe *areyouai.FrameError
		require.ErrorAs(t, err, &fe)
	})
}

// TestReplyOnce: a turn takes one message; a refused text may be followed by
// another.
func TestReplyOnce(t *testing.T) {
	big := refusedPost(0, 413, "payload_too_large")
	big.body = `{"expected_turn":0,"ciphertext":"too long","bundle_hash":"h0"}`
	c, _ := play(t, turnOptions(), contextAt(t, 0, "agt_a", active), contextAck(0), big, post(0, closed))
	for turn, err := range c.Turns(t.Context(), "room_1") {
		require.NoError(t, err)
		require.ErrorIs(t, turn.Reply(t.Context(), "too long"), areyouai.CodePayloadTooLarge)
		require.NoError(t, turn.Reply(t.Context(), "answer 0"))
		require.ErrorIs(t, turn.Reply(t.Context(), "answer 0"), areyouai.ErrTurnMoved)
	}
}

// TestMovedErrorNamesTheCode lets an agent tell the reasons apart.
func TestMovedErrorNamesTheCode(t *testing.T) {
	c, _ := play(t, turnOptions(), contextAt(t, 0, "agt_a", active), contextAck(0), refusedPost(0, 409, "stale_bundle_hash"), historyFrom(t, 0))
	for turn, err := range c.Turns(t.Context(), "room_1") {
		require.NoError(t, err)
		err = turn.Reply(t.Context(), "answer 0")
		require.ErrorIs(t, err, areyouai.ErrTurnMoved)
		require.ErrorIs(t, err, areyouai.CodeStaleBundleHash)
		break
	}
}

// TestReplyWaits: 1, 2, 4 s, never less than the server asked for; the end of
// the context ends the wait.
func TestReplyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var slept []time.Duration
	opt := turnOptions()
	opt.Rand = func() float64 { return 0 }
	opt.Sleep = func(_ context.Context, d time.Duration) error {
		if slept = append(slept, d); len(slept) == 3 {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	busy := refusedPost(0, 429, "rate_limited")
	slow := refusedPost(0, 429, "rate_limited")
	slow.header = map[string]string{"Retry-After": "30"}
	c, _ := play(t, opt, contextAt(t, 0, "agt_a", active), contextAck(0), busy, slow, busy)
	_, _, err := talk(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []time.Duration{time.Second, 30 * time.Second, 4 * time.Second}, slept)
}

// TestStaleForEver: a room whose hash never holds is not hammered.
func TestStaleForEver(t *testing.T) {
	var slept []time.Duration
	opt := turnOptions()
	opt.Rand = func() float64 { return 0 }
	opt.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
	var steps []step
	for range 5 {
		steps = append(steps, contextAt(t, 0, "agt_a", active), contextAck(0), refusedPost(0, 409, "stale_bundle_hash"), historyFrom(t, 0))
	}
	c, _ := play(t, opt, append(steps, contextAt(t, 0, "", closed))...)
	_, moved, err := talk(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 5, moved)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}, slept)
}

// TestTurnsWithARoomToken: a bound client speaks with its token and listens
// with its session.
func TestTurnsWithARoomToken(t *testing.T) {
	opt := turnOptions()
	opt.Now = func() time.Time { return at(0).Time }
	bearer := func(st step, token string) step { st.bearer = token; return st }
	c, _ := play(t, opt,
		mint("rat_1", at(300)),
		bearer(contextAt(t, 0, "agt_b", active), "rat_1"), bearer(contextAck(0), "rat_1"),
		bearer(eventsFrom(t, message(1, 0, "agt_b", "x")), "as_1"),
		bearer(contextAt(t, 1, "agt_a", active), "rat_1"), bearer(contextAck(1), "rat_1"), bearer(post(1, closed), "rat_1"),
	)
	given, _, err := talk(t.Context(), c.ForRoom("room_1"))
	require.NoError(t, err)
	require.Equal(t, []int64{1}, given)
}
