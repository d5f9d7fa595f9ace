package chaos_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/adapters/edgefront"
	"stele/adapters/switchfront"
	"stele/core"
	"stele/core/sqlitelog"
)

// local is a whole gateway in this process, on a log in a file, so that what it holds in memory can be measured.
type local struct {
	node *core.Node
	url  string
	room string
	// speaker posts; nobody else does.
	speaker core.Agent
	// listeners are members of the room, with their keys.
	listeners []core.Registered
	// session is that of the first listener.
	session string
}

// recent is how much of the log is kept at hand for the gateway's own tail: little, so that a leak would stand out.
const (
	recentBytes  = 256 << 10
	recentEvents = 64
)

// stillness is how long nobody has to beat here, and how long a reader may take nothing: how long a connection lives without
// is not what these tests are about, and on a busy machine they take longer than that.
const stillness = time.Hour

func startLocal(t *testing.T, listeners int) *local {
	t.Helper()
	log, err := sqlitelog.Open(t.TempDir(), sqlitelog.Options{RecentBytes: recentBytes, RecentEvents: recentEvents})
	require.NoError(t, err)
	node, err := core.Open(t.Context(), log, core.Options{LeaseTTL: stillness})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serving, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		gateway := adapters.New(node, adapters.Options{
			Switch:   switchfront.Options{ProgressTimeout: stillness},
			Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{}, ProgressTimeout: stillness},
			Edge:     edgefront.Options{ProgressTimeout: stillness},
		})
		done <- gateway.Serve(serving, &tightListener{ln})
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, node.Close(ctx))
		require.NoError(t, log.Close())
	})
	g := &local{node: node, url: "http://" + ln.Addr().String()}
	g.fill(t, listeners)
	return g
}

// tightListener gives the gateway's side of connections small buffers, so that a reader that sleeps is soon felt.
type tightListener struct{ net.Listener }

func (l *tightListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if err := conn.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// fill makes a room with a speaker and listeners.
func (g *local) fill(t *testing.T, listeners int) {
	t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "hall"}}
	join := func(name string) core.Registered {
		made, err := g.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name}, DeriveHandle: true})
		require.NoError(t, err)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: made.Agent.ID, Name: name, Handle: made.Agent.Handle})
		return made
	}
	g.speaker = join("speaker").Agent
	for range listeners {
		g.listeners = append(g.listeners, join("listener"))
	}
	made, _, err := g.node.CreateRoom(t.Context(), cmd, nil)
	require.NoError(t, err)
	g.room = made.Room
	g.session, _, err = g.node.OpenSession(t.Context(), g.node.Authenticate(g.listeners[0].Key))
	require.NoError(t, err)
}

func (g *local) post(t *testing.T, text string) {
	t.Helper()
	_, _, err := g.node.PostMessage(t.Context(), g.room, core.PostMessage{Sender: g.speaker.ID, Text: text}, nil)
	require.NoError(t, err)
}

// life gives a client of its own to whoever connects; dial may be nil.
func (g *local) life(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) *life {
	t.Helper()
	l := &life{proc: &process{url: g.url}}
	l.ctx, l.end = context.WithCancel(t.Context())
	l.http = &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64}}
	return l
}

// listener returns the i-th listener as the Switch door knows it; there may be fewer listeners than that.
func (g *local) listener(i int) switchAgent {
	r := g.listeners[i%len(g.listeners)]
	return switchAgent{name: r.Agent.Handle, id: r.Agent.ID, key: r.Key}
}

// heap is what is held in memory once everything that can be freed was.
func heap() uint64 {
	// What a pool holds goes with the second collection.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
