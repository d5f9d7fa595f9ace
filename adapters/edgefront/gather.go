package edgefront

import (
	"errors"
	"net"
	"sync"
	"time"

	"stele/adapters/transport"
)

const (
	// gatherBytes is how much is gathered before a batch goes out although there is more to come.
	gatherBytes = 64 << 10
	// pieceBytes is how much is written under one deadline.
	pieceBytes = 16 << 10
	// controlBytes bounds the control frames that wait while a batch is on its way to a slow client.
	controlBytes = 32 << 10
)

// errFlood: the client sends pings faster than it takes the pongs.
var errFlood = errors.New("too many control frames wait to be written")

// gatherConn lies below the WebSocket library, which flushes after every message (measured: 3.4 times the throughput
// without that). Between hold and flush it keeps what is written and then writes it at once. Outside of a batch it
// writes through, so that pongs and close frames need nobody's help.
//
// The session's messages come through writeText, past the library, whose locks and buffers cost more per message than
// its copy (see frame.go); what the library writes are control frames.
//
// Every write has a deadline that moves with each piece; seal ends all reading and writing at a fixed time.
type gatherConn struct {
	net.Conn
	progress time.Duration
	buffers  *transport.Buffers

	mu sync.Mutex
	// waiting is what was written and not yet sent; nil when there is nothing.
	waiting *[]byte
	held    bool
	// closing tells that a close frame was written: no frame may follow it.
	closing bool
	// sending tells that a goroutine is in send; it takes along what others add meanwhile.
	sending bool
	sent    *sync.Cond
	sealed  time.Time
	err     error
}

func newGatherConn(c net.Conn, progress time.Duration, buffers *transport.Buffers) *gatherConn {
	g := &gatherConn{Conn: c, progress: progress, buffers: buffers}
	g.sent = sync.NewCond(&g.mu)
	return g
}

// Write implements [net.Conn] for the library. It copies p.
func (g *gatherConn) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return 0, g.err
	}
	if g.waiting == nil {
		g.waiting = g.buffers.Get()
	}
	if g.sending && !g.held && len(*g.waiting)+len(p) > controlBytes {
		return 0, errFlood
	}
	g.closing = g.closing || closes(p)
	*g.waiting = append(*g.waiting, p...)
	if g.held || g.sending {
		return len(p), nil
	}
	if err := g.drain(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hold begins a batch. Only the session's goroutine holds and flushes.
func (g *gatherConn) hold() {
	g.mu.Lock()
	g.held = true
	g.mu.Unlock()
}

// full tells whether the batch has grown so large that it should go out.
func (g *gatherConn) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting != nil && len(*g.waiting) >= gatherBytes
}

// flush ends the batch: when it returns nil, the network has all that was written.
func (g *gatherConn) flush() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
	for g.sending {
		g.sent.Wait()
	}
	return g.drain()
}

// drain sends what waits until nothing does. The caller holds mu, which is free while bytes move.
func (g *gatherConn) drain() error {
	g.sending = true
	for g.waiting != nil && g.err == nil {
		batch := g.waiting
		g.waiting = nil
		g.mu.Unlock()
		err := g.send(*batch)
		g.buffers.Put(batch)
		g.mu.Lock()
		g.err = err
	}
	g.sending = false
	g.sent.Broadcast()
	return g.err
}

func (g *gatherConn) send(p []byte) error {
	for len(p) > 0 {
		piece := p[:min(len(p), pieceBytes)]
		p = p[len(piece):]
		if err := g.arm(g.Conn.SetWriteDeadline); err != nil {
			return err
		}
		if _, err := g.Conn.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// arm gives what comes next the time of one piece.
func (g *gatherConn) arm(set func(time.Time) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.sealed.IsZero() {
		return set(g.sealed)
	}
	return set(time.Now().Add(g.progress))
}

// awaitBytes bounds the wait for the rest of a message that has begun; awaitMessage waits for the next for ever.
func (g *gatherConn) awaitBytes() error { return g.arm(g.Conn.SetReadDeadline) }

func (g *gatherConn) awaitMessage() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.Conn.SetReadDeadline(g.sealed)
}

// seal ends every read and write, those that are under way too, at a time. It cannot be taken back.
func (g *gatherConn) seal(at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.sealed.IsZero() {
		return
	}
	g.sealed = at
	// A connection that refuses a deadline is closed already.
	_ = g.Conn.SetDeadline(at)
}

// Close implements [net.Conn]. The library closes as soon as it has written its answer to a close frame, which may have
// landed in a batch: that is sent first, within closeTime.
func (g *gatherConn) Close() error {
	g.seal(time.Now().Add(closeTime))
	// What cannot be sent any more is of no use to anybody.
	_ = g.flush()
	return g.Conn.Close()
}
