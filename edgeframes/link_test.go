package edgeframes_test

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/edgeframes"
)

func TestBackoffGrowsAndIsResetByHello(t *testing.T) {
	var greeted atomic.Bool
	url := agentServer(t, func(p *peer) {
		if p.n == 8 {
			greeted.Store(true)
			p.send(edgeframes.Hello{})
		}
	})
	clock := newFakeClock()
	c := newClient(t, url, edgeframes.ClientOptions{Clock: clock, Rand: func() float64 { return 0.5 }, HelloTimeout: time.Hour})
	c.Start(testContext(t))
	for _, ms := range []int{250, 500, 1000, 2000, 4000, 8000, 10_000, 250, 500} {
		delay := time.Duration(ms) * time.Millisecond * 3 / 4
		clock.expect(t, delay)
		clock.pass(delay)
	}
	require.True(t, greeted.Load())
}

func TestGoingAwayBringsTheClientBackAtOnce(t *testing.T) {
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		if p.n == 1 {
			_ = p.conn.Close(websocket.StatusGoingAway, edgeframes.CloseGoingAway.Text())
			return
		}
		p.drain()
	})
	down := make(chan error, 1)
	// With this clock a delay would never end.
	c := dial(t, url, edgeframes.ClientOptions{Clock: newFakeClock(), OnDisconnect: func(err error) { down <- err }})
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(receive(t, down)))
	require.NoError(t, c.Ready(testContext(t)))
}

// A server that greets and goes away each time is asked without a pause only every other time.
func TestGoingAwayAgainAndAgainIsNoReasonToHurry(t *testing.T) {
	var asked atomic.Int64
	url := agentServer(t, func(p *peer) {
		asked.Add(1)
		p.send(edgeframes.Hello{})
		_ = p.conn.Close(websocket.StatusGoingAway, edgeframes.CloseGoingAway.Text())
	})
	clock := newFakeClock()
	c := newClient(t, url, edgeframes.ClientOptions{Clock: clock, Rand: func() float64 { return 0.5 }})
	c.Start(testContext(t))
	const delay = 250 * time.Millisecond * 3 / 4
	for round := range int64(3) {
		clock.expect(t, delay)
		require.Equal(t, 2*(round+1), asked.Load())
		clock.pass(delay)
	}
}

func TestHeartbeat(t *testing.T) {
	pings := make(chan edgeframes.Frame, 10)
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		seen := 0
		for f := p.recv(); f != nil; f = p.recv() {
			pings <- f
			if seen++; p.n == 1 && seen < 2 {
				p.send(edgeframes.Pong{})
			}
		}
	})
	clock := newFakeClock()
	down := make(chan error, 1)
	c := dial(t, url, edgeframes.ClientOptions{Clock: clock, OnDisconnect: func(err error) { down <- err }})

	clock.expect(t, edgeframes.DefaultPingInterval)
	clock.pass(edgeframes.DefaultPingInterval)
	clock.expect(t, edgeframes.DefaultPingTimeout)
	clock.expect(t, edgeframes.DefaultPingInterval) // the pong came
	clock.pass(edgeframes.DefaultPingTimeout)       // of the first ping: too late to matter
	clock.pass(edgeframes.DefaultPingInterval)
	clock.expect(t, edgeframes.DefaultPingTimeout)
	require.Equal(t, edgeframes.Ping{}, receive(t, pings))
	require.Equal(t, edgeframes.Ping{}, receive(t, pings))
	require.NoError(t, c.Ready(testContext(t)))

	clock.pass(edgeframes.DefaultPingTimeout)
	require.ErrorIs(t, receive(t, down), edgeframes.ErrSilent)
}

func TestALateHelloEndsTheLink(t *testing.T) {
	attempts := make(chan int, 10)
	url := agentServer(t, func(p *peer) {
		attempts <- p.n
		p.drain()
	})
	clock := newFakeClock()
	down := make(chan error, 1)
	c := newClient(t, url, edgeframes.ClientOptions{Clock: clock, OnDisconnect: func(err error) { down <- err }})
	c.Start(testContext(t))
	require.Equal(t, 1, receive(t, attempts))
	clock.expect(t, edgeframes.DefaultHelloTimeout)
	clock.pass(edgeframes.DefaultHelloTimeout)
	require.ErrorIs(t, receive(t, down), edgeframes.ErrSilent)
}

// Each of these makes the client close with the code, say why, and come back.
func TestFaultsOfTheServerRebuildTheLink(t *testing.T) {
	raw := func(text string) func(p *peer) {
		return func(p *peer) { p.write(websocket.MessageText, []byte(text)) }
	}
	tests := map[string]struct {
		fault func(p *peer)
		code  websocket.StatusCode
		why   string
	}{
		"malformed":        {raw(`{"json":{"v":1}}`), websocket.StatusProtocolError, "kind is missing"},
		"no SuperJSON":     {raw(`hello`), websocket.StatusProtocolError, "not valid JSON"},
		"a hostile path":   {raw(`{"json":{"v":1,"kind":"hello"},"meta":{"values":{"__proto__":["Date"]}}}`), websocket.StatusProtocolError, "forbidden key"},
		"invalid UTF-8":    {raw("{\"json\":\"\xff\"}"), websocket.StatusProtocolError, "not valid UTF-8"},
		"a client's frame": {func(p *peer) { p.send(edgeframes.Ping{}) }, websocket.StatusProtocolError, "the server sent a ping frame"},
		"a connection error": {func(p *peer) {
			p.send(edgeframes.ConnectionError(edgeframes.CodeUnauthorized, "who are you"))
		}, websocket.StatusProtocolError, "who are you"},
		"binary":  {func(p *peer) { p.write(websocket.MessageBinary, []byte("x")) }, websocket.StatusUnsupportedData, "binary"},
		"too big": {raw(`"` + strings.Repeat("x", 2000) + `"`), websocket.StatusMessageTooBig, "too big"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			codes, down := make(chan websocket.StatusCode, 1), make(chan error, 1)
			url := agentServer(t, func(p *peer) {
				if p.n > 1 {
					p.send(edgeframes.Hello{})
					p.drain()
					return
				}
				tt.fault(p)
				p.send(edgeframes.Hello{})
				codes <- p.drain()
			})
			c := newClient(t, url, quick(edgeframes.ClientOptions{ReadLimit: 1000, OnDisconnect: func(err error) { down <- err }}))
			waiting := make(chan error, 1)
			go func() {
				_, err := c.Call(testContext(t), "m")
				waiting <- err
			}()
			// A call that enlists after the link went down would wait for the next one.
			require.Eventually(t, func() bool { return c.Waiting() == 1 }, patience, time.Millisecond)
			c.Start(testContext(t))
			why := receive(t, down)
			require.ErrorContains(t, why, tt.why)
			require.Equal(t, tt.code, receive(t, codes))
			if err := receive(t, waiting); name == "a connection error" {
				require.ErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeUnauthorized})
			} else {
				require.ErrorIs(t, err, edgeframes.ErrLinkDown)
			}
			require.NoError(t, c.Ready(testContext(t)))
		})
	}
}

// Resumable, Once, Ordered: whatever the cuts, a resuming client sees each event and
// message once and in order.
func TestResumeUnderManyCuts(t *testing.T) {
	const total = 400
	random := rand.New(rand.NewPCG(1, 2))
	cutAfter := make([]int, total+1)
	for i := range cutAfter {
		cutAfter[i] = 1 + random.IntN(9)
	}
	url := agentServer(t, func(p *peer) {
		attach, ok := p.recv().(edgeframes.Attach)
		if !ok {
			return
		}
		seen := attach.Cursors
		p.send(edgeframes.Attached{Grants: []string{}, Accepted: edgeframes.Streams()})
		if seen == nil {
			p.send(edgeframes.Messages{Snapshot: []edgeframes.Message{}})
		}
		p.send(edgeframes.Hello{})
		next, message := seen[edgeframes.StreamEvents]+1, seen[edgeframes.StreamMessages]+1
		for range cutAfter[min(p.n, total)] {
			if next <= total {
				p.send(event(next))
				next++
			}
			if message <= total {
				p.send(edgeframes.Messages{Appended: []edgeframes.Message{msg(message)}})
				message++
			}
		}
		if next > total && message > total {
			p.drain()
		}
	})
	c := newClient(t, url, quick(edgeframes.ClientOptions{Resume: true}))
	events := c.Events(testContext(t), 0)
	c.Start(testContext(t))
	var want, got []uint64
	for e, err := range events {
		require.NoError(t, err)
		want = append(want, uint64(len(want)+1))
		if got = append(got, e.Seq); e.Seq == total {
			break
		}
	}
	require.Len(t, got, total)
	require.Equal(t, want, got)
	require.Equal(t, want, messageSeqs(t, c, total))
}
