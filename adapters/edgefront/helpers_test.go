package edgefront_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

// patience is far more than anything here needs.
const patience = 20 * time.Second

// gateway is a front on a node, reachable over a real socket.
type gateway struct {
	t     testing.TB
	node  *core.Node
	front *edgefront.Front
	srv   *httptest.Server

	mu    sync.Mutex
	names []string
}

// quick are options under which no test waits for a silent client, patient those under which a client that attaches has
// all the time it needs on a busy machine.
func quick() edgefront.Options   { return edgefront.Options{AttachGrace: 20 * time.Millisecond} }
func patient() edgefront.Options { return edgefront.Options{AttachGrace: patience} }

func newGateway(t testing.TB, o edgefront.Options) *gateway {
	t.Helper()
	return newGatewayOn(t, memlog.New(), core.Options{}, o)
}

func newGatewayOn(t testing.TB, log core.Log, co core.Options, o edgefront.Options) *gateway {
	t.Helper()
	node, err := core.Open(context.Background(), log, co)
	require.NoError(t, err)
	front := edgefront.New(node, operations.New(node), o)
	g := &gateway{t: t, node: node, front: front, srv: httptest.NewServer(front.Handler())}
	t.Cleanup(func() {
		front.Drain()
		g.srv.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, node.Close(ctx))
	})
	return g
}

// person is an agent with its secret.
type person struct {
	core.Agent
	key string
}

func (g *gateway) register(handle string) person {
	g.t.Helper()
	r, err := g.node.Register(context.Background(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle}})
	require.NoError(g.t, err)
	g.name(r.Agent.ID, "<"+handle+">")
	return person{r.Agent, r.Key}
}

// room makes a room that people are in; edit may change the command.
func (g *gateway) room(name string, edit func(*core.CreateRoom), people ...person) string {
	g.t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: name}}
	for _, p := range people {
		cmd.Members = append(cmd.Members, core.NewMember{Agent: p.ID, Name: p.Name, Handle: p.Handle})
	}
	if edit != nil {
		edit(&cmd)
	}
	made, _, err := g.node.CreateRoom(context.Background(), cmd, nil)
	require.NoError(g.t, err)
	g.name(made.Room, "<room>")
	return made.Room
}

func private(cmd *core.CreateRoom) {
	cmd.Facts.ReadVisibility, cmd.Facts.WriteVisibility = "private", "private"
}

func (g *gateway) post(room string, from person, text string) core.Posted {
	g.t.Helper()
	p, _, err := g.node.PostMessage(context.Background(), room, core.PostMessage{Sender: from.ID, Text: text}, nil)
	require.NoError(g.t, err)
	return p
}

// name makes an id readable in what plain returns.
func (g *gateway) name(id, name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names = append(g.names, id, name)
}

var (
	timeForm    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	messageForm = regexp.MustCompile(`msg_[0-9a-f-]{36}`)
)

// plain replaces what differs from run to run: ids and times.
func (g *gateway) plain(text string) string {
	g.mu.Lock()
	text = strings.NewReplacer(g.names...).Replace(text)
	g.mu.Unlock()
	return messageForm.ReplaceAllString(timeForm.ReplaceAllString(text, "<time>"), "<msg>")
}

// link is a client that sees the texts on the wire.
type link struct {
	t    testing.TB
	g    *gateway
	conn *websocket.Conn
}

func (g *gateway) url(path string) string { return "ws" + strings.TrimPrefix(g.srv.URL, "http") + path }

func (g *gateway) dial(path string) *link {
	g.t.Helper()
	l, resp, err := g.tryDial(path, nil)
	require.NoError(g.t, err, "%v", resp)
	return l
}

func (g *gateway) tryDial(path string, o *websocket.DialOptions) (*link, *http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, g.url(path), o)
	if err != nil {
		return nil, resp, err
	}
	conn.SetReadLimit(64 << 20)
	g.t.Cleanup(func() { _ = conn.CloseNow() })
	return &link{t: g.t, g: g, conn: conn}, resp, nil
}

func (l *link) send(text string) {
	l.t.Helper()
	require.NoError(l.t, l.conn.Write(context.Background(), websocket.MessageText, []byte(text)))
}

// raw is the next text as it came.
func (l *link) raw() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, text, err := l.conn.Read(ctx)
	return string(text), err
}

// next is the next text with ids and times replaced.
func (l *link) next() string {
	l.t.Helper()
	text, err := l.raw()
	require.NoError(l.t, err)
	return l.g.plain(text)
}

// expect demands exactly these texts next.
func (l *link) expect(texts ...string) {
	l.t.Helper()
	for _, want := range texts {
		require.Equal(l.t, want, l.next())
	}
}

// until skips to the text that contains a part and returns it as it came.
func (l *link) until(part string) string {
	l.t.Helper()
	for {
		text, err := l.raw()
		require.NoError(l.t, err, "before %s", part)
		if strings.Contains(text, part) {
			return text
		}
	}
}

const (
	helloText = `{"json":{"v":1,"kind":"hello"}}`
	pingText  = `{"json":{"v":1,"kind":"ping"}}`
	pongText  = `{"json":{"v":1,"kind":"pong"}}`
)

// attach opens an address with a token and skips to hello.
func (g *gateway) attach(path, token string) *link {
	g.t.Helper()
	l := g.dial(path)
	l.send(attachText(token))
	l.until(`"kind":"hello"`)
	return l
}

func attachText(token string) string {
	return `{"json":{"v":2,"kind":"attach","token":"` + token + `"}}`
}

// ended skips to the end and returns how it was told.
func (l *link) ended() websocket.CloseError {
	l.t.Helper()
	for {
		if _, err := l.raw(); err != nil {
			var e websocket.CloseError
			require.ErrorAs(l.t, err, &e)
			return e
		}
	}
}
