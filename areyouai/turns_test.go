package areyouai_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// hashOf is the bundle hash that the tests' room has at a turn.
func hashOf(turn int64) string { return fmt.Sprintf("h%d", turn) }

// contextAt is the context of a turn. A server that follows the contract to
// the letter has no state in it.
func contextAt(t testing.TB, turn int64, actor string, state areyouai.RoomState) step {
	c := areyouai.NewContextReply("room_1", turn, actor)
	c.BundleHash, c.PromptBundleText, c.State = hashOf(turn), fmt.Sprintf("prompt %d", turn), state
	return step{want: "GET /v1/rooms/room_1/context", answer: reply(t, c)}
}

func stateAt(t testing.TB, turn int64, actor string, state areyouai.RoomState) step {
	return step{
		want:   "GET /v1/rooms/room_1/state",
		answer: reply(t, areyouai.RoomReply{ID: "room_1", State: state, TurnIndex: turn, NextTurn: turn, NextActorID: actor}),
	}
}

func contextAck(turn int64) step {
	return step{
		want: "POST /v1/rooms/room_1/context/ack", body: fmt.Sprintf(`{"turn_index":%d}`, turn),
		answer: fmt.Sprintf(`{"room_id":"room_1","agent_id":"agt_a","turn_index":%d}`, turn),
	}
}

// post is the step of an accepted reply.
func post(turn int64, state areyouai.RoomState) step {
	st := posted(turn)
	st.status = 201
	st.answer = fmt.Sprintf(`{"message_id":"msg_%d","turn":%d,"next_turn":%d,"room_state":%q,"bundle_hash":%q}`, turn, turn, turn+1, state, hashOf(turn))
	return st
}

// posted is the request of a reply, yet without an answer.
func posted(turn int64) step {
	return step{
		want: "POST /v1/rooms/room_1/messages", key: "key-1",
		body: fmt.Sprintf(`{"expected_turn":%d,"ciphertext":"answer %d","bundle_hash":%q}`, turn, turn, hashOf(turn)),
	}
}

func refusedPost(turn int64, status int, code areyouai.Code) step {
	st := posted(turn)
	r := refuse("", status, code)
	st.status, st.answer = r.status, r.answer
	return st
}

// overtaken is a reply that others came before, so that the room is at the turn now; the refusal carries its context.
func overtaken(t testing.TB, turn, now int64) step {
	st := posted(turn)
	fresh := areyouai.NewContextReply("room_1", now, "agt_a")
	fresh.BundleHash, fresh.State = hashOf(now), areyouai.StateActive
	refusal := *areyouai.NewError(areyouai.CodeTurnMismatch)
	refusal.Context = &fresh
	st.status, st.answer = 409, reply(t, &refusal)
	return st
}

func message(id, turn int64, sender, text string) areyouai.Event {
	return areyouai.NewMessageEvent(id, "room_1", fmt.Sprintf("msg_%d", turn), sender, turn, text, at(0))
}

func lifecycle(id int64, typ areyouai.EventType) areyouai.Event {
	return areyouai.NewRoomEvent(id, typ, "room_1", "agt_a", at(0))
}

// eventsFrom is the room's stream, held open after its events.
func eventsFrom(t testing.TB, events ...areyouai.Event) step {
	var text string
	for _, ev := range events {
		text += frame(t, ev)
	}
	return held(stream("?since=0", "", text))
}

func historyFrom(t testing.TB, since int64, events ...areyouai.Event) step {
	return step{
		want:   fmt.Sprintf("GET /v1/rooms/room_1/events/history?limit=200&since=%d", since),
		answer: reply(t, areyouai.NewHistoryReply("room_1", since, events)),
	}
}

func turnOptions() areyouai.ClientOptions {
	opt := session
	opt.NewKey = func() string { return "key-1" }
	return opt
}

// talk answers every turn and returns the turns it was given.
func talk(ctx context.Context, c *areyouai.Client) (given []int64, moved int, err error) {
	for turn, err := range c.Turns(ctx, "room_1") {
		if err != nil {
			return given, moved, err
		}
		given = append(given, turn.Index)
		err = turn.Reply(ctx, fmt.Sprintf(" answer %d\n", turn.Index))
		if errors.Is(err, areyouai.ErrTurnMoved) {
			moved++
		} else if err != nil {
			return given, moved, err
		}
	}
	return given, moved, nil
}

const (
	active = areyouai.StateActive
	closed = areyouai.StateClosed
)

func TestTurns(t *testing.T) {
	created, joined := lifecycle(1, areyouai.EventRoomCreated), lifecycle(2, areyouai.EventRoomJoined)
	changed := lifecycle(3, areyouai.EventRoomStateChanged)
	cases := map[string]struct {
		steps []step
		want  []int64
	}{
		"two turns and the end": {
			[]step{
				contextAt(t, 0, "agt_a", active), contextAck(0), post(0, active),
				eventsFrom(t, created, joined, message(3, 0, "agt_a", "answer 0"), message(4, 1, "agt_b", "x"), message(5, 2, "agt_a", "answer 2"), message(6, 3, "agt_b", "y"), lifecycle(7, areyouai.EventRoomClosed)),
				contextAt(t, 2, "agt_a", active), contextAck(2), post(2, active),
				contextAt(t, 4, "", closed),
			},
			[]int64{0, 2},
		},
		"the last message ends it at once": {
			[]step{contextAt(t, 0, "agt_a", active), contextAck(0), post(0, closed)},
			[]int64{0},
		},
		"the state is asked for where the context has none": {
			[]step{
				contextAt(t, 0, "agt_a", ""), stateAt(t, 0, "agt_a", areyouai.StateOpen),
				eventsFrom(t, created, joined, changed),
				contextAt(t, 0, "agt_a", ""), stateAt(t, 0, "agt_a", active), contextAck(0), post(0, closed),
			},
			[]int64{0},
		},
		"the peer speaks first": {
			[]step{
				contextAt(t, 0, "agt_b", active), contextAck(0),
				eventsFrom(t, created, joined, changed, message(4, 0, "agt_b", "x")),
				contextAt(t, 0, "agt_b", active),
				contextAt(t, 1, "agt_a", active), contextAck(1), post(1, closed),
			},
			[]int64{1},
		},
		"old messages are no news": {
			[]step{
				contextAt(t, 2, "agt_b", active), contextAck(2),
				eventsFrom(t, message(1, 0, "agt_b", "x"), message(2, 1, "agt_a", "x"), message(3, 2, "agt_b", "x")),
				contextAt(t, 3, "agt_a", active), contextAck(3), post(3, closed),
			},
			[]int64{3},
		},
		"a room that is over gives no turn": {[]step{contextAt(t, 4, "", closed)}, nil},
		"nor one that is gone":              {[]step{refuse("GET /v1/rooms/room_1/context", 410, "gone")}, nil},
		"closed while waiting": {
			[]step{
				contextAt(t, 0, "agt_b", active), contextAck(0),
				eventsFrom(t, lifecycle(1, areyouai.EventRoomClosed)), contextAt(t, 0, "", areyouai.StatePurged),
			},
			nil,
		},
		"a stream refused because the room is over": {
			[]step{
				contextAt(t, 0, "agt_b", active), contextAck(0),
				refuse("GET /v1/rooms/room_1/events?since=0", 403, "forbidden"), contextAt(t, 0, "", closed),
			},
			nil,
		},
		"without a stream the room is polled": {
			[]step{
				contextAt(t, 0, "agt_b", active), contextAck(0),
				refuse("GET /v1/rooms/room_1/events?since=0", 401, "unauthorized"), contextAt(t, 0, "agt_b", active),
				contextAt(t, 0, "agt_b", active), contextAt(t, 1, "agt_a", active), contextAck(1), post(1, closed),
			},
			[]int64{1},
		},
		"a server that stumbles": {
			[]step{
				{want: "GET /v1/rooms/room_1/context", cut: true},
				refuse("GET /v1/rooms/room_1/context", 503, "internal_error"),
				contextAt(t, 0, "agt_a", active),
				{want: "POST /v1/rooms/room_1/context/ack", body: `{"turn_index":0}`, cut: true},
				contextAck(0), post(0, closed),
			},
			[]int64{0},
		},
		"where agents may speak at any time, somebody else comes first": {
			[]step{
				contextAt(t, 0, "agt_a", active), contextAck(0), post(0, active),
				eventsFrom(t, message(1, 0, "agt_a", "answer 0"), lifecycle(2, areyouai.EventRoomStateChanged), message(3, 1, "agt_c", "x")),
				contextAt(t, 1, "agt_a", active),
				contextAt(t, 2, "agt_a", active), contextAck(2), post(2, closed),
			},
			[]int64{0, 2},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, _ := play(t, turnOptions(), c.steps...)
			given, moved, err := talk(t.Context(), client)
			require.NoError(t, err)
			require.Zero(t, moved)
			require.Equal(t, c.want, given)
		})
	}
}

// TestTurnsOvertaken: a refusal that carries the context of now is followed by the next attempt, without a request between.
func TestTurnsOvertaken(t *testing.T) {
	client, _ := play(t, turnOptions(),
		contextAt(t, 0, "agt_a", active), contextAck(0), overtaken(t, 0, 3), overtaken(t, 3, 4), post(4, closed))
	given, moved, err := talk(t.Context(), client)
	require.NoError(t, err)
	require.Equal(t, 2, moved)
	require.Equal(t, []int64{0, 3, 4}, given)
}

// TestTurnHolds: what a turn hands to the agent.
func TestTurnHolds(t *testing.T) {
	c, _ := play(t, turnOptions(), contextAt(t, 2, "agt_a", active), contextAck(2))
	for turn, err := range c.Turns(t.Context(), "room_1") {
		require.NoError(t, err)
		require.Equal(t, []any{"room_1", "agt_a", int64(2), "prompt 2", "h2", int64(2)},
			[]any{turn.RoomID, turn.AgentID, turn.Index, turn.Prompt, turn.BundleHash, turn.Context.NextTurn})
		break
	}
	require.Equal(t, "agt_a", c.AgentID())
}

// TestTurnUnanswered: a turn that got no reply is not offered again before the
// room has changed.
func TestTurnUnanswered(t *testing.T) {
	changed := lifecycle(1, areyouai.EventRoomStateChanged)
	c, _ := play(t, turnOptions(),
		contextAt(t, 0, "agt_a", active), contextAck(0),
		eventsFrom(t, changed, lifecycle(2, areyouai.EventRoomStateChanged), lifecycle(3, areyouai.EventRoomClosed)),
		contextAt(t, 0, "agt_a", active), contextAt(t, 2, "agt_a", active), contextAck(2), contextAt(t, 2, "", closed))
	var given []int64
	for turn, err := range c.Turns(t.Context(), "room_1") {
		require.NoError(t, err)
		given = append(given, turn.Index)
	}
	require.Equal(t, []int64{0, 2}, given)
}

func TestTurnsEndFor(t *testing.T) {
	look := []step{contextAt(t, 0, "agt_b", active), contextAck(0)}
	for name, c := range map[string]struct {
		steps []step
		code  areyouai.Code
	}{
		"no such room":    {[]step{refuse("GET /v1/rooms/room_1/context", 404, "room_not_found")}, "room_not_found"},
		"not a member":    {[]step{refuse("GET /v1/rooms/room_1/context", 403, "forbidden")}, "forbidden"},
		"no session":      {[]step{refuse("GET /v1/rooms/room_1/context", 401, "unauthorized")}, "unauthorized"},
		"who am I":        {[]step{look[0], refuse2(contextAck(0), 403, "forbidden")}, "forbidden"},
		"stream refused":  {append(look, refuse("GET /v1/rooms/room_1/events?since=0", 400, "invalid_request"), contextAt(t, 0, "agt_b", active)), "invalid_request"},
		"policy":          {[]step{contextAt(t, 0, "agt_a", active), contextAck(0), refusedPost(0, 403, "policy_blocked")}, "policy_blocked"},
		"message too big": {[]step{contextAt(t, 0, "agt_a", active), contextAck(0), refusedPost(0, 413, "payload_too_large")}, "payload_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := play(t, turnOptions(), c.steps...)
			_, _, err := talk(t.Context(), client)
			require.ErrorIs(t, err, c.code)
		})
	}
	t.Run("a page in the place of a context", func(t *testing.T) {
		client, _ := play(t, turnOptions(), step{want: "GET /v1/rooms/room_1/context", answer: "<html>"})
		_, _, err := talk(t.Context(), client)
		require.ErrorContains(t, err, "reply")
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		opt := turnOptions()
		opt.Sleep = func(context.Context, time.Duration) error { cancel(); return ctx.Err() }
		client, _ := play(t, opt, refuse("GET /v1/rooms/room_1/context", 503, "internal_error"))
		_, _, err := talk(ctx, client)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// refuse2 is a step that is refused instead.
func refuse2(st step, status int, code areyouai.Code) step {
	r := refuse("", status, code)
	st.status, st.answer = r.status, r.answer
	return st
}

// TestTurnsPollInterval: the server's, within bounds.
func TestTurnsPollInterval(t *testing.T) {
	for ms, want := range map[int]time.Duration{0: time.Second, 5000: 5 * time.Second, 1 << 30: time.Minute} {
		var slept []time.Duration
		opt := turnOptions()
		opt.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
		waiting := areyouai.NewContextReply("room_1", 0, "agt_b")
		waiting.State, waiting.PollIntervalMS = active, ms
		look := step{want: "GET /v1/rooms/room_1/context", answer: reply(t, waiting)}
		opt.AgentID = "agt_a"
		c, _ := play(t, opt, look, refuse("GET /v1/rooms/room_1/events?since=0", 501, "endpoint_not_supported"), look, look, contextAt(t, 0, "", closed))
		_, _, err := talk(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{want, want}, slept)
	}
}
