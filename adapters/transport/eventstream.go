package transport

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"stele/internal/sse"
)

// Defaults of an event stream.
const (
	DefaultKeepAlive       = 15 * time.Second
	DefaultComment         = "keepalive"
	DefaultProgressTimeout = 30 * time.Second
	DefaultGather          = 2 * time.Millisecond
)

// pieceBytes is how much is written under one deadline. With the default timeout a client must take about half a
// kilobyte a second to keep its stream once the buffers between are full.
const pieceBytes = 16 << 10

// EventStreamOptions configure an event stream. The zero value is right for most.
type EventStreamOptions struct {
	// KeepAlive is the silence after which [EventStream.Idle] fires. Default 15 s. It must be shorter than what proxies
	// on the way allow between two bytes, commonly 60 s.
	KeepAlive time.Duration
	// Comment is the text that KeepAlive writes. Default "keepalive".
	Comment string
	// ProgressTimeout is how long the client may take for one piece of 16 KiB before the stream fails. Default 30 s.
	ProgressTimeout time.Duration
	// Gather is the least time between two writes that [EventStream.Pace] keeps. Default 2 ms; negative: none. A stream
	// that gets more than a few hundred events a second then gets them in fewer and larger writes; one that gets less
	// notices nothing.
	Gather time.Duration
}

// EventStream writes server-sent events to one client. It belongs to one goroutine.
//
// Over HTTP/1.1 it takes the connection over once the headers are out: a write is then one system call for all frames
// gathered in it, where the server's own buffers would make two or more of it, and what the client sends is read away by
// a goroutine of the stream, which is how its leaving shows.
type EventStream struct {
	out     output
	opts    EventStreamOptions
	idle    *time.Timer
	written time.Time
	comment []byte
	ctx     context.Context
	end     context.CancelFunc
}

// output is the way to the client.
type output interface {
	// write writes a bounded piece under a deadline of its own.
	write(p []byte, deadline time.Time) error
	// flush makes sure that nothing waits in a buffer.
	flush() error
	// finish writes the end of the response.
	finish(deadline time.Time)
}

// NewEventStream begins a stream on w, whose headers and status the caller has set (an unset status is 200), and sends
// them. It fails when w cannot flush or the client is gone. The caller must Close the stream, and must not use w or the
// request's body any more.
func NewEventStream(w http.ResponseWriter, r *http.Request, o EventStreamOptions) (*EventStream, error) {
	if o.KeepAlive <= 0 {
		o.KeepAlive = DefaultKeepAlive
	}
	if o.Comment == "" {
		o.Comment = DefaultComment
	}
	if o.ProgressTimeout <= 0 {
		o.ProgressTimeout = DefaultProgressTimeout
	}
	if o.Gather == 0 {
		o.Gather = DefaultGather
	}
	s := &EventStream{opts: o, comment: sse.AppendComment(nil, o.Comment)}
	s.ctx, s.end = context.WithCancel(r.Context())
	plain := &plainOutput{w: w, rc: http.NewResponseController(w), deadlines: true}
	if err := plain.renew(s.deadline()); err != nil {
		s.end()
		return nil, err
	}
	if err := plain.flush(); err != nil {
		s.end()
		return nil, err
	}
	s.out = plain
	if taken := takeOver(plain.rc, r, s.end); taken != nil {
		s.out = taken
	}
	s.idle = time.NewTimer(o.KeepAlive)
	return s, nil
}

func (s *EventStream) deadline() time.Time { return time.Now().Add(s.opts.ProgressTimeout) }

// Context ends when the client has gone, the request was cancelled, or the stream was closed.
func (s *EventStream) Context() context.Context { return s.ctx }

// Write writes p, any number of complete frames, and flushes once at the end. After an error the stream is of no use.
func (s *EventStream) Write(p []byte) error {
	for len(p) > 0 {
		piece := p[:min(len(p), pieceBytes)]
		p = p[len(piece):]
		if err := s.out.write(piece, s.deadline()); err != nil {
			return fmt.Errorf("write event stream: %w", err)
		}
	}
	if err := s.out.flush(); err != nil {
		return err
	}
	s.idle.Reset(s.opts.KeepAlive)
	s.written = time.Now()
	return nil
}

// Pace is called before more is gathered. It returns at once, unless the last write is less than the gather time ago:
// then it waits for the rest of that time, so that what comes meanwhile goes out in the same write.
func (s *EventStream) Pace() {
	if left := s.opts.Gather - time.Since(s.written); left > 0 {
		time.Sleep(left)
	}
}

// Idle fires once nothing was written for the time of [EventStreamOptions.KeepAlive]; then it is time for KeepAlive.
func (s *EventStream) Idle() <-chan time.Time { return s.idle.C }

// KeepAlive writes a comment, which clients ignore and proxies count as traffic.
func (s *EventStream) KeepAlive() error { return s.Write(s.comment) }

// Close ends the stream in order, so that it does not look to the client like a broken connection. It gives the end of
// the response time of its own: the deadline of the last write may have passed while the stream was idle.
func (s *EventStream) Close() {
	s.idle.Stop()
	s.out.finish(s.deadline())
	s.end()
}
