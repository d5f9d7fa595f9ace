package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func number(n int) string { return strconv.Itoa(n) }

// frame is one frame of a stream, as its bytes and taken apart.
type frame struct {
	raw, id, event, data string
	body                 object
}

// stream is an open stream of events.
type stream struct {
	resp   *http.Response
	frames chan frame
	// end is set before frames is closed.
	end   error
	close context.CancelFunc
}

// tries opens a stream, or returns the refusal.
func (s *server) tries(t *testing.T, path, token string, headers ...string) (*stream, answer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req := s.request(ctx, t, "GET", path, token, nil, append([]string{"Accept: text/event-stream"}, headers...))
	opening := time.AfterFunc(patience, cancel)
	resp, err := client.Do(req)
	require.NoError(t, err)
	opening.Stop()
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != 200 {
		raw, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return nil, answer{t: t, what: "GET " + path, status: resp.StatusCode, header: resp.Header, body: string(raw)}
	}
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	in := bufio.NewReader(resp.Body)
	first, err := in.ReadString('\n')
	require.NoError(t, err)
	blank, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "retry: 3000\n\n", first+blank, "the first bytes")
	st := &stream{resp: resp, frames: make(chan frame, 4096), close: cancel}
	go st.read(in)
	return st, answer{}
}

// opens opens a stream that must be accepted.
func (s *server) opens(t *testing.T, path, token string, headers ...string) *stream {
	t.Helper()
	st, refusal := s.tries(t, path, token, headers...)
	require.NotNil(t, st, "%s: %d %s", refusal.what, refusal.status, refusal.body)
	return st
}

// read takes frames apart as the strictest known client does: two line feeds end a frame, one line of data each.
func (st *stream) read(in *bufio.Reader) {
	defer close(st.frames)
	var raw strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			st.end = err
			if raw.Len() > 0 || line != "" {
				st.end = fmt.Errorf("a frame was cut: %q", raw.String()+line)
			}
			return
		}
		raw.WriteString(line)
		if line != "\n" {
			continue
		}
		st.frames <- takeApart(raw.String())
		raw.Reset()
	}
}

func takeApart(raw string) frame {
	f := frame{raw: raw}
	for line := range strings.SplitSeq(strings.TrimSuffix(raw, "\n\n"), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			f.id = value
		case "event":
			f.event = value
		case "data":
			f.data += value
		}
	}
	return f
}

// raw returns the next frame or comment.
func (st *stream) raw(t *testing.T, within time.Duration) frame {
	t.Helper()
	select {
	case f, open := <-st.frames:
		if !open {
			require.Fail(t, "the stream ended", "%v", st.end)
		}
		require.NotContains(t, f.raw, "\r")
		return f
	case <-time.After(within):
		require.Fail(t, "nothing came")
		return frame{}
	}
}

// next returns the next frame that is no comment.
func (st *stream) next(t *testing.T) frame {
	t.Helper()
	for {
		f := st.raw(t, 3*patience)
		if strings.HasPrefix(f.raw, ":") {
			continue
		}
		body, ok := parse(t, f.data).(object)
		require.True(t, ok, f.raw)
		require.Equal(t, f.event, body["type"], f.raw)
		f.body = body
		return f
	}
}

// hears returns the next frame, which must be of a type.
func (st *stream) hears(t *testing.T, kind string) frame {
	t.Helper()
	f := st.next(t)
	require.Equal(t, kind, f.event, f.raw)
	return f
}

// hearsAll returns the next frames, which must be of these types.
func (st *stream) hearsAll(t *testing.T, kinds ...string) (out []frame) {
	t.Helper()
	for _, kind := range kinds {
		out = append(out, st.hears(t, kind))
	}
	return out
}

// over expects the orderly end of the stream, with nothing before it but comments.
func (st *stream) over(t *testing.T) {
	t.Helper()
	deadline := time.After(3 * patience)
	for {
		select {
		case f, open := <-st.frames:
			if !open {
				require.ErrorIs(t, st.end, io.EOF)
				return
			}
			require.True(t, strings.HasPrefix(f.raw, ":"), f.raw)
		case <-deadline:
			require.Fail(t, "the stream did not end")
		}
	}
}

// silent expects that nothing comes for a moment. It can only fail where something is wrong, never on a busy machine.
func (st *stream) silent(t *testing.T) {
	t.Helper()
	select {
	case f, open := <-st.frames:
		if !open {
			require.Fail(t, "the stream ended", "%v", st.end)
		}
		require.Fail(t, "something came", f.raw)
	case <-time.After(200 * time.Millisecond):
	}
}

// hears opens the event stream of a room.
func (r *room) opens(t *testing.T, who *agent, query string, headers ...string) *stream {
	t.Helper()
	return r.s.opens(t, r.path("/events"+query), who.session, headers...)
}

// stream opens the agent stream with a cursor, "" for none, and returns it with the hello.
func (a *agent) stream(t *testing.T, cursor string) (*stream, object) {
	t.Helper()
	path := "/v1/agent/stream"
	if cursor != "" {
		path += "?last_delivery_id=" + cursor
	}
	st := a.s.opens(t, path, a.session)
	return st, hello(t, st, a)
}

// hello is the first frame of an agent stream.
func hello(t *testing.T, st *stream, a *agent) object {
	t.Helper()
	f := st.hears(t, "stream.hello")
	require.Empty(t, f.id)
	o := shape(t, f.body, "type string, agent_id string, resume_status string, last_acknowledged_delivery_id string, server_time string")
	require.Equal(t, a.id, o["agent_id"])
	instant(t, o["server_time"])
	return o
}

func (a *agent) acks(t *testing.T, delivery string) {
	t.Helper()
	o := a.post(t, "/v1/agent/stream/ack", object{"delivery_id": delivery}).has(200, "delivery_id string, status string")
	require.Equal(t, object{"delivery_id": delivery, "status": "acked"}, o)
}

// instant reads a time of the protocol: RFC 3339 in UTC.
func instant(t *testing.T, v any) time.Time {
	t.Helper()
	s, ok := v.(string)
	require.True(t, ok, "%v is no time", v)
	require.True(t, strings.HasSuffix(s, "Z"), s)
	at, err := time.Parse(time.RFC3339Nano, s)
	require.NoError(t, err)
	return at
}
