package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// frame is one frame of a stream as it came.
type frame struct {
	raw string
	// id, event and data are those lines' values; a comment has none of them.
	id, event, data string
	comment         string
}

// stream is an open event stream.
type stream struct {
	a      *agent
	conn   string
	header http.Header
	// state is what connection_state said.
	state  object
	hello  frame
	frames chan frame
	close  func()
}

// streams tells how a stream is opened.
type opening struct {
	// conn is the connection id; empty makes a new one.
	conn string
	// silent sends no beats.
	silent bool
	// lastEventID, if set, is sent as the header.
	lastEventID string
}

// open opens a stream, expects it to be accepted, and beats for it until the test ends or it is closed.
func (a *agent) open(t *testing.T, parameters ...string) *stream {
	t.Helper()
	return a.openAs(t, opening{}, parameters...)
}

// openAs opens a stream and reads connection_state.
func (a *agent) openAs(t *testing.T, o opening, parameters ...string) *stream {
	t.Helper()
	s, refusal := a.tryOpen(t, o, parameters...)
	if s == nil {
		require.Equal(t, 200, refusal.status, refusal.body)
	}
	return s
}

// tryOpen opens a stream. One of its results is set.
func (a *agent) tryOpen(t *testing.T, o opening, parameters ...string) (*stream, answer) {
	t.Helper()
	if o.conn == "" {
		o.conn = unique("conn")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	url := a.s.url + a.path("/events") + query(append([]string{"connection_id=" + o.conn}, parameters...)...)
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Accept", "text/event-stream")
	if o.lastEventID != "" {
		req.Header.Set("Last-Event-ID", o.lastEventID)
	}
	resp, err := streaming.Do(req)
	if err != nil {
		cancel()
	}
	require.NoError(t, err)
	if resp.StatusCode != 200 {
		defer cancel()
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return nil, answer{t: t, what: "GET " + url, status: resp.StatusCode, header: resp.Header, body: string(body)}
	}
	s := &stream{a: a, conn: o.conn, header: resp.Header, frames: make(chan frame, 4096)}
	var running sync.WaitGroup
	s.close = sync.OnceFunc(func() {
		cancel()
		_ = resp.Body.Close()
		running.Wait()
	})
	t.Cleanup(s.close)
	running.Go(func() { readFrames(resp.Body, s.frames) })
	if !o.silent {
		// With the key of now: a test may give the agent another one while this goes on.
		beat, key := a.s.url+a.path("/connection/beat"), a.key
		running.Go(func() { beats(ctx, beat, key, o.conn) })
	}
	s.hello = s.raw(t)
	require.Equal(t, "connection_state", s.hello.event, s.hello.raw)
	s.state = parse(t, s.hello.data).(object)
	return s, answer{}
}

// streaming has no time limit, as streams have none.
var streaming = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// beats does what a client does besides listening, twice as often, since many tests share few processors.
func beats(ctx context.Context, url, key, conn string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		req, err := http.NewRequestWithContext(ctx, "POST", url,
			strings.NewReader(fmt.Sprintf(`{"connection_id":%q,"cursor":0}`, conn)))
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		if resp, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
}

// readFrames splits a body at empty lines, as the reference client does, and closes the channel at its end.
func readFrames(body io.Reader, out chan<- frame) {
	defer close(out)
	in := bufio.NewReader(body)
	var raw strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		raw.WriteString(line)
		if line != "\n" {
			continue
		}
		f := frame{raw: raw.String()}
		raw.Reset()
		for l := range strings.SplitSeq(f.raw, "\n") {
			switch {
			case strings.HasPrefix(l, "id: "):
				f.id = l[len("id: "):]
			case strings.HasPrefix(l, "event: "):
				f.event = l[len("event: "):]
			case strings.HasPrefix(l, "data: "):
				f.data += l[len("data: "):]
			case strings.HasPrefix(l, ":"):
				f.comment = l
			}
		}
		out <- f
	}
}

// raw returns the next frame, comments included.
func (s *stream) raw(t *testing.T) frame {
	t.Helper()
	return s.until(t, time.After(patience))
}

// next returns the next frame that is no comment. Comments do not make it more patient.
func (s *stream) next(t *testing.T) frame {
	t.Helper()
	end := time.After(patience)
	for {
		if f := s.until(t, end); f.comment == "" {
			return f
		}
	}
}

func (s *stream) until(t *testing.T, end <-chan time.Time) frame {
	t.Helper()
	select {
	case f, ok := <-s.frames:
		require.True(t, ok, "the stream of %s has ended", s.conn)
		return f
	case <-end:
		require.Fail(t, "nothing came", "on %s", s.conn)
	}
	return frame{}
}

// control expects a control frame of that name and returns its data.
func (s *stream) control(t *testing.T, name string) object {
	t.Helper()
	f := s.next(t)
	require.Equal(t, name, f.event, f.raw)
	require.Empty(t, f.id, f.raw)
	return parse(t, f.data).(object)
}

// event is a domain event.
type event struct {
	frame
	envelope object
	payload  object
	sequence int
}

// event expects an event of that type.
func (s *stream) event(t *testing.T, kind string) event {
	t.Helper()
	return asEvent(t, s.next(t), kind)
}

func asEvent(t *testing.T, f frame, kind string) event {
	t.Helper()
	require.Equal(t, kind, f.event, f.raw)
	e := event{frame: f, envelope: parse(t, f.data).(object)}
	var err error
	e.sequence, err = strconv.Atoi(f.id)
	require.NoError(t, err, f.raw)
	e.payload = at(t, e.envelope, "payload").(object)
	return e
}

// hears expects a message with that body next.
func (s *stream) hears(t *testing.T, body string) event {
	t.Helper()
	e := s.event(t, "message")
	require.Equal(t, body, text(t, e.payload, "body"), e.raw)
	return e
}

// changed expects subscription_changed with these rooms.
func (s *stream) changed(t *testing.T, rooms ...string) {
	t.Helper()
	o := s.control(t, "subscription_changed")
	require.Equal(t, sortedRooms(rooms...), o["rooms"])
}

// evicted expects evicted and the end of the response, and returns the reason.
func (s *stream) evicted(t *testing.T) string {
	t.Helper()
	o := s.control(t, "evicted")
	s.ended(t)
	return text(t, o, "reason")
}

// ended expects the response to have ended, without anything more on it.
func (s *stream) ended(t *testing.T) {
	t.Helper()
	select {
	case f, more := <-s.frames:
		require.False(t, more, f.raw)
	case <-time.After(patience):
		require.Fail(t, "the response goes on", s.conn)
	}
}

// try calls an operation on the connection.
func (s *stream) try(t *testing.T, operation string, args any) answer {
	t.Helper()
	if args == nil {
		args = object{}
	}
	return s.a.post(t, "/ops/"+operation, args, "X-Switch-Connection-Id: "+s.conn)
}

// call calls an operation on the connection and returns its result.
func (s *stream) call(t *testing.T, operation string, args any) any {
	t.Helper()
	return result(s.try(t, operation, args))
}

// within opens a stream that has claimed a room.
func (a *agent) within(t *testing.T, room string, parameters ...string) *stream {
	t.Helper()
	return a.open(t, append([]string{"rooms=" + room}, parameters...)...)
}

// enter calls connect_to_room and reads the subscription_changed that follows.
func (s *stream) enter(t *testing.T, room string) object {
	t.Helper()
	entered := s.call(t, "connect_to_room", object{"room_id": room}).(object)
	s.changed(t, room)
	return entered
}
