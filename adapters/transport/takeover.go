package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// takenOutput writes a body straight to a connection that the HTTP server gave up after it had written the headers.
type takenOutput struct {
	conn     net.Conn
	recycler *Recycler
	// chunked: the body is framed (RFC 9112, section 7.1), as the headers say. Otherwise its end is that of the
	// connection, which is how HTTP/1.0 has it.
	chunked bool
	// reusable: the client may send its next request over the connection.
	reusable bool
	failed   bool
	// renewed is when the write deadline was set last: moving it with every write would cost as much as a small write.
	renewed time.Time
	// off tells that the watch over the client's side is called off; gone is closed when it has ended, and clean then tells
	// that the client was quiet and there until it was called off.
	off   atomic.Bool
	gone  chan struct{}
	clean bool
}

// takeOver takes the connection of an HTTP/1 request whose response headers are out, and gives the stream a context that
// ends when the client goes away. It is false when the connection cannot be had, which is no error: the server goes on
// writing then.
func (s *EventStream) takeOver(rc *http.ResponseController, r *http.Request) bool {
	server, ok := r.Context().Value(recyclerKey{}).(recycling)
	if !ok || r.ProtoMajor != 1 {
		return false
	}
	conn, buffered, err := rc.Hijack()
	if err != nil {
		return false
	}
	chunked := r.ProtoAtLeast(1, 1)
	o := &takenOutput{
		conn: conn, recycler: server.Recycler, chunked: chunked, reusable: chunked && !r.Close && r.ContentLength == 0, gone: make(chan struct{}),
	}
	s.out = o
	s.ctx, s.end = context.WithCancel(server.base)
	// A deadline that was meant for the request must not end the stream.
	_ = conn.SetReadDeadline(time.Time{})
	go s.watch(o, buffered.Reader.Buffered())
	return true
}

// watch waits for the client to go, or for finish to call it off; meanwhile it wakes the stream at the time that callAt
// named. A client has nothing to send while it listens: if it does send something, its connection is of no use for another
// request. sent is how many bytes it has sent behind its request already.
func (s *EventStream) watch(o *takenOutput, sent int) {
	defer close(o.gone)
	// One byte is enough for what does not come, and all that an idle stream holds for it.
	buf := make([]byte, 1)
	for sent <= maxUpstream {
		n, err := o.conn.Read(buf)
		if sent += n; n > 0 && len(buf) == 1 {
			buf = make([]byte, 4<<10)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			// The deadline is gone before the stream is woken, so that the next one that callAt sets stays.
			_ = o.conn.SetReadDeadline(time.Time{})
			if o.off.Load() {
				o.clean = sent == 0
				return
			}
			s.Wake()
			continue
		}
		if err != nil {
			break
		}
	}
	s.end()
	s.Wake()
}

// callAt has the stream woken at a time, instead of the one named before.
func (o *takenOutput) callAt(t time.Time) {
	// A connection that fails here wakes the stream by itself.
	_ = o.conn.SetReadDeadline(t)
}

// callOff ends the watch.
func (o *takenOutput) callOff() {
	o.off.Store(true)
	_ = o.conn.SetReadDeadline(time.Unix(1, 0))
	<-o.gone
}

// maxUpstream is how many bytes a client may send while it listens before it counts as gone.
const maxUpstream = 64 << 10

// deadlineSlack is how much earlier than asked a write may fail.
const deadlineSlack = 8

func (o *takenOutput) write(p []byte, deadline time.Time) error {
	if left := time.Until(deadline); deadline.Sub(o.renewed) > left/deadlineSlack {
		if err := o.conn.SetWriteDeadline(deadline); err != nil {
			return err
		}
		o.renewed = deadline
	}
	var err error
	if o.chunked {
		err = o.recycler.writeChunk(o.conn, p)
	} else {
		_, err = o.conn.Write(p)
	}
	o.failed = o.failed || err != nil
	return err
}

func (o *takenOutput) flush() error { return nil }

// finish ends the body and gives the connection back, or closes it when it ends with the body or something went wrong on
// it. The watch is called off first: once the client has the last chunk, what it sends is its next request.
func (o *takenOutput) finish(deadline time.Time) {
	o.callOff()
	if o.chunked && !o.failed {
		_ = o.conn.SetDeadline(deadline)
		_, err := o.conn.Write(lastChunk)
		o.failed = err != nil
	}
	if o.failed || !o.reusable || !o.clean || o.conn.SetDeadline(time.Time{}) != nil {
		_ = o.conn.Close()
		return
	}
	o.recycler.give(o.conn)
}

// abort closes the connection without an end of the body. Without framing the close would be one, so it is made to look
// like the failure it is: with a reset.
func (o *takenOutput) abort() {
	if tcp, ok := o.conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = o.conn.Close()
	<-o.gone
}
