package transport

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// takenOutput writes a chunked body (RFC 9112, section 7.1) straight to a connection that the HTTP server gave up. The
// server had written the headers with "Transfer-Encoding: chunked" before.
type takenOutput struct {
	conn     net.Conn
	recycler *Recycler
	// renewed is when the write deadline was set last: moving it with every write would cost as much as a small write.
	renewed time.Time
	head    []byte
	parts   [3][]byte
	failed  bool
	// gone is closed when the watch over the client's side has ended; clean then tells that the client was quiet and
	// there when the watch was called off.
	gone  chan struct{}
	clean bool
}

// takeOver takes the connection of an HTTP/1.1 request whose response headers are out. end is called when the client
// goes away. It returns nil when the connection cannot be had or not be given back, which is no error: the server goes
// on writing then.
func takeOver(rc *http.ResponseController, r *http.Request, end func()) *takenOutput {
	recycler, ok := r.Context().Value(recyclerKey{}).(*Recycler)
	if !ok || r.ProtoMajor != 1 || !r.ProtoAtLeast(1, 1) || r.Close {
		return nil
	}
	conn, buffered, err := rc.Hijack()
	if err != nil {
		return nil
	}
	o := &takenOutput{conn: conn, recycler: recycler, gone: make(chan struct{})}
	// A deadline that was meant for the request must not end the stream.
	_ = conn.SetReadDeadline(time.Time{})
	go o.watch(buffered.Reader, end)
	return o
}

// watch waits for the client to go, or for finish to call it off. A client has nothing to send while it listens: if it
// does send something, its connection is of no use for another request.
func (o *takenOutput) watch(from *bufio.Reader, end func()) {
	defer close(o.gone)
	defer end()
	n, err := io.CopyN(io.Discard, from, maxUpstream)
	o.clean = n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// maxUpstream is how many bytes a client may send while it listens before it counts as gone.
const maxUpstream = 64 << 10

// deadlineSlack is how much earlier than asked a write may fail.
const deadlineSlack = 8

var crlf = []byte("\r\n")

func (o *takenOutput) write(p []byte, deadline time.Time) error {
	if left := time.Until(deadline); deadline.Sub(o.renewed) > left/deadlineSlack {
		if err := o.conn.SetWriteDeadline(deadline); err != nil {
			return err
		}
		o.renewed = deadline
	}
	o.head = append(strconv.AppendInt(o.head[:0], int64(len(p)), 16), crlf...)
	o.parts = [3][]byte{o.head, p, crlf}
	buffers := net.Buffers(o.parts[:])
	_, err := buffers.WriteTo(o.conn)
	o.parts = [3][]byte{}
	o.failed = o.failed || err != nil
	return err
}

func (o *takenOutput) flush() error { return nil }

// finish writes the last chunk and gives the connection back, or closes it when something went wrong on it. The watch is
// called off first: once the client has the last chunk, what it sends is its next request.
func (o *takenOutput) finish(deadline time.Time) {
	_ = o.conn.SetReadDeadline(time.Unix(1, 0))
	<-o.gone
	if !o.failed {
		_ = o.conn.SetDeadline(deadline)
		_, err := o.conn.Write([]byte("0\r\n\r\n"))
		o.failed = err != nil
	}
	if o.failed || !o.clean || o.conn.SetDeadline(time.Time{}) != nil {
		_ = o.conn.Close()
		return
	}
	o.recycler.give(o.conn)
}
