package areyouai_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

func viewers(body, answer string) step {
	return step{want: "POST /v1/rooms/room_1/viewers", body: body, answer: answer}
}

const (
	beatBody  = `{"op":"heartbeat","human_code":"","viewer_token":"hv_1"}`
	leaveBody = `{"op":"leave","human_code":"","viewer_token":"hv_1"}`
)

func TestViewer(t *testing.T) {
	ctx := t.Context()
	joined := viewers(`{"op":"join","human_code":"hc_1","viewer_token":""}`, `{"viewer_token":"hv_1","active_viewers":1}`)
	joined.status = 201
	c, _ := play(t, areyouai.ClientOptions{},
		step{want: "POST /v1/rooms/room_1/transcript", body: `{"human_code":"hc_1"}`, answer: `{"room_topic":"tea","messages":[{"turn":0,"read_by_opponent":true}],"last_context_fetch_turn_by_agent":null}`},
		joined, viewers(beatBody, `{"active_viewers":2}`), viewers(leaveBody, `{"active_viewers":1}`),
	)
	text, err := c.Transcript(ctx, "room_1", "hc_1")
	require.NoError(t, err)
	require.True(t, text.Messages[0].ReadByOpponent)
	v, active, err := c.JoinViewer(ctx, "room_1", "hc_1")
	require.NoError(t, err)
	require.Equal(t, 1, active)
	require.Equal(t, "hv_1", v.Token())
	active, err = v.Heartbeat(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, active)
	active, err = v.Leave(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, active)
}

func TestViewerKeepAlive(t *testing.T) {
	var slept []time.Duration
	opt := areyouai.ClientOptions{Sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }}
	busy := refuse("POST /v1/rooms/room_1/viewers", 503, "internal_error")
	over := refuse("POST /v1/rooms/room_1/viewers", 410, "gone")
	busy.body, over.body = beatBody, beatBody
	c, _ := play(t, opt, viewers(beatBody, `{}`), busy, over)
	require.ErrorIs(t, c.Viewer("room_1", "hv_1").KeepAlive(t.Context(), 0), areyouai.CodeGone)
	require.Equal(t, []time.Duration{15 * time.Second, 15 * time.Second}, slept)

	stop := errors.New("stop")
	opt.Sleep = func(context.Context, time.Duration) error { return stop }
	c, _ = play(t, opt, viewers(beatBody, `{}`))
	require.ErrorIs(t, c.Viewer("room_1", "hv_1").KeepAlive(t.Context(), time.Second), stop)
}

// TestViewerEvents: a lost connection is made anew, the end of the room ends
// the sequence, and the viewer's token is the bearer throughout.
func TestViewerEvents(t *testing.T) {
	typing := func(f areyouai.TypingFrame) string {
		b, err := areyouai.AppendTypingFrame(nil, f)
		require.NoError(t, err)
		return string(b)
	}
	start := areyouai.NewTypingStart("room_1", "agt_a", at(0).Time, time.Second)
	stop := areyouai.NewTypingStop("room_1", "agt_a", at(1).Time)
	open := step{want: "GET /v1/rooms/room_1/viewer-events", bearer: "hv_1", header: streaming, answer: areyouai.StreamPreamble + typing(start) + areyouai.StreamKeepalive}
	again := open
	again.answer = "event: viewer.new\ndata: {\"type\":\"viewer.new\"}\n\n" + typing(stop)
	c, _ := play(t, session, open, again, refuse(open.want, 410, "gone"))
	var got []areyouai.TypingFrame
	var last error
	for f, err := range c.Viewer("room_1", "hv_1").Events(t.Context()) {
		if last = err; err == nil {
			got = append(got, f)
		}
	}
	require.ErrorIs(t, last, areyouai.CodeGone)
	require.Equal(t, []areyouai.TypingFrame{start, stop}, got)

	c, s := play(t, session, held(open))
	for range c.Viewer("room_1", "hv_1").Events(t.Context()) {
		break
	}
	<-s.left
}

func TestWebhookCalls(t *testing.T) {
	ctx := t.Context()
	c, _ := play(t, session,
		step{want: "GET /v1/agent/webhooks", bearer: "as_1", answer: `{"items":[]}`},
		step{want: "POST /v1/agent/webhooks", bearer: "as_1", body: `{"url":"https://a.test","secret":"s"}`, status: 201, answer: `{"id":"whk_1","enabled":true}`},
		step{want: "DELETE /v1/agent/webhooks/whk_1", bearer: "as_1", status: 204},
		refuse("DELETE /v1/agent/webhooks/whk_1", 404, "not_found"),
		step{want: "POST /v1/rooms/room_1/join", bearer: "as_1", answer: `{"joined":{"agt_a":true}}`},
	)
	list, err := c.Webhooks(ctx)
	require.NoError(t, err)
	require.Empty(t, list.Items)
	hook, err := c.CreateWebhook(ctx, areyouai.WebhookRequest{URL: "https://a.test", Secret: "s"})
	require.NoError(t, err)
	require.Equal(t, "whk_1", hook.ID)
	require.NoError(t, c.DeleteWebhook(ctx, hook.ID))
	require.ErrorIs(t, c.DeleteWebhook(ctx, hook.ID), areyouai.CodeNotFound)
	joined, err := c.Join(ctx, "room_1")
	require.NoError(t, err)
	require.True(t, joined.Joined["agt_a"])
}
