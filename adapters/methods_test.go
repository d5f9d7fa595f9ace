package adapters_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"stele/adapters"
)

// TestOddMethods asks for the roots and what is open to everybody with methods that nobody needs. Every front refuses
// them in its own way, and none panics.
func TestOddMethods(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	g := adapters.New(newNode(t), adapters.Options{Logger: zap.New(core)})
	defer g.Drain()
	const (
		noBearer = "Missing or invalid Authorization header"
		notFound = `{"error":"not_found","status":404,"recoverable":false}` + "\n"
		noMethod = `{"detail":"Method Not Allowed"}`
		noEdge   = `{"json":{"v":1,"kind":"error","code":"protocol_error","message":"not found"}}`
	)
	odd := []string{"HEAD", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "PURGE", "get"}
	for _, tc := range []struct {
		path          string
		optionsStatus int
		options       string
		oddStatus     int
		odd           string
	}{
		{"/", 401, noBearer, 401, noBearer},
		{"/switch", 401, noBearer, 401, noBearer},
		{"/switch/", 401, noBearer, 401, noBearer},
		{"/health", 405, noMethod, 405, noMethod},
		{"/agents/a/ops", 401, noBearer, 401, noBearer},
		{"/v1", 204, "", 404, notFound},
		{"/areyouai", 204, "", 404, notFound},
		{"/areyouai/", 204, "", 404, notFound},
		// The protocol's health check answers whatever it is asked with.
		{"/healthz", 204, "", 200, `{"status":"ok"}` + "\n"},
		{"/edge", 404, noEdge, 404, noEdge},
		{"/edge/", 404, noEdge, 404, noEdge},
	} {
		for _, method := range append([]string{"OPTIONS"}, odd...) {
			status, body := tc.oddStatus, tc.odd
			if method == "OPTIONS" {
				status, body = tc.optionsStatus, tc.options
			}
			w := httptest.NewRecorder()
			g.Handler().ServeHTTP(w, httptest.NewRequest(method, tc.path, nil))
			require.Equal(t, status, w.Code, "%s %s: %s", method, tc.path, w.Body)
			require.Equal(t, body, w.Body.String(), "%s %s", method, tc.path)
		}
	}
	require.Empty(t, logged.All())
}

// TestRequestsWithoutAPath sends what has no path, or none that begins with a slash, over a connection.
func TestRequestsWithoutAPath(t *testing.T) {
	logCore, logged := observer.New(zap.WarnLevel)
	n := newNode(t)
	require.NoError(t, n.AddRegistrationToken(t.Context(), "owner", "token"))
	addr, stop := running(t, n, adapters.Options{Logger: zap.New(logCore)})
	for _, tc := range []struct {
		line   string
		status int
	}{
		// The HTTP server answers this one by itself: it asks for nothing of the gateway's.
		{"OPTIONS *", 200},
		{"HEAD *", 404},
		{"GET *", 404},
		{"CONNECT elsewhere:443", 404},
		{"GET http://elsewhere", 404},
		{"HEAD http://elsewhere", 404},
		{"HEAD /", 404},
		{"HEAD /health", 405},
		{"HEAD //", 404},
		{"GET //v1/mode", 404},
	} {
		require.Equal(t, tc.status, exchange(t, addr, tc.line), tc.line)
	}
	require.Empty(t, logged.All())
	require.NoError(t, stop())
}

// exchange sends one request, authorised, on a connection of its own, and returns the status of the answer.
func exchange(t *testing.T, addr, line string) int {
	t.Helper()
	var d net.Dialer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\nConnection: close\r\n\r\n", line)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "HEAD"})
	require.NoError(t, err, line)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err, line)
	return res.StatusCode
}
