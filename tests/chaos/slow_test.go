package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/edgeframes"
	"stele/internal/sse"
	agentswitch "stele/switch"
)

// What TestSlowReaders publishes: 3.2 MB, more than all the buffers take that lie between the gateway and a reader.
const (
	slowMessages  = 100
	slowTextBytes = 32 << 10
	fastReaders   = 100
)

// slowBound is what the gateway may hold in memory after that, for everything: the newest events of the room, which a
// topic bounds by about 1 MiB, what is on its way to each slow reader, which a batch bounds by 256 KiB, and little else.
const slowBound = 5 << 19

// sluggish is a connection whose reader is asleep until it is woken: it takes a byte at each tick, or nothing.
type sluggish struct {
	net.Conn
	ticks  <-chan time.Time
	asleep atomic.Bool
	woken  chan struct{}
	once   sync.Once
	closed chan struct{}
}

// dialSluggish dials connections and hands them over.
func dialSluggish(ticks <-chan time.Time, conns chan<- *sluggish) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &sluggish{Conn: conn, ticks: ticks, woken: make(chan struct{}), closed: make(chan struct{})}
		conns <- c
		return c, nil
	}
}

func (c *sluggish) Read(p []byte) (int, error) {
	if c.asleep.Load() {
		select {
		case <-c.woken:
		case <-c.ticks:
			p = p[:1]
		case <-c.closed:
			return 0, net.ErrClosed
		}
	}
	return c.Conn.Read(p)
}

func (c *sluggish) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// feed is a connection that brings the messages of a room as they are on the wire.
type feed struct {
	next  func() ([]byte, error)
	close func()
}

// feedOf are the ways to follow the room of a local gateway; i tells the readers apart.
func feedsOf(g *local) map[string]func(l *life, i int) (*feed, error) {
	return map[string]func(l *life, i int) (*feed, error){
		onSwitch: func(l *life, i int) (*feed, error) {
			path := "/agents/" + g.listener(i).id + "/events?scope=all&connection_id=" + strconv.Itoa(i)
			return openSSE(l, path, g.listener(i).key, string(agentswitch.TypeMessage), agentswitch.FrameConnectionState)
		},
		onAreyouai: func(l *life, _ int) (*feed, error) {
			path := areyouai.Path(areyouai.PathRoomEvents, g.room)
			return openSSE(l, path, g.session, string(areyouai.EventMessageCreated), string(areyouai.EventRoomCreated))
		},
		onEdge: func(l *life, _ int) (*feed, error) {
			return openSocket(l, g.listener(0), g.room)
		},
	}
}

// openSSE opens a stream of server-sent events and waits for a first event. Its feed is the events of one name.
func openSSE(l *life, path, token, name, first string) (*feed, error) {
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, l.proc.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := l.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return nil, errors.Join(fmt.Errorf("%s: %s", resp.Status, text), resp.Body.Close())
	}
	reader := sse.NewReader(resp.Body, 0)
	await := func(name string) ([]byte, error) {
		for {
			ev, err := reader.Next()
			if err != nil || ev.Event == name {
				return ev.Data, err
			}
		}
	}
	f := &feed{next: func() ([]byte, error) { return await(name) }, close: func() { _ = resp.Body.Close() }}
	if _, err := await(first); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// openSocket opens an edge socket and waits for hello. Its feed is the frames of appended messages.
func openSocket(l *life, a switchAgent, room string) (*feed, error) {
	socket, err := dialEdge(l, a.name, room, edgeframes.Attach{
		Token: a.key, Subscribe: []edgeframes.Stream{edgeframes.StreamMessages},
	})
	if err != nil {
		return nil, err
	}
	await := func(part string) ([]byte, error) {
		for {
			typ, text, err := socket.conn.Read(l.ctx)
			if err != nil || typ == websocket.MessageText && bytes.Contains(text, []byte(part)) {
				return text, err
			}
		}
	}
	f := &feed{
		next:  func() ([]byte, error) { return await(`"appended"`) },
		close: func() { _ = socket.conn.CloseNow() },
	}
	if _, err := await(`"hello"`); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// readAll reads the numbered messages to the last one and makes sure that each comes once and in its place.
func (f *feed) readAll(count int) error {
	for i := range count {
		data, err := f.next()
		if err != nil {
			return fmt.Errorf("after %d messages: %w", i, err)
		}
		if !bytes.Contains(data, fmt.Appendf(nil, "number %d.", i)) {
			return fmt.Errorf("message %d is %.80q", i, data)
		}
	}
	return nil
}

// TestSlowReaders: one reader that takes nothing and one that takes a byte a second keep nobody from getting everything,
// and the gateway holds little for them. Once they read on, they get everything too.
func TestSlowReaders(t *testing.T) {
	for _, protocol := range []string{onSwitch, onAreyouai, onEdge} {
		t.Run(protocol, func(t *testing.T) { testSlowReaders(t, protocol) })
	}
}

func testSlowReaders(t *testing.T, protocol string) {
	g := startLocal(t, 4)
	open := feedsOf(g)[protocol]
	fast := g.life(t, nil)
	defer fast.over()
	var feeds []*feed
	for i := range fastReaders {
		f, err := open(fast, i)
		require.NoError(t, err)
		defer f.close()
		feeds = append(feeds, f)
	}
	every := time.NewTicker(time.Second)
	defer every.Stop()
	conns := make(chan *sluggish, 2)
	var slow []*feed
	for i, ticks := range []<-chan time.Time{nil, every.C} {
		l := g.life(t, dialSluggish(ticks, conns))
		defer l.over()
		f, err := open(l, fastReaders+i)
		require.NoError(t, err)
		defer f.close()
		slow = append(slow, f)
	}
	sleepers := []*sluggish{<-conns, <-conns}
	for _, c := range sleepers {
		c.asleep.Store(true)
	}

	before := heap()
	outcomes := make(chan error)
	for _, f := range feeds {
		go func() { outcomes <- f.readAll(slowMessages) }()
	}
	slowOutcomes := make(chan error)
	for _, f := range slow {
		go func() { slowOutcomes <- f.readAll(slowMessages) }()
	}
	padding := strings.Repeat("x", slowTextBytes)
	for i := range slowMessages {
		g.post(t, fmt.Sprintf("number %d.%s", i, padding))
	}
	for range feeds {
		require.NoError(t, receive(t, outcomes))
	}
	select {
	case err := <-slowOutcomes:
		t.Fatalf("a reader that sleeps has everything (%v): it was not slow", err)
	default:
	}
	held := int64(heap()) - int64(before)
	t.Logf("%d KiB were published, %d KiB are held", slowMessages*slowTextBytes>>10, held>>10)
	require.Less(t, held, int64(slowBound))

	for _, c := range sleepers {
		close(c.woken)
	}
	for range slow {
		require.NoError(t, receive(t, slowOutcomes))
	}
}

func receive(t *testing.T, from <-chan error) error {
	t.Helper()
	select {
	case err := <-from:
		return err
	case <-time.After(patience):
		return errors.New("nothing came in time")
	}
}
