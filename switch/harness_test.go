package agentswitch_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// stateFrame is the first frame of a stream, written out.
func stateFrame(rooms, cursor string) string {
	return `event: connection_state
data: {"connection_id":"c-1","agent_id":"a-1","scope":"single","filter":"all","spawn_capable":false,"rooms":[` + rooms + `],"cursor":` + cursor +
		`,"protocol":1,"heartbeat_interval_seconds":2.0,"server":{"version":"0.19.0","contracts":{"agent-protocol":{"speaks":1,"accepts":1}}},` +
		`"client":{"speaks":null,"accepts":null,"artifact":null,"version":null}}

`
}

// messageFrame is a message, written out.
func messageFrame(sequence, body string) string {
	return "id: " + sequence + `
event: message
data: {"type":"message","room_id":"r-1","bridge_id":null,"channel_type":"channel_public","payload":{"addressed":true,"sender":"u-1","sender_name":"Ann","message_id":"m-` +
		sequence + `","body":"` + body + `","timestamp":1790000000123,"thread_id":null,"attachments":[]},"sequence":` + sequence + `}

`
}

// server plays a scripted server. Each open takes the next of its streams; the
// last is repeated.
type server struct {
	*httptest.Server
	client *agentswitch.Client
	clock  *fakeClock
	beat   http.HandlerFunc
	mux    *http.ServeMux
	opens  chan *http.Request
	beats  chan string

	mu      sync.Mutex
	streams []http.HandlerFunc
}

func newServer(t *testing.T, streams ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{
		clock: newFakeClock(), opens: make(chan *http.Request, 100), beats: make(chan string, 100), streams: streams,
		beat: func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, `{"ok":true,"rooms":[],"cursor":0}`) },
	}
	mux := http.NewServeMux()
	s.mux = mux
	mux.HandleFunc("GET /agents/a-1/events", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		handler := s.streams[0]
		if len(s.streams) > 1 {
			s.streams = s.streams[1:]
		}
		s.mu.Unlock()
		s.opens <- r
		handler(w, r)
	})
	mux.HandleFunc("POST /agents/a-1/connection/beat", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.beats <- string(body)
		s.beat(w, r)
	})
	s.Server = httptest.NewServer(mux)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
	})
	var err error
	s.client, err = agentswitch.NewClient(agentswitch.Options{
		BaseURL: s.URL + "/", AgentID: "a-1", APIKey: "key-1", HTTPClient: &http.Client{Transport: transport},
		Clock: s.clock, Rand: func() float64 { return 0.75 },
	})
	require.NoError(t, err)
	return s
}

// opened waits for an open and returns its query and Last-Event-ID.
func (s *server) opened(t *testing.T) (query, lastEventID string) {
	t.Helper()
	r := <-s.opens
	require.Equal(t, "text/event-stream", r.Header.Get("Accept"))
	require.Equal(t, "Bearer key-1", r.Header.Get("Authorization"))
	return r.URL.RawQuery, r.Header.Get("Last-Event-ID")
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// refuses answers an open with a status.
func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) }
}

func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
}

func send(w http.ResponseWriter, frames ...string) {
	for _, frame := range frames {
		_, _ = io.WriteString(w, frame)
	}
	w.(http.Flusher).Flush()
}

// ends sends frames and ends the stream cleanly.
func ends(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		begin(w)
		send(w, frames...)
	}
}

// stays sends frames and keeps the stream open until the client goes.
func stays(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		send(w, frames...)
		<-r.Context().Done()
	}
}

// fakeClock stands still. Sleeps of the beat interval are handed to the test
// through beatSleeps; others are noted and end at once.
type fakeClock struct {
	beatSleeps chan chan struct{}

	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newFakeClock() *fakeClock {
	return &fakeClock{beatSleeps: make(chan chan struct{}), now: time.Unix(1790000000, 0)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *fakeClock) waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.slept...)
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if d == agentswitch.HeartbeatInterval {
		release := make(chan struct{})
		select {
		case c.beatSleeps <- release:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c.mu.Lock()
	c.slept = append(c.slept, d)
	c.mu.Unlock()
	return ctx.Err()
}
