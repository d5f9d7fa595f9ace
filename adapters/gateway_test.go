package adapters_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters"
	"stele/core"
	"stele/core/memlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is far more than anything here needs.
const patience = 30 * time.Second

func newNode(t *testing.T) *core.Node {
	t.Helper()
	n, err := core.Open(t.Context(), memlog.New(), core.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	})
	return n
}

// running serves a gateway on a loopback port; stop ends it and returns what Serve returned.
func running(t *testing.T, n *core.Node, o adapters.Options) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- adapters.New(n, o).Serve(ctx, ln) }()
	t.Cleanup(cancel)
	return ln.Addr().String(), func() error {
		cancel()
		return <-done
	}
}

// TestEachPathGoesToItsFront asks for paths that tell the fronts apart by their answers.
func TestEachPathGoesToItsFront(t *testing.T) {
	g := adapters.New(newNode(t), adapters.Options{})
	defer g.Drain()
	const (
		noBearer = "Missing or invalid Authorization header"
		notFound = `"error":"not_found"`
	)
	for _, tc := range []struct {
		method, path, upgrade string
		status                int
		body                  string
	}{
		{"GET", "/health", "", 200, `{"status":"ok"}`},
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/v1/mode", "", 200, `"mode":"sse"`},
		{"GET", "/gateway/rooms/r/cursor?switch=1", "", 401, `{"error":{"code":"unauthorized"`},
		{"GET", "/gateway/rooms/r/events", "", 401, `{"error":{"code":"unauthorized"`},
		{"GET", "/gateway/rooms/r/events/1", "", 401, `{"error":{"code":"unauthorized"`},
		{"GET", "/v1", "", 404, notFound},
		{"GET", "/v1/", "", 404, notFound},
		{"GET", "/v1x", "", 401, noBearer},
		{"GET", "/", "", 401, noBearer},
		{"GET", "/agents/a/ops", "", 401, noBearer},
		{"GET", "/nonsense", "", 401, noBearer},
		{"GET", "/switch/health", "", 200, `{"status":"ok"}`},
		{"GET", "/switch/v1/mode", "", 401, noBearer},
		{"GET", "/areyouai/v1/mode", "", 200, `"mode":"sse"`},
		{"GET", "/areyouai/health", "", 404, notFound},
		{"GET", "/switchx/health", "", 401, noBearer},
		{"POST", "/agents/a/b", "websocket", 400, `"kind":"error"`},
		{"POST", "/edge/agents/a/b", "WebSocket", 400, `"kind":"error"`},
		{"POST", "/edge/agents/a/b", "", 405, ""},
	} {
		r := httptest.NewRequest(tc.method, tc.path, nil)
		if tc.upgrade != "" {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", tc.upgrade)
		}
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		require.Equal(t, tc.status, w.Code, "%s %s %s: %s", tc.method, tc.path, tc.upgrade, w.Body)
		require.Contains(t, w.Body.String(), tc.body, "%s %s", tc.method, tc.path)
	}
}

func TestServeEndsInOrderAlsoWithIdleAndSilentConnections(t *testing.T) {
	addr, stop := running(t, newNode(t), adapters.Options{})
	silent, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer silent.Close()
	idle, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer idle.Close()
	_, err = io.WriteString(idle, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(idle), nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)

	began := time.Now()
	require.NoError(t, stop())
	require.Less(t, time.Since(began), 3*time.Second, "there was nothing to wait for")
	_, err = net.Dial("tcp", addr)
	require.Error(t, err)
}

// TestServeCutsWhoDoesNotEnd: a request whose body never comes is cut after the drain timeout, not waited for.
func TestServeCutsWhoDoesNotEnd(t *testing.T) {
	n := newNode(t)
	require.NoError(t, n.AddRegistrationToken(t.Context(), "owner", "token"))
	addr, stop := running(t, n, adapters.Options{DrainTimeout: 50 * time.Millisecond})
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /agents/register-known HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue", "the handler waits for the body")
	require.NoError(t, stop())
}

func TestServeReportsAListenerThatFails(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	err = adapters.New(newNode(t), adapters.Options{}).Serve(t.Context(), ln)
	require.True(t, errors.Is(err, net.ErrClosed), "%v", err)
}

func TestHeadersAreBounded(t *testing.T) {
	addr, stop := running(t, newNode(t), adapters.Options{})
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("a", 200<<10))
	if err == nil {
		res, rerr := http.ReadResponse(bufio.NewReader(conn), nil)
		if rerr == nil {
			require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
		}
	}
	require.NoError(t, stop())
}
