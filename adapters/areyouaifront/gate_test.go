package areyouaifront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

func newClock() *testclock.Clock {
	return testclock.At(time.Date(2026, time.April, 2, 10, 0, 0, 0, time.UTC))
}

// bits is a repeatable source of randomness.
type bits struct {
	mu  sync.Mutex
	src *rand.ChaCha8
}

func (b *bits) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.src.Read(p)
}

// gate is a front on a node of its own, behind a listener.
type gate struct {
	t     *testing.T
	node  *core.Node
	front *areyouaifront.Front
	url   string
	clock *testclock.Clock
	log   core.Log
	web   *http.Client
	opts  areyouaifront.Options
	lives core.Lives
}

// unlimited switches all limits off.
func unlimited() areyouaifront.Options {
	return areyouaifront.Options{Limits: &areyouaifront.Limits{}}
}

func newGate(t *testing.T, o areyouaifront.Options) *gate { return newGateOf(t, o, core.Lives{}) }

// newGateOf is newGate on a node with lives of its own.
func newGateOf(t *testing.T, o areyouaifront.Options, lives core.Lives) *gate {
	t.Helper()
	g := &gate{t: t, clock: newClock(), log: memlog.New(), opts: o, lives: lives}
	t.Cleanup(func() { require.NoError(t, g.log.Close()) })
	g.start("one")
	return g
}

// start opens a node on the log and serves it.
func (g *gate) start(name string) {
	g.t.Helper()
	node, err := core.Open(context.Background(), g.log, core.Options{
		NodeID: name, Now: g.clock.Now, IDs: core.IDs{Random: &bits{src: rand.NewChaCha8([32]byte{1, byte(len(name))})}}, SweepEvery: time.Hour,
		Lives: g.lives,
	})
	require.NoError(g.t, err)
	o := g.opts
	o.Logger = zaptest.NewLogger(g.t, zaptest.Level(zap.ErrorLevel))
	g.node, g.front = node, areyouaifront.New(node, o)
	srv := httptest.NewUnstartedServer(described(g.t, g.front.Handler()))
	srv.Config.ConnContext = smallBuffer
	srv.Start()
	g.url = srv.URL
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	g.web = &http.Client{Transport: transport}
	front := g.front
	g.t.Cleanup(func() {
		front.Drain()
		transport.CloseIdleConnections()
		srv.CloseClientConnections()
		srv.Close()
		require.NoError(g.t, node.Close(context.Background()))
	})
}

// smallBuffer keeps the kernel from hiding a reader that reads nothing.
func smallBuffer(ctx context.Context, c net.Conn) context.Context {
	_ = c.(*net.TCPConn).SetWriteBuffer(64 << 10)
	return ctx
}

// beside returns a gate with a node of its own on the same log, as of a second machine or after a restart.
func (g *gate) beside(name string) *gate {
	g.t.Helper()
	other := *g
	other.start(name)
	return &other
}

// answer is a reply as it came.
type answer struct {
	status int
	header http.Header
	body   string
}

// code returns the error code of a refusal, "" otherwise.
func (a answer) code() string {
	var e areyouai.Error
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return ""
	}
	return string(e.Code)
}

// ask is a request in the making.
type ask struct {
	method, path, token, body string
	header                    map[string]string
}

func (g *gate) do(a ask) answer {
	g.t.Helper()
	out, err := g.try(a)
	require.NoError(g.t, err)
	return out
}

func (g *gate) try(a ask) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, a.method, g.url+a.path, strings.NewReader(a.body))
	if err != nil {
		return answer{}, err
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	for k, v := range a.header {
		req.Header.Set(k, v)
	}
	resp, err := g.web.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: string(body)}, err
}

func (g *gate) get(path, token string) answer {
	g.t.Helper()
	return g.do(ask{method: http.MethodGet, path: path, token: token})
}

func (g *gate) post(path, token, body string) answer {
	g.t.Helper()
	return g.do(ask{method: http.MethodPost, path: path, token: token, body: body})
}

// as decodes a reply that must have the status.
func as[T any](g *gate, status int, a answer) (out T) {
	g.t.Helper()
	require.Equal(g.t, status, a.status, a.body)
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &out))
	return out
}

// person is a registered agent with a session.
type person struct{ id, key, token string }

func (g *gate) person(name string) person {
	g.t.Helper()
	made := as[areyouai.RegisterReply](g, 201, g.post("/v1/agent/register", "", fmt.Sprintf(`{"name":%q}`, name)))
	in := as[areyouai.LoginReply](g, 200, g.post("/v1/agent/login", "", fmt.Sprintf(`{"api_key":%q}`, made.APIKey)))
	return person{id: made.AgentID, key: made.APIKey, token: in.SessionToken}
}

// room is a turns room with both sides.
type room struct {
	g       *gate
	id      string
	a, b    person
	listing string
}

func (g *gate) listing(owner person, body string) areyouai.ListingReply {
	g.t.Helper()
	return as[areyouai.ListingReply](g, 201, g.post("/v1/listings", owner.token, body))
}

func (g *gate) room() room { return g.roomOf(`{"topic":"tea"}`) }

func (g *gate) roomOf(listing string) room {
	g.t.Helper()
	r := room{g: g, a: g.person("Ada"), b: g.person("Bob")}
	l := g.listing(r.a, listing)
	r.id, r.listing = l.RoomID, l.ID
	require.Equal(g.t, 201, g.post("/v1/listings/"+l.ID+"/connect", r.b.token, "").status)
	return r
}

func (r room) path(tail string) string { return "/v1/rooms/" + r.id + tail }

func (r room) context(p person) areyouai.ContextReply {
	r.g.t.Helper()
	return as[areyouai.ContextReply](r.g, 200, r.g.get(r.path("/context"), p.token))
}

// message is the body of a post that is right at this moment, except for what edit changes.
func (r room) message(p person, text string, edit ...func(*areyouai.SendRequest)) string {
	r.g.t.Helper()
	c := r.context(p)
	req := areyouai.SendRequest{ExpectedTurn: c.NextTurn, Ciphertext: text, BundleHash: c.BundleHash}
	for _, e := range edit {
		e(&req)
	}
	body, err := json.Marshal(req)
	require.NoError(r.g.t, err)
	return string(body)
}

func (r room) post(p person, body string) answer {
	r.g.t.Helper()
	return r.g.post(r.path("/messages"), p.token, body)
}

func (r room) say(p person, text string) areyouai.SendReply {
	r.g.t.Helper()
	return as[areyouai.SendReply](r.g, 201, r.post(p, r.message(p, text)))
}

// talk lets the two sides say n messages, beginning with the one whose turn it is.
func (r room) talk(n int) {
	r.g.t.Helper()
	from := int(as[areyouai.RoomReply](r.g, 200, r.g.get(r.path("/state"), r.a.token)).TurnIndex)
	for turn := from; turn < from+n; turn++ {
		r.say([]person{r.a, r.b}[turn%2], fmt.Sprintf("message %d", turn))
	}
}

// openRoom makes a room with an open floor as another door would.
func (g *gate) openRoom(members ...person) room {
	g.t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "commons"}}
	for _, p := range members {
		cmd.Members = append(cmd.Members, core.NewMember{Agent: p.id, Name: p.id})
	}
	made, _, err := g.node.CreateRoom(context.Background(), cmd, nil)
	require.NoError(g.t, err)
	r := room{g: g, id: made.Room, a: members[0]}
	if len(members) > 1 {
		r.b = members[1]
	}
	return r
}
