package areyouai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// agentStream is the step of an agent stream: frames, then its end.
func agentStream(t testing.TB, cursor string, frames ...areyouai.AgentFrame) step {
	t.Helper()
	st := step{want: "GET /v1/agent/stream", header: streaming, answer: areyouai.StreamPreamble}
	if cursor != "" {
		st.want += "?last_delivery_id=" + cursor
	}
	for _, f := range frames {
		st.answer += agentFrame(t, f)
	}
	return st
}

func hello(status areyouai.ResumeStatus, cursor string) areyouai.StreamHello {
	return areyouai.NewStreamHello("agt_a", status, cursor, at(0).Time)
}

func ackStep(id string) step {
	return step{
		want: "POST /v1/agent/stream/ack", body: fmt.Sprintf(`{"delivery_id":%q}`, id),
		answer: fmt.Sprintf(`{"delivery_id":%q,"status":"acked"}`, id),
	}
}

func actionable(t testing.TB, rooms ...areyouai.ActionableRoom) step {
	return step{want: "GET /v1/agent/actionable-rooms", answer: reply(t, areyouai.NewActionableReply(rooms, nil))}
}

// take ranges until it has n frames or the sequence ends; use is called with
// each frame before the next is asked for.
func takeFrames(ctx context.Context, s *areyouai.AgentStream, n int, use func(areyouai.AgentFrame)) ([]areyouai.AgentFrame, error) {
	var got []areyouai.AgentFrame
	for frame, err := range s.Frames(ctx) {
		if err != nil {
			return got, err
		}
		got = append(got, frame)
		if use != nil {
			use(frame)
		}
		if len(got) == n {
			break
		}
	}
	return got, nil
}

// TestAgentStreamAcks: the cursor is the last ack, and each frame is handed
// out before anything later is asked for.
func TestAgentStreamAcks(t *testing.T) {
	ready, closed := turnReady("dly_1", "room_1", 0), roomEnded("dly_2", "room_1", areyouai.FrameRoomClosed, areyouai.StateClosed, "manual_close")
	c, s := play(t, session,
		agentStream(t, "", hello(areyouai.ResumeFresh, ""), ready),
		ackStep("dly_1"),
		held(agentStream(t, "dly_1", hello(areyouai.ResumeOK, "dly_1"), closed)),
		ackStep("dly_2"),
	)
	stream := c.AgentStream(areyouai.AgentStreamOptions{})
	got, err := takeFrames(t.Context(), stream, 4, func(f areyouai.AgentFrame) {
		if id := f.Delivery(); id != "" {
			require.NoError(t, stream.Ack(t.Context(), id))
			require.Equal(t, id, stream.Cursor())
		}
	})
	require.NoError(t, err)
	require.Equal(t, []areyouai.AgentFrame{hello(areyouai.ResumeFresh, ""), ready, hello(areyouai.ResumeOK, "dly_1"), closed}, got)
	require.Equal(t, "agt_a", c.AgentID())
	<-s.left
}

// TestAgentStreamWithoutAck: what was not acknowledged moves no cursor and
// comes again; a refused ack counts for nothing.
func TestAgentStreamWithoutAck(t *testing.T) {
	ready := turnReady("dly_2", "room_1", 0)
	lost := refuse("POST /v1/agent/stream/ack", 500, "internal_error")
	lost.body = `{"delivery_id":"dly_2"}`
	c, s := play(t, session,
		agentStream(t, "dly_1", hello(areyouai.ResumeOK, "dly_1"), ready),
		lost,
		held(agentStream(t, "dly_1", hello(areyouai.ResumeOK, "dly_1"), ready)),
	)
	stream := c.AgentStream(areyouai.AgentStreamOptions{Cursor: "dly_1"})
	seen := 0
	_, err := takeFrames(t.Context(), stream, 4, func(f areyouai.AgentFrame) {
		if f.Delivery() == "" {
			return
		}
		if seen++; seen == 1 {
			require.ErrorIs(t, stream.Ack(t.Context(), "dly_2"), areyouai.CodeInternalError)
		}
		require.Equal(t, "dly_1", stream.Cursor())
	})
	require.NoError(t, err)
	require.Equal(t, 2, seen)
	<-s.left
}

func TestAgentStreamRecovers(t *testing.T) {
	room := areyouai.ActionableRoom{RoomID: "room_1", RoomState: areyouai.StateActive, NextTurn: 3, NextActorID: "agt_a", Token: "rat_1", ExpiresAt: at(300)}
	want := areyouai.Recovery{Rooms: areyouai.NewActionableReply([]areyouai.ActionableRoom{room}, nil)}
	fresh := hello(areyouai.ResumeFresh, "")
	stale := hello(areyouai.ResumeReplayRequired, "")
	for name, steps := range map[string][]step{
		"at the hello": {
			agentStream(t, "dly_1", stale, areyouai.NewReplayRequired("agt_a")), actionable(t, room),
			held(agentStream(t, "", fresh)),
		},
		"at the control frame": {
			agentStream(t, "dly_1", areyouai.NewReplayRequired("agt_a")), actionable(t, room),
			held(agentStream(t, "", fresh)),
		},
		"again, when the rooms could not be had": {
			agentStream(t, "dly_1", areyouai.NewReplayRequired("agt_a")),
			refuse("GET /v1/agent/actionable-rooms", 500, "internal_error"),
			agentStream(t, "dly_1", areyouai.NewReplayRequired("agt_a")), actionable(t, room),
			held(agentStream(t, "", fresh)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := play(t, session, steps...)
			stream := c.AgentStream(areyouai.AgentStreamOptions{Cursor: "dly_1"})
			recovered := 0
			for frame, err := range stream.Frames(t.Context()) {
				require.NoError(t, err)
				if r, ok := frame.(areyouai.Recovery); ok {
					require.Equal(t, want, r)
					require.Equal(t, "dly_1", stream.Cursor(), "the cursor is kept until the caller is done")
					recovered++
				}
				if frame == fresh {
					break
				}
			}
			require.Equal(t, 1, recovered)
			require.Empty(t, stream.Cursor())
			<-s.left
		})
	}
	t.Run("a caller that breaks off is told again", func(t *testing.T) {
		c, _ := play(t, session, agentStream(t, "dly_1", areyouai.NewReplayRequired("agt_a")), actionable(t))
		stream := c.AgentStream(areyouai.AgentStreamOptions{Cursor: "dly_1"})
		_, err := takeFrames(t.Context(), stream, 1, nil)
		require.NoError(t, err)
		require.Equal(t, "dly_1", stream.Cursor())
	})
	t.Run("an ack meanwhile is the new cursor", func(t *testing.T) {
		c, s := play(t, session,
			agentStream(t, "dly_1", areyouai.NewReplayRequired("agt_a")), actionable(t), ackStep("dly_7"),
			held(agentStream(t, "dly_7", hello(areyouai.ResumeOK, "dly_7"))))
		stream := c.AgentStream(areyouai.AgentStreamOptions{Cursor: "dly_1"})
		_, err := takeFrames(t.Context(), stream, 2, func(f areyouai.AgentFrame) {
			if _, ok := f.(areyouai.Recovery); ok {
				require.NoError(t, stream.Ack(t.Context(), "dly_7"))
			}
		})
		require.NoError(t, err)
		<-s.left
	})
}

func TestAgentStreamLogsIn(t *testing.T) {
	with := func(st step, token string) step { st.bearer = token; return st }
	t.Run("when told to", func(t *testing.T) {
		c, s := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_1"},
			with(agentStream(t, "", hello(areyouai.ResumeFresh, ""), areyouai.NewReloginRequired("agt_a")), "as_1"),
			login("as_2"),
			with(held(agentStream(t, "", hello(areyouai.ResumeFresh, ""))), "as_2"))
		_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 2, nil)
		require.NoError(t, err)
		<-s.left
	})
	t.Run("at once after a 401", func(t *testing.T) {
		opt := areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_1", Sleep: func(context.Context, time.Duration) error {
			t.Error("no wait is due")
			return nil
		}}
		c, s := play(t, opt, refuse("GET /v1/agent/stream", 401, "unauthorized"), login("as_2"),
			with(held(agentStream(t, "", hello(areyouai.ResumeFresh, ""))), "as_2"))
		_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 1, nil)
		require.NoError(t, err)
		<-s.left
	})
	t.Run("not without a key", func(t *testing.T) {
		c, _ := play(t, session, agentStream(t, "", areyouai.NewReloginRequired("agt_a")))
		_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 1, nil)
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
	t.Run("with a key that ended", func(t *testing.T) {
		c, _ := play(t, areyouai.ClientOptions{APIKey: "ak_1", SessionToken: "as_1"},
			agentStream(t, "", areyouai.NewReloginRequired("agt_a")), refuse2login())
		_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 1, nil)
		require.ErrorIs(t, err, areyouai.CodeUnauthorized)
	})
}

func TestAgentStreamEndsAndSkips(t *testing.T) {
	open := "GET /v1/agent/stream"
	for status, code := range map[int]areyouai.Code{403: "forbidden", 404: "not_found", 501: "endpoint_not_supported"} {
		c, _ := play(t, session, refuse(open, status, code))
		_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 1, nil)
		require.ErrorIs(t, err, code)
	}
	bad := agentStream(t, "")
	bad.answer += "event: room.closed\ndata: {\"type\":\"room.closed\"}\n\n"
	c, _ := play(t, session, bad)
	_, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 1, nil)
	var fe *areyouai.FrameError
	require.ErrorAs(t, err, &fe)

	odd := agentStream(t, "")
	odd.answer += "id: dly_0\nevent: room.new\ndata: {\"type\":\"room.new\",\"delivery_id\":\"dly_0\"}\n\n" + agentFrame(t, turnReady("dly_1", "room_1", 0))
	var raw string
	c, s := play(t, session, held(odd))
	got, err := takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{OnRaw: func(b []byte) { raw += string(b) }}), 1, nil)
	require.NoError(t, err)
	require.Equal(t, []areyouai.AgentFrame{turnReady("dly_1", "room_1", 0)}, got)
	require.Equal(t, odd.answer, raw)
	<-s.left
}

// TestAgentStreamBackoff: a server that says hello and no more is asked less
// and less; a keepalive or a delivery begins again at one second.
func TestAgentStreamBackoff(t *testing.T) {
	var slept []time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt := session
	opt.Rand = func() float64 { return 0 }
	opt.Sleep = func(_ context.Context, d time.Duration) error {
		if slept = append(slept, d); len(slept) == 8 {
			cancel()
			return context.Canceled
		}
		return nil
	}
	only := agentStream(t, "", hello(areyouai.ResumeFresh, ""))
	alive := agentStream(t, "", hello(areyouai.ResumeFresh, ""))
	alive.answer += areyouai.StreamKeepalive
	delivered := agentStream(t, "", hello(areyouai.ResumeFresh, ""), turnReady("dly_1", "room_1", 0))
	slow := refuse("GET /v1/agent/stream", 503, "internal_error")
	slow.header = map[string]string{"Retry-After": "30"}
	c, _ := play(t, opt, only, only, only, alive, only, delivered, slow, only)
	_, err := takeFrames(ctx, c.AgentStream(areyouai.AgentStreamOptions{}), 99, nil)
	require.ErrorIs(t, err, context.Canceled)
	s := time.Second
	require.Equal(t, []time.Duration{s, 2 * s, 4 * s, s, 2 * s, s, 30 * s, 4 * s}, slept)
}

// TestSlowConsumer: an hour of work on one frame is not silence of the server.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		parts := []string{
			areyouai.StreamPreamble + agentFrame(t, turnReady("dly_1", "room_1", 0)),
			areyouai.StreamKeepalive + agentFrame(t, turnReady("dly_2", "room_2", 0)),
		}
		transport := roundTrip(func(r *http.Request) *http.Response {
			opened++
			resp := respond(http.StatusOK, "")
			resp.Header.Set("Content-Type", "text/event-stream")
			resp.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
				if r.Context().Err() != nil || len(parts) == 0 {
					return 0, io.EOF
				}
				n := copy(p, parts[0])
				parts = parts[1:]
				return n, nil
			}))
			return resp
		})
		c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}, SessionToken: "as_1"})
		require.NoError(t, err)
		_, err = takeFrames(t.Context(), c.AgentStream(areyouai.AgentStreamOptions{}), 2, func(areyouai.AgentFrame) { time.Sleep(time.Hour) })
		require.NoError(t, err)
		require.Equal(t, 1, opened)
	})
}
