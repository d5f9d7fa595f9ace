package areyouai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// step is one request a test expects, and the answer it gets.
type step struct {
	// want is "METHOD path?query", want* are compared when not empty.
	want, bearer, body, lastID, key string
	status                          int
	answer                          string
	header                          map[string]string
	// hold keeps a stream open after its bytes until the client leaves.
	hold bool
	// cut ends the connection without an answer.
	cut bool
}

// script is a server that plays steps in order, byte for byte.
type script struct {
	t     *testing.T
	mu    sync.Mutex
	steps []step
	// left receives one value for each held stream its client has left.
	left chan struct{}
}

func play(t *testing.T, opt areyouai.ClientOptions, steps ...step) (*areyouai.Client, *script) {
	t.Helper()
	s := &script{t: t, steps: steps, left: make(chan struct{}, len(steps))}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	opt.HTTP = srv.Client()
	// A transport repeats a request with an idempotency key by itself when a
	// connection it has used before breaks; here each step is one attempt.
	opt.HTTP.Transport.(*http.Transport).DisableKeepAlives = true
	if opt.Sleep == nil {
		opt.Sleep = func(context.Context, time.Duration) error { return nil }
	}
	c, err := areyouai.NewClient(srv.URL, opt)
	require.NoError(t, err)
	t.Cleanup(func() {
		if !t.Failed() {
			require.Empty(t, s.rest(), "requests that never came")
		}
	})
	return c, s
}

func (s *script) rest() []step {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steps
}

func (s *script) next() (step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 {
		return step{}, false
	}
	st := s.steps[0]
	s.steps = s.steps[1:]
	return st, true
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	st, ok := s.next()
	got := r.Method + " " + r.RequestURI
	if !ok {
		s.t.Errorf("unexpected request %s", got)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	body, _ := io.ReadAll(r.Body)
	check := func(what, want, got string) {
		if want != got {
			s.t.Errorf("%s: %s is %q, want %q", st.want, what, got, want)
		}
	}
	check("request", st.want, got)
	check("body", st.body, string(body))
	check("Last-Event-ID", st.lastID, r.Header.Get("Last-Event-ID"))
	if st.bearer != "" {
		check("bearer", "Bearer "+st.bearer, r.Header.Get("Authorization"))
	}
	if st.key != "" {
		check("key", st.key, r.Header.Get("Idempotency-Key"))
	}
	if st.cut {
		panic(http.ErrAbortHandler)
	}
	for k, v := range st.header {
		w.Header().Set(k, v)
	}
	if st.status == 0 {
		st.status = http.StatusOK
	}
	w.WriteHeader(st.status)
	fmt.Fprint(w, st.answer)
	if st.hold {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		s.left <- struct{}{}
	}
}

var streaming = map[string]string{"Content-Type": "text/event-stream"}

// stream is the step of an event stream: bytes, then its end.
func stream(query, lastID, answer string) step {
	return step{want: "GET /v1/rooms/room_1/events" + query, lastID: lastID, answer: answer, header: streaming}
}

func held(st step) step {
	st.hold = true
	return st
}

func refuse(want string, status int, code areyouai.Code) step {
	return step{want: want, status: status, answer: fmt.Sprintf(`{"error":%q,"status":%d,"recoverable":false}`, code, status)}
}

func login(token string) step {
	return step{want: "POST /v1/agent/login", body: `{"api_key":"ak_1"}`, answer: fmt.Sprintf(`{"session_token":%q}`, token)}
}
