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
	// notices nothing. It is longer while many attended streams of the server are at work.
	Gather time.Duration
}

// EventStream writes server-sent events to one client. It belongs to one goroutine at a time; only Wake is for all.
//
// On a server with a [Recycler] it takes the connection over once the headers are out: a write is then one system call
// for all frames gathered in it, where the server's own buffers would make two or more of it, and what the client sends
// is read away by a goroutine of the stream, which is how its leaving shows. [EventStream.Attend] then lets the server's
// own goroutine go, and with it the request and the buffers that it was read and answered through.
type EventStream struct {
	out     output
	opts    EventStreamOptions
	written time.Time
	ctx     context.Context
	end     context.CancelFunc
	// idle is made when it is first asked for.
	idle      *time.Timer
	aborted   bool
	attention attention
}

// output is the way to the client.
type output interface {
	// write writes a bounded piece under a deadline of its own.
	write(p []byte, deadline time.Time) error
	// flush makes sure that nothing waits in a buffer.
	flush() error
	// finish writes the end of the response.
	finish(deadline time.Time)
	// abort ends the response so that it looks broken off.
	abort()
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
	s := &EventStream{opts: o, written: time.Now()}
	s.attention.state.Store(working)
	plain := &plainOutput{w: w, rc: http.NewResponseController(w), deadlines: true}
	if err := plain.renew(s.deadline()); err != nil {
		return nil, err
	}
	if err := plain.flush(); err != nil {
		return nil, err
	}
	if !s.takeOver(plain.rc, r) {
		s.ctx, s.end = context.WithCancel(r.Context())
		s.out, s.attention.bell = plain, make(chan struct{}, 1)
	}
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
	s.written = time.Now()
	if s.idle != nil {
		s.idle.Reset(s.opts.KeepAlive)
	}
	return nil
}

// Pace is called before more is gathered. It returns at once, unless the last write is less than the gather time ago:
// then it waits for the rest of that time, so that what comes meanwhile goes out in the same write.
func (s *EventStream) Pace() {
	if left := s.gather() - time.Since(s.written); left > 0 {
		time.Sleep(left)
	}
}

func (s *EventStream) gather() time.Duration {
	if taken, ok := s.out.(*takenOutput); ok && s.opts.Gather > 0 && s.attention.attendant != nil {
		return max(s.opts.Gather, taken.recycler.round())
	}
	return s.opts.Gather
}

// SilentAt is when nothing will have been written for the time of [EventStreamOptions.KeepAlive]; then it is time for
// KeepAlive.
func (s *EventStream) SilentAt() time.Time { return s.written.Add(s.opts.KeepAlive) }

// Idle fires at the time of SilentAt.
func (s *EventStream) Idle() <-chan time.Time {
	if s.idle == nil {
		s.idle = time.NewTimer(time.Until(s.SilentAt()))
	}
	return s.idle.C
}

// KeepAlive writes a comment, which clients ignore and proxies count as traffic.
func (s *EventStream) KeepAlive() error { return s.Write(sse.AppendComment(nil, s.opts.Comment)) }

// Close ends the stream in order, so that it does not look to the client like a broken connection. It gives the end of
// the response time of its own: the deadline of the last write may have passed while the stream was idle.
func (s *EventStream) Close() {
	s.stopIdle()
	s.out.finish(s.deadline())
	s.end()
}

// Abort ends the stream so that it looks to the client like a broken connection: what it has is not whole. Close must not
// be called then.
func (s *EventStream) Abort() {
	s.aborted = true
	s.stopIdle()
	s.out.abort()
	s.end()
}

func (s *EventStream) stopIdle() {
	if s.idle != nil {
		s.idle.Stop()
	}
}
