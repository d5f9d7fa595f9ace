package edgeframes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

// Bounds on what the network may hold up, in real time.
const (
	// writeTimeout is for one message; a peer that takes longer is dead.
	writeTimeout = 10 * time.Second
	// closeGrace is how long the closing handshake may take.
	closeGrace = time.Second
)

// session is one connection, from dialling to its end. Its reader is the goroutine
// that calls run; its writer is the only other one, and the only one that writes.
type session struct {
	client *Client
	conn   *websocket.Conn

	// io ends when the connection is to be abandoned; its cause says why.
	io     context.Context
	cancel context.CancelCauseFunc

	// greeted tells that hello came. The reader writes it; others see hello.
	greeted bool
	hello   chan struct{}
	// pong has room for one signal that an answer came.
	pong chan struct{}
	// ending has room for the reader's one request that the writer close.
	ending chan ending
	// condemned tells the reader that it made that request, and doomed why.
	condemned bool
	doomed    error
	// ended is the writer's reason to close. It may be read once the writer is gone.
	ended error
}

type ending struct {
	code  CloseCode
	cause error
}

// run returns why the session ended, after its writer has.
func (s *session) run(ctx context.Context) error {
	if err := s.dial(ctx); err != nil {
		return err
	}
	s.hello = make(chan struct{})
	s.pong = make(chan struct{}, 1)
	s.ending = make(chan ending, 1)
	// Not derived from ctx: its end must still let the closing handshake through.
	s.io, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))

	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx)
	}()
	s.cancel(s.read())
	<-written
	_ = s.conn.CloseNow() // a no-op after a closing handshake
	switch {
	case s.ended != nil:
		return s.ended
	case s.doomed != nil:
		// The server closed by itself before the writer came to it.
		return s.doomed
	}
	return context.Cause(s.io)
}

func (s *session) dial(ctx context.Context) error {
	opts := s.client.opts
	ctx, cancel := context.WithTimeout(ctx, opts.DialTimeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.client.url, &websocket.DialOptions{
		HTTPClient: opts.HTTPClient,
		HTTPHeader: opts.Header,
	})
	if err != nil {
		return fmt.Errorf("edge: connect: %w", err)
	}
	conn.SetReadLimit(opts.ReadLimit)
	s.conn = conn
	return nil
}

// read handles what comes until the connection ends. Once an ending was asked for it
// only waits for the handshake.
func (s *session) read() error {
	for {
		typ, text, err := s.conn.Read(s.io)
		if err != nil {
			return fmt.Errorf("edge: read: %w", err)
		}
		if s.condemned {
			continue
		}
		if typ != websocket.MessageText {
			s.end(CloseUnsupported, errors.New("edge: the server sent a binary message"))
			continue
		}
		s.client.opts.OnRaw(Received, text)
		frame, err := ParseKnown(text, s.client.opts.limits())
		if err == nil {
			err = s.handle(frame)
		}
		if err != nil {
			s.end(CloseProtocolError, err)
		}
	}
}

// handle returns an error for what makes the link useless.
func (s *session) handle(frame Frame) error {
	c := s.client
	switch f := frame.(type) {
	case Pong:
		select {
		case s.pong <- struct{}{}:
		default:
		}
		return nil
	case Error:
		if !f.ForCall {
			return f
		}
	case Call, Ping, Attach:
		return fmt.Errorf("edge: the server sent a %s frame", frame.Kind())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch f := frame.(type) {
	case Hello:
		if !s.greeted {
			s.greeted, c.ready = true, true
			close(s.hello)
		}
	case Attached:
		c.claims, c.streams = f.Grants, f.Accepted
	case State:
		c.mirror.applyState(f)
	case Messages:
		c.mirror.applyMessages(f)
	case EventFrame:
		c.mirror.eventCursor = f.Seq
		for feed := range c.feeds {
			feed.put(f)
		}
		return nil
	case Result:
		c.calls.answer(f.ID, f.Value, nil)
		return nil
	case Error:
		c.calls.answer(f.ID, nil, f)
		return nil
	}
	c.announce()
	return nil
}

// end asks the writer to close the connection. Only the reader calls it, once.
func (s *session) end(code CloseCode, cause error) {
	s.condemned, s.doomed = true, cause
	s.ending <- ending{code, cause}
}
