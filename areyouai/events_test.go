package areyouai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// ev is the nth event of room_1; frames and pages are made of it.
func ev(id int64) areyouai.Event {
	return areyouai.NewRoomEvent(id, areyouai.EventRoomJoined, "room_1", "agt_a", at(int(id&0xff)))
}

func frames(t testing.TB, ids ...int64) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(frame(t, ev(id)))
	}
	return b.String()
}

func page(t testing.TB, since int64, ids ...int64) step {
	var items []areyouai.Event
	for _, id := range ids {
		items = append(items, ev(id))
	}
	return step{
		want:   fmt.Sprintf("GET /v1/rooms/room_1/events/history?limit=200&since=%d", since),
		answer: reply(t, areyouai.NewHistoryReply("room_1", since, items)),
	}
}

// follow ranges until it has n events or the sequence ends, and returns the
// ids and the error.
func follow(ctx context.Context, c *areyouai.Client, since int64, n int) ([]int64, error) {
	var ids []int64
	for e, err := range c.Events(ctx, "room_1", areyouai.EventsOptions{Since: since}) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, e.EventID)
		if len(ids) == n {
			break
		}
	}
	return ids, nil
}

var session = areyouai.ClientOptions{SessionToken: "as_1"}

func TestEvents(t *testing.T) {
	cut := frames(t, 3)[:40]
	cases := map[string]struct {
		since int64
		steps []step
		want  []int64
	}{
		"preamble and keepalives are not events": {
			0,
			[]step{held(stream("?since=0", "", areyouai.StreamPreamble+areyouai.StreamKeepalive+frames(t, 1)+areyouai.StreamKeepalive+frames(t, 2)))},
			[]int64{1, 2},
		},
		"a stream that ends resumes by header": {
			0,
			[]step{stream("?since=0", "", frames(t, 1, 2)), held(stream("", "2", frames(t, 3)))},
			[]int64{1, 2, 3},
		},
		"an empty stream asks again by query": {
			0,
			[]step{stream("?since=0", "", areyouai.StreamPreamble), held(stream("?since=0", "", frames(t, 1)))},
			[]int64{1},
		},
		"a frame cut in the middle is not delivered": {
			0,
			[]step{stream("?since=0", "", frames(t, 1, 2)+cut), held(stream("", "2", frames(t, 3)))},
			[]int64{1, 2, 3},
		},
		"repeats are dropped": {
			4,
			[]step{held(stream("?since=4", "", frames(t, 3, 4, 5, 5, 4, 6)))},
			[]int64{5, 6},
		},
		"a gap is filled from the history": {
			0,
			[]step{held(stream("?since=0", "", frames(t, 1, 5))), page(t, 1, 2, 3, 4, 5)},
			[]int64{1, 2, 3, 4, 5},
		},
		"a gap without anything in it asks once": {
			4,
			[]step{held(stream("?since=4", "", frames(t, 1<<32|5, 1<<32|6))), page(t, 4)},
			[]int64{1<<32 | 5, 1<<32 | 6},
		},
		"ids that jump in a later life of the server are followed": {
			3,
			[]step{
				held(stream("?since=3", "", frames(t, 4, 1<<32|5, 1<<32|6, 2<<32|7))),
				page(t, 4, 1<<32|5, 1<<32|6), page(t, 1<<32|6, 2<<32|7, 2<<32|8),
			},
			[]int64{4, 1<<32 | 5, 1<<32 | 6, 2<<32 | 7, 2<<32 | 8},
		},
		"a page that ends before the jump is asked on": {
			2,
			[]step{
				stream("?since=2", "", frames(t, 1<<32|5)), page(t, 2, 3, 4), page(t, 4, 1<<32|5),
				held(stream("", fmt.Sprint(1<<32|5), frames(t, 1<<32|6))),
			},
			[]int64{3, 4, 1<<32 | 5, 1<<32 | 6},
		},
		"a gap at the start too": {
			7,
			[]step{held(stream("?since=7", "", frames(t, 9, 10))), page(t, 7, 8, 9, 10)},
			[]int64{8, 9, 10},
		},
		"a long gap takes several pages": {
			0,
			[]step{held(stream("?since=0", "", frames(t, 6, 7))), page(t, 0, 1, 2, 3), page(t, 3, 4, 5, 6)},
			[]int64{1, 2, 3, 4, 5, 6, 7},
		},
		"ids that are not contiguous": {
			0,
			[]step{held(stream("?since=0", "", frames(t, 100, 205))), page(t, 0), page(t, 100)},
			[]int64{100, 205},
		},
		"a repair that fails resumes before the gap": {
			1,
			[]step{
				stream("?since=1", "", frames(t, 2, 5)), refuse("GET /v1/rooms/room_1/events/history?limit=200&since=2", 500, "internal_error"),
				held(stream("", "2", frames(t, 3, 4, 5))),
			},
			[]int64{2, 3, 4, 5},
		},
		"refusals that pass": {
			0,
			[]step{
				refuse("GET /v1/rooms/room_1/events?since=0", 429, "rate_limited"),
				refuse("GET /v1/rooms/room_1/events?since=0", 503, "internal_error"),
				{want: "GET /v1/rooms/room_1/events?since=0", answer: "<html>", header: map[string]string{"Content-Type": "text/html"}},
				held(stream("?since=0", "", frames(t, 1))),
			},
			[]int64{1},
		},
		"CRLF from a proxy": {
			0,
			[]step{held(stream("?since=0", "", strings.ReplaceAll(frames(t, 1), "\n", "\r\n")))},
			[]int64{1},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, s := play(t, session, c.steps...)
			got, err := follow(t.Context(), client, c.since, len(c.want))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			if c.steps[len(c.steps)-1].hold || c.steps[0].hold {
				<-s.left
			}
		})
	}
}

func TestEventsEndFor(t *testing.T) {
	open := "GET /v1/rooms/room_1/events?since=0"
	for status, code := range map[int]areyouai.Code{400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "room_not_found", 410: "gone", 501: "endpoint_not_supported"} {
		t.Run(string(code), func(t *testing.T) {
			client, _ := play(t, session, refuse(open, status, code))
			got, err := follow(t.Context(), client, 0, 1)
			require.ErrorIs(t, err, code)
			require.Empty(t, got)
		})
	}
	bad := map[string][]step{
		"rubbish":             {stream("?since=0", "", "data: x\n\n")},
		"other id":            {stream("?since=0", "", "id: 2\n"+strings.TrimPrefix(frames(t, 1), "id: 1\n"))},
		"too large":           {held(stream("?since=0", "", "data: "+strings.Repeat("x", 2*areyouai.MaxFrameBytes)))},
		"history going round": {held(stream("?since=0", "", frames(t, 1, 5))), page(t, 1, 2, 2)},
	}
	for name, steps := range bad {
		t.Run(name, func(t *testing.T) {
			client, _ := play(t, session, steps...)
			_, err := follow(t.Context(), client, 0, 9)
			var fe *areyouai.FrameError
			require.ErrorAs(t, err, &fe)
		})
	}
}

func TestEventsLogIn(t *testing.T) {
	open := "GET /v1/rooms/room_1/events?since=0"
	fresh := held(stream("?since=0", "", frames(t, 1)))
	fresh.bearer = "as_2"
	client, s := play(t, areyouai.ClientOptions{APIKey: "ak_1"},
		login("as_1"), refuse(open, 401, "unauthorized"), login("as_2"), fresh)
	got, err := follow(t.Context(), client, 0, 1)
	require.NoError(t, err)
	require.Equal(t, []int64{1}, got)
	<-s.left
}

// TestEventsBackoff: 1, 2, 4, 8, 10, 10 s, from the start again after a
// frame, never less than the server asked for.
func TestEventsBackoff(t *testing.T) {
	var slept []time.Duration
	done := errors.New("enough")
	opt := session
	opt.Rand = func() float64 { return 0.5 }
	opt.Sleep = func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		if len(slept) == 9 {
			return done
		}
		return nil
	}
	busy := refuse("GET /v1/rooms/room_1/events?since=0", 500, "internal_error")
	slow := refuse("GET /v1/rooms/room_1/events", 429, "rate_limited")
	slow.lastID, slow.header = "1", map[string]string{"Retry-After": "30"}
	client, _ := play(t, opt, busy, busy, busy, busy, busy, busy,
		stream("?since=0", "", frames(t, 1)), slow, stream("", "1", areyouai.StreamPreamble))
	got, err := follow(t.Context(), client, 0, 9)
	require.ErrorIs(t, err, done)
	require.Equal(t, []int64{1}, got)
	const j = 125 * time.Millisecond
	want := []time.Duration{1, 2, 4, 8, 10, 10, 1, 30, 4}
	for i, d := range want {
		require.Equal(t, d*time.Second+j, slept[i], "attempt %d", i)
	}
}

func TestEventsStopWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client, s := play(t, session, held(stream("?since=0", "", frames(t, 1))))
	var ids []int64
	var last error
	for e, err := range client.Events(ctx, "room_1", areyouai.EventsOptions{}) {
		if err != nil {
			last = err
			continue
		}
		ids = append(ids, e.EventID)
		cancel()
	}
	require.ErrorIs(t, last, context.Canceled)
	require.Equal(t, []int64{1}, ids)
	<-s.left
}

// TestOnRaw: the calls in a row are the stream, and each event's frame is
// shown before the event.
func TestOnRaw(t *testing.T) {
	bytes := areyouai.StreamPreamble + frames(t, 1) + areyouai.StreamKeepalive + frames(t, 2)
	client, _ := play(t, session, stream("?since=0", "", bytes))
	var raw []string
	st, err := client.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{OnRaw: func(b []byte) { raw = append(raw, string(b)) }})
	require.NoError(t, err)
	defer st.Close()
	for id := int64(1); id <= 2; id++ {
		e, err := st.Next()
		require.NoError(t, err)
		require.Equal(t, ev(id), e)
		require.Equal(t, frames(t, id), raw[len(raw)-1])
	}
	_, err = st.Next()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, bytes, strings.Join(raw, ""))
	require.NoError(t, st.Close())
	_, err = st.Next()
	require.Error(t, err)
}

func TestOpenOnceDoesNotReconnect(t *testing.T) {
	client, _ := play(t, session, stream("?since=4", "", frames(t, 9)), refuse("GET /v1/rooms/room_1/events?since=0", 503, "internal_error"))
	st, err := client.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{Since: 4})
	require.NoError(t, err)
	e, err := st.Next()
	require.NoError(t, err)
	require.EqualValues(t, 9, e.EventID)
	_, err = st.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, st.Close())
	_, err = client.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{})
	require.ErrorIs(t, err, areyouai.CodeInternalError)
}

// TestSilentStream: a peer that is gone without a word is noticed after three
// missed keepalives, before the first byte and after it.
func TestSilentStream(t *testing.T) {
	for name, transport := range map[string]http.RoundTripper{
		"no answer":   waitForever{},
		"after bytes": silentStream{first: areyouai.StreamPreamble + areyouai.StreamKeepalive},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}, SessionToken: "as_1"})
				require.NoError(t, err)
				start := time.Now()
				st, err := c.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{})
				if err == nil {
					_, err = st.Next()
					st.Close()
				}
				require.ErrorIs(t, err, areyouai.ErrStreamIdle)
				require.Equal(t, time.Minute, time.Since(start))
			})
		})
	}
}

// TestSilentStreamReconnects uses the real sleep and a day of silence.
func TestSilentStreamReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{
			HTTP: &http.Client{Transport: silentStream{first: areyouai.StreamPreamble}}, SessionToken: "as_1",
		})
		require.NoError(t, err)
		_, err = follow(ctx, c, 0, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestKeepalivesKeep: an hour without events but with keepalives is one
// stream, and the event after it arrives.
func TestKeepalivesKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var request context.Context
		beats := 0
		body := readerFunc(func(p []byte) (int, error) {
			if request.Err() != nil {
				return 0, request.Err()
			}
			if beats == 180 {
				return copy(p, frames(t, 1)), nil
			}
			beats++
			time.Sleep(areyouai.KeepaliveInterval)
			return copy(p, areyouai.StreamKeepalive), nil
		})
		transport := roundTrip(func(r *http.Request) *http.Response {
			request = r.Context()
			resp := respond(http.StatusOK, "")
			resp.Header.Set("Content-Type", "text/event-stream")
			resp.Body = io.NopCloser(body)
			return resp
		})
		c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}, SessionToken: "as_1"})
		require.NoError(t, err)
		st, err := c.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{})
		require.NoError(t, err)
		e, err := st.Next()
		require.NoError(t, err)
		require.EqualValues(t, 1, e.EventID)
		require.NoError(t, st.Close())
		require.ErrorIs(t, request.Err(), context.Canceled, "Close must free the connection")
	})
}

// TestBodiesAreClosed: a connection is given back after every kind of answer.
func TestBodiesAreClosed(t *testing.T) {
	for _, status := range []int{200, 403, 500} {
		transport := &closeCount{status: status}
		c, err := areyouai.NewClient("http://room.test", areyouai.ClientOptions{HTTP: &http.Client{Transport: transport}, SessionToken: "as_1"})
		require.NoError(t, err)
		_, _ = c.Mode(t.Context())
		_, err = c.OpenOnce(t.Context(), "room_1", areyouai.EventsOptions{})
		require.Error(t, err)
		if status == 200 {
			require.ErrorIs(t, err, areyouai.ErrNotStream)
		}
		require.Equal(t, 2, transport.opened)
		require.Equal(t, transport.opened, transport.closed)
	}
}
