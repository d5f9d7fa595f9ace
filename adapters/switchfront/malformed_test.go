package switchfront_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"

	"stele/adapters/switchfront"
	"stele/adapters/transport"
	agentswitch "stele/switch"
)

// TestMalformedBodies sends what no client means to every route that takes a body: the answer has the protocol's shape
// and nothing changes.
func TestMalformedBodies(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	a.open("c-1", "&rooms="+room).hello()
	routes := map[string]string{"/agents/register-known": g.token}
	for _, rest := range []string{
		"/connection/beat", "/connection/subscribe", "/connection/unsubscribe", "/ops/post_message", "/ops/create_room",
		"/ops/connect_to_room", "/ops/read_context", "/message", "/typing", "/ops/delegate_task", "/ops/finalise_task", "/runtime-state", "/status",
		"/connection/renew", "/events/report", "/mediation/pre-tool-call", "/mediation/pre-llm-request",
		"/mediation/post-tool-result", "/mediation/post-llm-response", "/tasks/delegate", "/tasks/accept", "/tasks/update",
		"/tasks/finalise", "/tasks/cancel",
	} {
		routes[a.path(rest)] = a.key
	}
	bodies := map[string]string{
		"white space":       "  \n",
		"half an object":    `{"connection_id":`,
		"two objects":       `{}{}`,
		"text after it":     `{} x`,
		"a string":          `"x"`,
		"a number":          `1e999`,
		"a list":            `[{}]`,
		"null":              `null`,
		"a trailing comma":  `{"body":"x",}`,
		"single quotes":     `{'body':'x'}`,
		"a comment":         `{/* */}`,
		"invalid UTF-8":     "{\"body\":\"\xff\xfe\"}",
		"control character": "{\"body\":\"\x00\"}",
		"byte order mark":   "\xef\xbb\xbf{}",
		"too deep":          `{"body":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"too large":         `{"body":"` + strings.Repeat("x", 2<<20) + `"}`,
		"endless number":    `{"limit":` + strings.Repeat("9", 5000) + `}`,
		"wrong types":       `{"connection_id":[],"room_id":{},"takeover":[],"cursor":{},"body":[],"limit":[],"name":{},"description":5,"agent_names":{},"agent_type":false,"overwrite":[]}`,
		"nulls":             `{"connection_id":null,"room_id":null,"takeover":null,"cursor":null,"body":null,"name":null,"description":null,"agent_names":null,"agent_type":null}`,
		"form":              `body=x&limit=5`,
		"html":              `<html></html>`,
	}
	for path, token := range routes {
		for name, body := range bodies {
			before := g.node.Applied()
			r := g.do("POST", path, token, body, "X-Switch-Connection-Id: c-1")
			require.GreaterOrEqual(t, r.status, 400, "%s: %s: %s", path, name, r.body)
			require.Less(t, r.status, 500, "%s: %s: %s", path, name, r.body)
			requireDetail(t, r)
			require.Equal(t, before, g.node.Applied(), "%s: %s", path, name)
		}
	}
}

// requireDetail makes sure that a refusal is {"detail": a text or a list or an object} and nothing else.
func requireDetail(t *testing.T, r reply) {
	t.Helper()
	require.Equal(t, "application/json", r.header.Get("Content-Type"), r.body)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(r.body), &fields), r.body)
	require.Len(t, fields, 1, r.body)
	var detail any
	// What was sent comes back, also a number that no float holds.
	dec := json.NewDecoder(bytes.NewReader(fields["detail"]))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&detail))
	switch d := detail.(type) {
	case string:
		require.NotEmpty(t, d)
	case []any:
		require.NotEmpty(t, d)
		for _, issue := range d {
			require.Subset(t, keys(issue), []string{"type", "loc", "msg", "input"}, r.body)
		}
	case map[string]any:
		require.ElementsMatch(t, []string{"message", "contract", "server", "client", "remedy"}, keys(d))
	default:
		t.Fatalf("unexpected detail: %s", r.body)
	}
}

func keys(v any) (out []string) {
	for k := range v.(map[string]any) {
		out = append(out, k)
	}
	return out
}

// TestMalformedQueries does the same to the query of an open.
func TestMalformedQueries(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	for _, query := range []string{
		"", "connection_id", "connection_id=%", "connection_id=c&scope=ALL", "connection_id=c&scope=", "connection_id=c&filter=none",
		"connection_id=c&start_from=first", "connection_id=c&start_from=0x10", "connection_id=c&start_from=1e3", "connection_id=c&start_from=--1",
		"connection_id=c&spawn_capable=2", "connection_id=c&spawn_capable=", "connection_id=c&protocol=", "connection_id=c&protocol=1.0",
		"connection_id=c&protocol_accepts=x", "connection_id=c&protocol=99999999999999999999", "connection_id=c&timeout=soon",
		"connection_id=c&rooms=../..", "connection_id=c&rooms=%00", "connection_id=c&rooms=" + strings.Repeat("r,", 2000),
		"connection_id=" + strings.Repeat("c", 5000),
	} {
		before := g.node.Applied()
		r := g.do("GET", a.path("/events?"+query), a.key, "", "Accept: text/event-stream")
		require.GreaterOrEqual(t, r.status, 400, query)
		require.Less(t, r.status, 500, query)
		requireDetail(t, r)
		require.Equal(t, before, g.node.Applied(), query)
	}
}

// TestBrokenBody: the connection ends before the body that was announced does.
func TestBrokenBody(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
		a.path("/connection/beat"), a.key)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	answer := make([]byte, 12)
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 400", string(answer))
}

// TestWireErrors: no refusal that core knows of may end as a 500, at any place.
func TestWireErrors(t *testing.T) {
	known := append(switchfront.TableErrors(),
		&core.NameTakenError{}, &core.RoomNotActiveError{}, &core.RoomExpiredError{}, &core.TurnMismatchError{},
		&core.NotYourTurnError{}, &core.TooLongError{}, &core.InvalidError{}, &core.NoConnectionError{ID: "c"},
		&core.NoStreamError{}, &core.ConnectionTakenError{ID: "c"}, &core.TooManyConnectionsError{}, &core.RoomClaimedError{},
		&core.ConflictError{}, &core.TaskStateError{}, &operations.UnknownOperationError{}, &operations.ArgumentError{}, &transport.TooLargeError{},
		agentswitch.NotFound(),
	)
	for _, err := range known {
		for p, wire := range switchfront.WireErrors(fmt.Errorf("wrapped: %w", err)) {
			require.NotEqual(t, http.StatusInternalServerError, wire.Status(), "%v at %d", err, p)
			require.GreaterOrEqual(t, wire.Status(), 400)
			require.True(t, json.Valid(wire.AppendBody(nil)))
		}
	}
	for _, err := range []error{core.ErrFull, core.ErrReadOnly, core.ErrClosed, core.ErrDraining} {
		for _, wire := range switchfront.WireErrors(err) {
			require.Equal(t, http.StatusServiceUnavailable, wire.Status(), err)
		}
	}
	for _, wire := range switchfront.WireErrors(errors.New("secret")) {
		require.Equal(t, http.StatusInternalServerError, wire.Status())
		require.Equal(t, "Internal Server Error", string(wire.AppendBody(nil)))
	}
}

func TestPanicsAnswer500(t *testing.T) {
	g := newGateway(t, setup{})
	w := httptest.NewRecorder()
	g.front.Panicking("no detail of this may show").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health/panic", nil))
	require.Equal(t, 500, w.Code)
	require.Equal(t, "Internal Server Error", w.Body.String())
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
}

// FuzzRequest sends anything to any route, as nobody, as an owner and as an agent: never a 500, always the protocol's
// shape, and a refusal changes nothing.
func FuzzRequest(f *testing.F) {
	f.Add(uint8(0), uint8(0), "/health", "", "", []byte(nil))
	f.Add(uint8(1), uint8(2), "/agents/{id}/events", "connection_id=c&rooms=r", "7", []byte(nil))
	f.Add(uint8(2), uint8(1), "/agents/register-known", "", "", []byte(`{"agent_type":"codex","name":"n","description":"d","options":{"auto_session":1}}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/ops/create_room", "", "c", []byte(`{"name":"n","description":"d","agent_names":["alice"],"roles":[{"name":"r","instructions":"i"}]}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/ops/read_context", "", "c-1", []byte(`{"since":"2026-01-01","limit":-1}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/connection/beat", "", "", []byte(`{"connection_id":"c","cursor":-1}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/connection/subscribe", "", "", []byte(`{"connection_id":"c","room_id":"r","takeover":"yes"}`))
	f.Add(uint8(1), uint8(0), "/deeplink/session", "room=r&x=//elsewhere", "", []byte(nil))
	f.Add(uint8(2), uint8(2), "/agents/{id}/message", "", "k", []byte(`{"room_id":"r","content":"","metadata":[]}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/typing", "", "", []byte(`{"room_id":"r","is_typing":"maybe"}`))
	f.Add(uint8(1), uint8(2), "/agents/{id}/rooms/r/history", "since=0001-01-01&limit=-1", "", []byte(nil))
	f.Add(uint8(1), uint8(2), "/agents/rooms/r/participants", "", "", []byte(nil))
	f.Add(uint8(2), uint8(2), "/agents/{id}/tasks/delegate", "", "k", []byte(`{"room_id":"r","performer_agent_id":"p","summary":"","description":""}`))
	f.Add(uint8(1), uint8(2), "/agents/{id}/tasks", "role=delegated&status=x", "", []byte(nil))
	f.Add(uint8(2), uint8(2), "/agents/{id}/runtime-state", "", "", []byte(`{"room_id":"r","state":"idle","control_capabilities":{"reset":1}}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/events/report", "", "", []byte(`{"room_id":"r","events":[{"type":"tool_call"}]}`))
	f.Add(uint8(2), uint8(2), "/agents/{id}/watch/heartbeat", "", "", []byte("\xff"))
	f.Add(uint8(1), uint8(2), "/agents/{id}/notifications", "timeout=inf", "", []byte(nil))
	f.Add(uint8(3), uint8(2), "/agents/{id}/ops/%2e%2e", "a=%zz", "", []byte("\xff"))
	g := newGateway(f, setup{})
	a := g.register("alice")
	// Streams are refused by a front that drains, so that no open keeps the fuzzer waiting.
	g.front.Drain()
	handler := g.front.Handler()
	f.Fuzz(func(t *testing.T, method, who uint8, path, query, header string, body []byte) {
		r := &http.Request{
			Method: []string{"DELETE", "GET", "POST", "OPTIONS"}[method%4], Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Accept": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}
		r = r.WithContext(t.Context())
		r.URL = &url.URL{Path: strings.ReplaceAll(path, "{id}", a.id), RawQuery: query}
		if token := []string{"", g.token, a.key}[who%3]; token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		for _, name := range []string{"X-Switch-Connection-Id", "Last-Event-ID", "Idempotency-Key"} {
			if header != "" {
				r.Header[http.CanonicalHeaderKey(name)] = []string{header}
			}
		}
		before := g.node.Applied()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.NotEqual(t, 500, w.Code, w.Body.String())
		if w.Code == 302 {
			require.True(t, strings.HasPrefix(w.Header().Get("Location"), "switchdash://session"))
			require.Equal(t, before, g.node.Applied())
			return
		}
		if w.Code == 202 {
			require.Empty(t, w.Body.Bytes())
			return
		}
		if w.Code == 200 {
			require.True(t, json.Valid(w.Body.Bytes()))
			return
		}
		require.Equal(t, before, g.node.Applied())
		if w.Code == 401 && w.Header().Get("Content-Type") == "" {
			return
		}
		requireDetail(t, reply{w.Code, w.Header(), w.Body.String()})
	})
}
