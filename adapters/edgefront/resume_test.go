package edgefront_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// cutter is a listener whose connections can be cut at random.
type cutter struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (c *cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		c.conns = append(c.conns, conn)
		c.mu.Unlock()
	}
	return conn, err
}

// cut ends every connection that there is.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		// What is on its way is lost, as on a network that breaks.
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
	c.conns = nil
}

// A client that resumes after each of 100 cuts, at random moments under writes, sees every message and every event once
// and in order.
func TestResumeUnderCutsLosesAndRepeatsNothing(t *testing.T) {
	g := newGateway(t, edgefront.Options{RetainEvents: 1 << 20})
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{Listener: ln}
	srv := httptest.NewUnstartedServer(g.front.Handler())
	srv.Listener = c
	srv.Start()
	defer srv.Close()

	client, err := edgeframes.NewClient("ws"+strings.TrimPrefix(srv.URL, "http")+"/agents/alice/chat", edgeframes.ClientOptions{
		Token: bob.key, Resume: true, BackoffMin: time.Millisecond, BackoffMax: 5 * time.Millisecond,
		EventBuffer: 1 << 20, KeepMessages: 1 << 20,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
	defer cancel()
	events := client.Events(ctx, 0)
	client.Start(ctx)
	defer client.Close()

	posted := make(chan int, 1)
	stop := make(chan struct{})
	go func() {
		n := 0
		defer func() { posted <- n }()
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			g.post(room, alice, fmt.Sprintf("m%d", n))
			time.Sleep(time.Duration(rand.IntN(400)) * time.Microsecond)
		}
	}()
	for range 100 {
		require.NoError(t, client.Ready(ctx))
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		c.cut()
	}
	close(stop)
	total := <-posted

	// The room was created with two members, so the messages' events begin with version 4.
	seq := uint64(0)
	for e, err := range events {
		require.NoError(t, err)
		require.Equal(t, seq+1, e.Seq)
		if seq = e.Seq; seq == uint64(total)+3 {
			break
		}
	}
	require.NoError(t, client.Ready(ctx))
	got := 0
	for update, err := range client.Messages(ctx) {
		require.NoError(t, err)
		for _, m := range update.Messages {
			require.Equal(t, fmt.Sprintf("m%d", got), m.Content)
			got++
			require.EqualValues(t, got, m.Seq)
		}
		if got >= total {
			break
		}
	}
	require.Equal(t, total, got)
	t.Logf("%d messages over 100 cuts", total)
}

// Clients that come while messages pour in get the snapshot and then what follows, without a hole and without a repeat.
func TestSnapshotThenLiveHasNoHole(t *testing.T) {
	g := newGateway(t, edgefront.Options{RetainEvents: 1 << 20})
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	const count = 600
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range count {
			g.post(room, alice, fmt.Sprintf("m%d", i))
		}
	})
	for range 10 {
		client, err := edgeframes.NewClient(g.url("/agents/alice/chat"), edgeframes.ClientOptions{
			Token: alice.key, EventBuffer: 1 << 16,
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		events := client.Events(ctx, 0)
		client.Start(ctx)
		wg.Go(func() {
			defer client.Close()
			seq := uint64(0)
			for e, err := range events {
				if err != nil || e.Seq != seq+1 {
					t.Errorf("event %d after %d: %v", e.Seq, seq, err)
					return
				}
				if seq = e.Seq; seq == count+2 {
					break
				}
			}
			seen := uint64(0)
			for update, err := range client.Messages(ctx) {
				if err != nil {
					t.Error(err)
					return
				}
				for _, m := range update.Messages {
					if m.Seq != seen+1 {
						t.Errorf("message %d after %d", m.Seq, seen)
					}
					seen = m.Seq
				}
				if seen == count {
					break
				}
			}
			for state := range client.State(ctx) {
				turn, _ := state.Get("turn")
				if turn == superjson.Int(count) {
					break
				}
			}
		})
	}
	wg.Wait()
}
