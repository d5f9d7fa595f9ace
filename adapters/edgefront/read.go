package edgefront

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

const (
	// loadBytes is what frames on their way to the session may weigh beside one of the largest size.
	loadBytes = 1 << 20
	// frameWeight is what a frame weighs beside its bytes.
	frameWeight = 1 << 10
	// owedPongs is how many pings are taken before one is answered. A client that sends more waits.
	owedPongs = 64
	// inboundFrames is how many frames of an admitted client are on their way at most; the reader waits with the next. An
	// idle socket holds the room for them.
	inboundFrames = 16
	// earlyWait is how long frames that weigh too much wait for admission.
	earlyWait = time.Second
)

// inbound is a frame on its way from the reader to the session.
type inbound struct {
	frame edgeframes.Frame
	// err, if set, is why there is no frame.
	err    *edgeframes.ParseError
	weight int64
}

// networkError: the connection broke, or its time was over.
type networkError struct{ cause error }

func (e *networkError) Error() string { return "socket: " + e.cause.Error() }

func (e *networkError) Unwrap() error { return e.cause }

func isNetwork(err error) bool {
	var n *networkError
	return errors.As(err, &n)
}

// read takes frames off the socket until it ends. It runs from the upgrade on, so that the library sees control frames.
func (s *session) read() {
	early := 0
	for {
		in, err := s.next()
		if err != nil {
			s.end(err)
			return
		}
		if !s.admitted.Load() {
			if early++; early > edgeframes.MaxPendingFrames {
				s.end(tooEarly())
				return
			}
		} else if _, ping := in.frame.(edgeframes.Ping); ping {
			select {
			case s.pings <- struct{}{}:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		if err := s.weigh(in.weight); err != nil {
			s.end(err)
			return
		}
		if !s.deliver(&in) {
			return
		}
		if in.err != nil && !in.err.ForCall {
			return
		}
	}
}

// deliver hands a frame to the session; false: that has ended.
func (s *session) deliver(in *inbound) bool {
	if s.keep(in) {
		return true
	}
	select {
	case s.inbound <- in:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// keep keeps a frame for when its client is admitted; false: it is already. There is room, as the reader counts them.
func (s *session) keep(in *inbound) bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.admitted.Load() {
		return false
	}
	s.early <- in
	return true
}

// letIn admits the client. No frame is early any more.
func (s *session) letIn() {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.admitted.Store(true)
}

// weigh waits until a frame may be kept. The session takes frames as fast as the network takes its own, once it has
// admitted the client; before that nobody does, and what is sent meanwhile is bounded in bytes as it is in number.
func (s *session) weigh(weight int64) error {
	if s.load.TryAcquire(weight) {
		return nil
	}
	if !s.admitted.Load() {
		ctx, cancel := context.WithTimeout(s.ctx, earlyWait)
		defer cancel()
		if s.load.Acquire(ctx, weight) == nil {
			return nil
		}
		if s.ctx.Err() == nil && !s.admitted.Load() {
			return tooEarly()
		}
	}
	if s.load.Acquire(s.ctx, weight) != nil {
		return context.Cause(s.ctx)
	}
	return nil
}

// next reads and parses one message. Errors: an *[ending].
func (s *session) next() (inbound, error) {
	typ, r, err := s.socket.conn.Reader(context.Background())
	if err != nil {
		return inbound{}, readEnding(err)
	}
	if typ != websocket.MessageText {
		return inbound{}, closing(edgeframes.CloseUnsupported)
	}
	// Only now, so that idle sockets hold none.
	buf := s.front.buffers.Get()
	defer s.front.buffers.Put(buf)
	text, err := s.message(r, (*buf)[:0])
	*buf = text
	if err != nil {
		return inbound{}, err
	}
	if !utf8.Valid(text) {
		return inbound{}, closing(edgeframes.CloseInvalidText)
	}
	in := inbound{weight: int64(len(text)) + frameWeight}
	in.frame, err = edgeframes.ParseKnown(text, superjson.Limits{MaxBytes: s.front.opts.MaxMessage})
	if err != nil && !errors.As(err, &in.err) {
		in.err = &edgeframes.ParseError{Code: edgeframes.CodeProtocolError, Err: err}
	}
	return in, nil
}

// message appends the rest of a message to buf. The wait for its beginning was not bounded, that for the rest is.
func (s *session) message(r io.Reader, buf []byte) ([]byte, error) {
	limit := s.front.opts.MaxMessage
	for {
		if err := s.socket.awaitBytes(); err != nil {
			return buf, vanished()
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > limit:
			return buf, closing(edgeframes.CloseTooBig)
		case errors.Is(err, io.EOF):
			if err := s.socket.awaitMessage(); err != nil {
				return buf, vanished()
			}
			return buf, nil
		case err != nil:
			return buf, readEnding(err)
		}
	}
}

// readEnding tells a peer that closed and a connection that broke from bytes that are no WebSocket.
func readEnding(err error) *ending {
	var network net.Error
	switch {
	case websocket.CloseStatus(err) != -1,
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return vanished()
	case errors.Is(err, errFlood):
		return closing(edgeframes.CloseTryLater)
	case errors.As(err, &network) && !network.Timeout():
		return vanished()
	}
	return broken()
}
