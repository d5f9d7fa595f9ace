package chaos_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	l := g.life(t, nil)
	defer l.over()
	var fast []*feed
	for i := range fastReaders {
		f, err := open(l, i)
		require.NoError(t, err)
		defer f.close()
		fast = append(fast, f)
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
	fastDone, slowDone := readAll(fast), readAll(slow)
	padding := strings.Repeat("x", slowTextBytes)
	for i := range slowMessages {
		g.post(t, fmt.Sprintf("number %d.%s", i, padding))
	}
	awaitAll(t, fast, fastDone)
	require.Empty(t, slowDone, "a reader that sleeps has everything: it was not slow")
	held := int64(heap()) - int64(before)
	t.Logf("%d KiB were published, %d KiB are held", slowMessages*slowTextBytes>>10, held>>10)
	require.Less(t, held, int64(slowBound))

	for _, c := range sleepers {
		close(c.woken)
	}
	awaitAll(t, slow, slowDone)
}

// readAll lets every feed read all messages and returns where their outcomes come.
func readAll(feeds []*feed) <-chan error {
	done := make(chan error, len(feeds))
	for _, f := range feeds {
		go func() { done <- f.readAll(slowMessages) }()
	}
	return done
}

func awaitAll(t *testing.T, feeds []*feed, done <-chan error) {
	t.Helper()
	late := time.After(patience)
	for range feeds {
		select {
		case err := <-done:
			require.NoError(t, err)
		case <-late:
			t.Fatal("some reader did not get everything in time")
		}
	}
}
