package conformance

import (
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

// common is the server that all tests share that need no server of their own.
var common struct {
	once sync.Once
	*server
	err error
}

// shared returns the common server. No limit that many tests at once would meet is on.
func shared(t *testing.T) *server {
	t.Helper()
	common.once.Do(func() {
		dir, err := os.MkdirTemp("", "stele-conformance-data-")
		if err != nil {
			common.err = err
			return
		}
		s := &server{dir: dir, flags: []string{
			"--edge-create-rate=0", "--areyouai-account-rate=0", "--areyouai-guess-ip-rate=0", "--areyouai-ip-rate=0",
		}}
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

var client = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}

// answer is a whole response.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   string
}

// do sends a request and reads the answer. body is sent as it is when it is a string, else as JSON; nil sends none. Headers
// are "Name: value".
func (s *server) do(t *testing.T, method, path, token string, body any, headers ...string) answer {
	t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		require.NoError(t, err)
		content = strings.NewReader(string(raw))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, content)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer{t: t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: string(raw)}
}

// is expects a status.
func (a answer) is(status int) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s: %s", a.what, a.body)
	return a
}

// refused expects an error frame as JSON: its text from the version to the code, such as `"v":2,"kind":"error","code":"unauthorized"`.
func (a answer) refused(status int, frame string) answer {
	a.t.Helper()
	a.is(status)
	require.Equal(a.t, "application/json", a.header.Get("Content-Type"), a.what)
	require.True(a.t, strings.HasPrefix(a.body, `{"json":{`+frame+`,"message":"`), "%s: %s", a.what, a.body)
	checkFrame(a.t, a.body)
	return a
}

// What refusals without a call begin with.
const (
	unauthorized  = `"v":2,"kind":"error","code":"unauthorized"`
	protocolError = `"v":1,"kind":"error","code":"protocol_error"`
	wrongVersion  = `"v":1,"kind":"error","code":"version_mismatch"`
)

// failed is what the refusal of a call begins with.
func failed(id, code string) string {
	v := "1"
	if code == "unauthorized" {
		v = "2"
	}
	return `"v":` + v + `,"kind":"error","id":"` + id + `","code":"` + code + `"`
}

var counter atomic.Int64

// unique makes a word that no other test has.
func unique(base string) string { return fmt.Sprintf("%s-%d", base, counter.Add(1)) }

// within is a context for something that should happen at once.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// soon is far above the second in which sockets are closed: machines are busy.
const soon = 10 * time.Second
