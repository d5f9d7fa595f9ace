package switchfront_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
	"stele/internal/testclock"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func newClock() *testclock.Clock {
	return testclock.At(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC))
}

// gateway is a front over a node over a log in memory, on a real socket.
type gateway struct {
	t     testing.TB
	node  *core.Node
	front *switchfront.Front
	url   string
	http  *http.Client
	token string
}

// setup says how a test's gateway differs from the ordinary one, whose leases do not lapse because its clock stands.
type setup struct {
	log   core.Log
	node  core.Options
	front switchfront.Options
}

func newGateway(t testing.TB, s setup) *gateway {
	t.Helper()
	ctx := context.Background()
	if s.log == nil {
		log := memlog.New()
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		s.log = log
	}
	if s.node.Now == nil {
		s.node.Now = newClock().Now
	}
	node, err := core.Open(ctx, s.log, s.node)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close(ctx)) })
	front := switchfront.New(node, operations.New(node), s.front)
	server := httptest.NewServer(described(t, front.Handler()))
	transport := &http.Transport{}
	t.Cleanup(func() {
		front.Drain()
		transport.CloseIdleConnections()
		server.Close()
	})
	const token = "registration-token-of-acme"
	require.NoError(t, node.AddRegistrationToken(ctx, "acme", token))
	return &gateway{
		t: t, node: node, front: front, url: server.URL, http: &http.Client{Transport: transport}, token: token,
	}
}

// reply is an answer as it came over the wire.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request; headers are "Name: value".
func (g *gateway) do(method, path, token, body string, headers ...string) reply {
	g.t.Helper()
	req, err := http.NewRequest(method, g.url+path, strings.NewReader(body))
	require.NoError(g.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	res, err := g.http.Do(req)
	require.NoError(g.t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(g.t, err)
	return reply{res.StatusCode, res.Header, string(data)}
}

// agent is a registered agent and its key.
type agent struct {
	g             *gateway
	id, key, name string
}

func (g *gateway) register(name string) *agent {
	g.t.Helper()
	r := g.do("POST", "/agents/register-known", g.token,
		fmt.Sprintf(`{"agent_type":"claude-code","name":%q,"description":"test"}`, name))
	require.Equal(g.t, 200, r.status, r.body)
	var out struct {
		ID  string `json:"id"`
		Key string `json:"api_key"`
	}
	require.NoError(g.t, json.Unmarshal([]byte(r.body), &out))
	return &agent{g: g, id: out.ID, key: out.Key, name: name}
}

func (a *agent) path(rest string) string { return "/agents/" + a.id + rest }

// on returns the same agent as it talks to another gateway on the same log.
func (a *agent) on(g *gateway) *agent { return &agent{g: g, id: a.id, key: a.key, name: a.name} }

// op calls an operation on a connection ("" for none).
func (a *agent) op(conn, name, args string) reply {
	a.g.t.Helper()
	var headers []string
	if conn != "" {
		headers = append(headers, "X-Switch-Connection-Id: "+conn)
	}
	return a.g.do("POST", a.path("/ops/"+name), a.key, args, headers...)
}

// must calls an operation that succeeds, and returns its result.
func (a *agent) must(conn, name, args string) map[string]any {
	a.g.t.Helper()
	r := a.op(conn, name, args)
	require.Equal(a.g.t, 200, r.status, r.body)
	var out struct {
		Result map[string]any `json:"result"`
	}
	require.NoError(a.g.t, json.Unmarshal([]byte(r.body), &out))
	return out.Result
}

// room makes a room with these members; more are extra arguments of create_room, such as `,"channel_type":"direct"`.
func (a *agent) room(more string, members ...*agent) string {
	a.g.t.Helper()
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	list, err := json.Marshal(names)
	require.NoError(a.g.t, err)
	made := a.must("", "create_room", fmt.Sprintf(`{"name":"ops","description":"d","agent_names":%s%s}`, list, more))
	return made["id"].(string)
}

// post says something without a connection, and returns the message's id and position.
func (a *agent) post(room, text string) (id string, at core.Position) {
	a.g.t.Helper()
	posted, placed, err := a.g.node.PostMessage(context.Background(), room, core.PostMessage{Sender: a.id, Text: text}, nil)
	require.NoError(a.g.t, err)
	return posted.Message, placed.Position
}

func (a *agent) beat(conn string, cursor any) reply {
	a.g.t.Helper()
	return a.g.do("POST", a.path("/connection/beat"), a.key,
		fmt.Sprintf(`{"connection_id":%q,"cursor":%v}`, conn, cursor))
}

func (a *agent) subscribe(conn, room, more string) reply {
	a.g.t.Helper()
	return a.g.do("POST", a.path("/connection/subscribe"), a.key,
		fmt.Sprintf(`{"connection_id":%q,"room_id":%q%s}`, conn, room, more))
}

// tap is an open event stream.
type tap struct {
	t      testing.TB
	status int
	header http.Header
	// refusal is the body of an open that was refused.
	refusal string
	frames  chan string
	cancel  context.CancelFunc
	// broken is how the body ended; valid once frames is closed.
	broken error
}

// open opens a stream. query is appended to connection_id.
func (a *agent) open(conn, query string, headers ...string) *tap {
	a.g.t.Helper()
	t, err := a.tryOpen(conn, query, headers...)
	require.NoError(a.g.t, err)
	require.Equal(a.g.t, 200, t.status, t.refusal)
	return t
}

func (a *agent) tryOpen(conn, query string, headers ...string) (*tap, error) {
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET",
		a.g.url+a.path("/events?connection_id="+url.QueryEscape(conn)+query), nil)
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Accept", "text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := a.g.http.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	t := &tap{t: a.g.t, status: res.StatusCode, header: res.Header, frames: make(chan string), cancel: cancel}
	if res.StatusCode != 200 {
		defer cancel()
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		t.refusal = string(body)
		return t, err
	}
	a.g.t.Cleanup(cancel)
	go t.pump(ctx, res.Body)
	return t, nil
}

// pump hands on the frames, each with the empty line that ends it.
func (t *tap) pump(ctx context.Context, body io.ReadCloser) {
	defer close(t.frames)
	defer func() { _ = body.Close() }()
	r := bufio.NewReader(body)
	var frame strings.Builder
	for {
		line, err := r.ReadString('\n')
		frame.WriteString(line)
		if err != nil {
			if !errors.Is(err, io.EOF) || frame.Len() > 0 {
				t.broken = fmt.Errorf("stream ended in %q: %w", frame.String(), err)
			}
			return
		}
		if line == "\n" {
			select {
			case t.frames <- frame.String():
			case <-ctx.Done():
				return
			}
			frame.Reset()
		}
	}
}

// next returns the next frame that is no keepalive.
func (t *tap) next() string {
	t.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		f, ok := t.within(limit.C)
		require.True(t.t, ok, "the stream ended")
		if f != ": keepalive\n\n" {
			return f
		}
	}
}

// any returns the next frame, false at the end.
func (t *tap) any() (string, bool) {
	t.t.Helper()
	return t.within(time.After(patience))
}

func (t *tap) within(limit <-chan time.Time) (string, bool) {
	t.t.Helper()
	select {
	case f, ok := <-t.frames:
		return f, ok
	case <-limit:
		t.t.Fatal("no frame came")
		return "", false
	}
}

// ended makes sure that the response ends in order, with nothing before its end.
func (t *tap) ended() {
	t.t.Helper()
	f, ok := t.any()
	require.False(t.t, ok, "unexpected frame %q", f)
	require.NoError(t.t, t.broken)
}

// hello skips connection_state.
func (t *tap) hello() *tap {
	t.t.Helper()
	require.Contains(t.t, t.next(), "event: connection_state\n")
	return t
}

// close ends the stream from the client's side and waits until the client has let go of it.
func (t *tap) close() {
	t.cancel()
	for range t.frames {
	}
}

// event decodes the data of a frame.
func event(t testing.TB, frame string) (kind string, data map[string]any) {
	t.Helper()
	for line := range strings.Lines(frame) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "event: "); ok {
			kind = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			require.NoError(t, json.Unmarshal([]byte(rest), &data))
		}
	}
	return kind, data
}

// body returns the text of the next message.
func (t *tap) body() string {
	t.t.Helper()
	frame := t.next()
	kind, data := event(t.t, frame)
	require.Equal(t.t, "message", kind, frame)
	return data["payload"].(map[string]any)["body"].(string)
}

func changed(rooms ...string) string {
	list := "[]"
	if len(rooms) > 0 {
		list = `["` + strings.Join(rooms, `","`) + `"]`
	}
	return "event: subscription_changed\ndata: {\"rooms\":" + list + ",\"reason\":\"subscription updated\"}\n\n"
}

func evicted(reason string) string {
	return "event: evicted\ndata: {\"reason\":\"" + reason + "\"}\n\n"
}

// eventually waits for a state that nothing announces.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		require.True(t, time.Now().Before(end), what)
		time.Sleep(time.Millisecond)
	}
}
