package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/tests/internal/program"
)

// server is a server under test.
type server struct {
	url, token string
	// proc and dir are set for servers that the suite started.
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

// shared returns the common server.
func shared(t *testing.T) *server {
	t.Helper()
	common.once.Do(func() {
		if url := outside(); url != "" {
			common.server = &server{url: url, token: os.Getenv("STELE_CONFORMANCE_TOKEN")}
			return
		}
		dir, err := os.MkdirTemp("", "stele-conformance-data-")
		if err != nil {
			common.err = err
			return
		}
		s := &server{token: registrationToken, dir: dir}
		if common.err = s.start(); common.err == nil {
			common.server = s
		}
	})
	require.NoError(t, common.err)
	return common.server
}

// closeShared ends the common server and returns 1 if it does not end well.
func closeShared() (code int) {
	if s := common.server; s != nil && s.proc != nil {
		if err := s.proc.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the server:", err)
			code = 1
		}
		_ = os.RemoveAll(s.dir)
	}
	if err := stele.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, "the program:", err)
		code = 1
	}
	return code
}

func (s *server) start() (err error) {
	if s.proc, err = start(s.dir, s.flags...); err != nil {
		return err
	}
	s.url = s.proc.URL
	return nil
}

// own starts a server for one test.
func own(t *testing.T, flags ...string) *server {
	t.Helper()
	needsProcess(t)
	s := &server{token: registrationToken, dir: t.TempDir(), flags: flags}
	require.NoError(t, s.start())
	t.Cleanup(func() {
		if s.proc != nil {
			require.NoError(t, s.proc.Stop())
		}
	})
	return s
}

// needsProcess skips a test when the server is somebody else's.
func needsProcess(t *testing.T) {
	t.Helper()
	if outside() != "" {
		t.Skip("this needs a process, or a door, that only this project's server has")
	}
}

// restart ends the server, in order or by a kill, and starts it again on the same data.
func (s *server) restart(t *testing.T, kill bool) {
	t.Helper()
	if kill {
		s.proc.Kill()
	} else {
		require.NoError(t, s.proc.Stop())
	}
	s.proc = nil
	require.NoError(t, s.start())
}

var client = &http.Client{
	Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	Timeout:   60 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	},
}

// do sends a request. body is sent as it is when it is a string, else as JSON; nil sends none. Headers are "Name: value".
func (s *server) do(t *testing.T, method, path, token string, body any, headers ...string) answer {
	t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	case []byte:
		content = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		require.NoError(t, err)
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, content)
	require.NoError(t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
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
	a := answer{t: t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: string(raw)}
	if a.status == http.StatusInternalServerError {
		t.Errorf("%s was answered with 500: %s", a.what, a.body)
	}
	return a
}
