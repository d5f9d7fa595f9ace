package edgeframes

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

// write sends the attach frame, waits for hello, and then sends calls and pings until
// the session ends. The end of ctx is the client's own: it closes with 1000.
func (s *session) write(ctx context.Context) {
	opts := s.client.opts
	if opts.attaches() && !s.sendFrame(s.attach()) {
		return
	}
	late := opts.Clock.After(opts.HelloTimeout)
	select {
	case <-s.hello:
		s.heartbeat(ctx)
	case <-late:
		s.close(CloseAbnormal, fmt.Errorf("%w: no hello within %v", ErrSilent, opts.HelloTimeout))
	case e := <-s.ending:
		s.close(e.code, e.cause)
	case <-ctx.Done():
		s.close(CloseNormal, ErrClosed)
	case <-s.io.Done():
	}
}

// heartbeat sends the calls as they come and a ping at each interval. Pings do not
// pile up: the next one waits for the pong.
func (s *session) heartbeat(ctx context.Context) {
	opts, calls := s.client.opts, &s.client.calls
	due := opts.Clock.After(opts.PingInterval)
	var silent <-chan time.Time
	for s.flush() {
		select {
		case <-calls.wake:
		case <-due:
			if !s.sendFrame(Ping{}) {
				return
			}
			due, silent = nil, opts.Clock.After(opts.PingTimeout)
		case <-s.pong:
			if silent != nil {
				due, silent = opts.Clock.After(opts.PingInterval), nil
			}
		case <-silent:
			s.close(CloseAbnormal, fmt.Errorf("%w: no pong within %v", ErrSilent, opts.PingTimeout))
			return
		case e := <-s.ending:
			s.close(e.code, e.cause)
			return
		case <-ctx.Done():
			s.close(CloseNormal, ErrClosed)
			return
		case <-s.io.Done():
			return
		}
	}
}

// flush sends the calls that are waiting to be sent.
func (s *session) flush() bool {
	s.client.mu.Lock()
	calls := s.client.calls.take()
	s.client.mu.Unlock()
	for _, call := range calls {
		if !s.send(call.text) {
			return false
		}
	}
	return true
}

func (s *session) attach() Frame {
	c := s.client
	f := Attach{Token: c.opts.Token, Subscribe: c.opts.Subscribe}
	if c.opts.Resume {
		c.mu.Lock()
		f.Cursors = c.mirror.cursors()
		c.mu.Unlock()
	}
	return f
}

func (s *session) sendFrame(f Frame) bool {
	text, err := Encode(f)
	if err != nil {
		s.cancel(err)
		return false
	}
	return s.send(text)
}

// send writes one message, or abandons the connection.
func (s *session) send(text []byte) bool {
	s.client.opts.OnRaw(Sent, text)
	ctx, cancel := context.WithTimeout(s.io, writeTimeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, text); err != nil {
		s.cancel(fmt.Errorf("edge: write: %w", err))
		return false
	}
	return true
}

// close ends the connection with a code. The handshake needs the reader, which runs
// on; when the peer takes too long the connection is abandoned. An abnormal end has no
// handshake: its peer is not listening.
func (s *session) close(code CloseCode, cause error) {
	s.ended = cause
	if code != CloseAbnormal {
		grace := time.AfterFunc(closeGrace, func() { s.cancel(cause) })
		defer grace.Stop()
		_ = s.conn.Close(websocket.StatusCode(code), code.Text())
	}
	s.cancel(cause)
}
