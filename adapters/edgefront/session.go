package edgefront

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"stele/core"
	"stele/edgeframes"
)

// session is one socket, from the upgrade to its end. Its fields belong to the goroutine that calls serve, unless a
// comment says otherwise.
type session struct {
	front   *Front
	request *http.Request
	conn    *websocket.Conn
	net     *gatherConn
	at      address

	// ctx ends when the session is to end; its cause, an *ending, says how. Anybody may cancel it, the first one counts.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// work joins the reader and the call that runs.
	work sync.WaitGroup

	// inbound brings frames from the reader, which weighs them with load until the session has taken them. Pings of an
	// admitted client come by themselves, so that they wait for nothing.
	inbound  chan inbound
	load     *semaphore.Weighted
	pings    chan struct{}
	admitted atomic.Bool

	grant grant
	wants wants
	// reauth tells when the grant is to be checked again; nil before admission.
	reauth *time.Ticker
	// attach is what the client asked for; nil in plain mode.
	attach *edgeframes.Attach
	// first is the frame that made the client anonymous, to be handled after admission.
	first  *inbound
	reader *core.Reader
	unpin  func()

	calls callQueue
}

// wants are the streams of a session.
type wants struct{ state, messages, events bool }

func newSession(f *Front, r *http.Request, conn *websocket.Conn, network *gatherConn, at address) *session {
	largest := int64(f.opts.MaxMessage)
	s := &session{
		front: f, request: r, conn: conn, net: network, at: at,
		inbound: make(chan inbound, edgeframes.MaxPendingFrames),
		pings:   make(chan struct{}, owedPongs),
		load:    semaphore.NewWeighted(largest + loadBytes),
		calls:   callQueue{answers: make(chan answer, 1), most: largest + waitingBytes},
		unpin:   func() {},
	}
	s.ctx, s.cancel = context.WithCancelCause(r.Context())
	return s
}

// serve runs a session to its end.
func (f *Front) serve(s *session) {
	defer s.finish()
	// Whatever the session's goroutines are blocked in when its end is decided, they are free in time.
	context.AfterFunc(s.ctx, func() { s.net.seal(time.Now().Add(closeTime)) })
	stay := context.AfterFunc(f.open.life, func() { s.end(goingAway()) })
	defer stay()
	s.work.Go(s.guard(s.read))
	s.guard(func() {
		if err := s.run(); err != nil {
			s.end(err)
		}
	})()
}

func (s *session) run() error {
	if err := s.admit(); err != nil {
		return err
	}
	if err := s.bootstrap(); err != nil {
		return err
	}
	return s.live()
}

// guard keeps a panic in one session from ending the others.
func (s *session) guard(fn func()) func() {
	return func() {
		defer func() {
			if p := recover(); p != nil {
				s.front.log.Error("session failed", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
				s.end(failed())
			}
		}()
		fn()
	}
}

// end decides how the session ends, unless that was decided before. An error that is no *ending came from the core or
// the network.
func (s *session) end(err error) {
	var e *ending
	switch {
	case errors.As(err, &e):
	case s.ctx.Err() != nil:
		return
	case errors.Is(err, core.ErrDraining), s.front.node.Err() == nil && isDone(s.front.node.Done()):
		e = goingAway()
	case isNetwork(err):
		e = vanished()
	default:
		s.front.log.Error("session failed", zap.String("room", s.grant.room), zap.Error(err))
		e = failed()
	}
	s.cancel(e)
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// finish closes the socket as the ending says, within closeTime, and waits for the session's goroutines.
func (s *session) finish() {
	s.cancel(goingAway())
	// A context of the request that ended means that the server goes away.
	e := goingAway()
	errors.As(context.Cause(s.ctx), &e)
	if e.frame != nil {
		s.net.hold()
		// An error here shows again at the close.
		_ = s.send(s.front.frames.text(*e.frame))
	}
	if err := s.net.flush(); err != nil || e.gone {
		_ = s.conn.CloseNow()
	} else {
		// The peer may have closed at the same time; either way the connection is closed afterwards.
		_ = s.conn.Close(websocket.StatusCode(e.code), e.reason)
	}
	s.work.Wait()
	if s.reauth != nil {
		s.reauth.Stop()
	}
	if s.reader != nil {
		s.reader.Close()
	}
	s.unpin()
}

// send hands one frame to the library, which hands it to the gathering connection.
func (s *session) send(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	// A context that can end would cost a goroutine per frame; deadlines on the connection bound the write.
	return s.conn.Write(context.Background(), websocket.MessageText, text)
}

// relieve sends the batch so far when it has grown large. A client that is slow to take it must not miss its pongs and
// does not keep its rights for longer.
func (s *session) relieve() error {
	if !s.net.full() {
		return nil
	}
	if err := s.net.flush(); err != nil {
		return &networkError{err}
	}
	s.net.hold()
	return s.attend()
}
