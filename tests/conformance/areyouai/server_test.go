package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/tests/internal/program"
)

// server is a server under test.
type server struct {
	url string
	// proc, dir and flags are set for a process of its own.
	proc  *program.Process
	dir   string
	flags []string
}

// unlimited switches off every limit that many tests at once would meet.
func unlimited() []string {
	var out []string
	for _, name := range []string{
		"account-rate", "ip-rate", "agent-rate", "room-rate", "open-ip-rate", "open-rate", "ip-streams", "guess-ip-rate", "guess-room-rate",
	} {
		out = append(out, "--areyouai-"+name+"=0")
	}
	return out
}

const adminToken = "the-admin-token-of-the-suite"

// common is the server that all tests share that need no server of their own.
var common struct {
	once sync.Once
	*server
	err error
}

// shared returns the common server.
func shared(t *testing.T) *server {
	t.Helper()
	common.once.Do(func() {
		dir, err := os.MkdirTemp("", "stele-conformance-data-")
		if err != nil {
			common.err = err
			return
		}
		s := &server{dir: dir, flags: append(unlimited(),
			"--webhook-keys", "k1=0123456789abcdef", "--webhook-loopback", "all", "--areyouai-admin-token", adminToken)}
		if common.err = s.start(); common.err == nil {
			common.server = s
		}
	})
	require.NoError(t, common.err)
	return common.server
}

// closeShared ends the common server and returns 1 if it does not end well.
func closeShared() (code int) {
	report := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "the server:", err)
			code = 1
		}
	}
	if s := common.server; s != nil {
		report(s.proc.Stop())
		report(os.RemoveAll(s.dir))
	}
	report(stele.Remove())
	return code
}

func (s *server) start() (err error) {
	if s.proc, err = stele.Serve(s.dir, s.flags...); err != nil {
		return err
	}
	s.url = s.proc.URL
	return nil
}

// own starts a server for one test, with the flags given and nothing else.
func own(t *testing.T, flags ...string) *server {
	t.Helper()
	s := &server{dir: t.TempDir(), flags: flags}
	require.NoError(t, s.start())
	t.Cleanup(func() {
		if s.proc != nil {
			require.NoError(t, s.proc.Stop())
		}
	})
	return s
}

// restart ends the server, in order or by a kill, and starts it again on the same data.
func (s *server) restart(t *testing.T, kill bool) {
	t.Helper()
	proc := s.proc
	s.proc = nil
	if kill {
		proc.Kill()
	} else {
		require.NoError(t, proc.Stop())
	}
	require.NoError(t, s.start())
}

var client = &http.Client{
	Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	},
}

// request makes a request. body is sent as it is when it is a string, else as JSON; nil sends none. Headers are
// "Name: value"; one without a value is not sent.
func (s *server) request(ctx context.Context, t *testing.T, method, path, token string, body any, headers []string) *http.Request {
	t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		require.NoError(t, err)
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, content)
	require.NoError(t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		if name, value, given := strings.Cut(h, ": "); given {
			req.Header.Set(name, value)
		} else {
			req.Header.Del(h)
		}
	}
	return req
}

// do sends a request and reads the answer, in which every header of the protocol must be.
func (s *server) do(t *testing.T, method, path, token string, body any, headers ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	resp, err := client.Do(s.request(ctx, t, method, path, token, body, headers))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	a := answer{t: t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: string(raw)}
	for name, want := range everywhere {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %s is %q", a.what, name, got)
		}
	}
	return a
}

// everywhere are headers of every reply.
var everywhere = map[string]string{
	"X-Content-Type-Options": "nosniff",
	"X-Frame-Options":        "DENY",
	"Referrer-Policy":        "no-referrer",
	"Permissions-Policy":     "geolocation=(), microphone=(), camera=()",
}

var counter atomic.Int64

// unique makes a word that no other test has.
func unique(base string) string { return fmt.Sprintf("%s-%d", base, counter.Add(1)) }

// waitFor waits until something holds that nothing tells of.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 50*time.Millisecond, what)
}
