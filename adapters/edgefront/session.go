package edgefront

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"stele/core"
	"stele/edgeframes"
)

// session is one visit of a client: a socket from the upgrade to its end, an event stream, or a single call. Its fields
// belong to the goroutine that serves the request, unless a comment says otherwise.
type session struct {
	front *Front
	// request opened the session; nil on a socket that was admitted, which may live long.
	request *http.Request
	at      address
	// out is where frames go; nil for a single call, and before the gates have let an event stream in.
	out outlet
	// socket is out where that is a socket, which brings frames as well.
	socket *socket

	// ctx ends when the session is to end; its cause, an *ending, says how. Anybody may cancel it, the first one counts.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// stay takes back that the end of the front is the session's.
	stay func() bool
	// work joins the reader and the call that runs.
	work sync.WaitGroup

	// early keeps frames that come before admission; nil once they are handled. gate is held while it is decided that a frame
	// is one of them, and for the admission.
	early    chan *inbound
	gate     sync.Mutex
	admitted atomic.Bool
	// inbound brings the frames of an admitted client from the reader, which weighs all with load until the session has
	// taken them. Pings come by themselves, so that they wait for nothing. All are nil without a socket.
	inbound chan *inbound
	load    *semaphore.Weighted
	pings   chan struct{}

	grant grant
	wants wants
	// reauth tells when the grant is to be checked again; nil before admission.
	reauth *time.Ticker
	// attach is what the client asked for; nil for a socket in plain mode.
	attach *edgeframes.Attach
	// first is the frame that made the client anonymous, to be handled after admission.
	first  *inbound
	reader *core.Reader
	// ambience is what the state shows beside the room's events; nil for a client that wants no state.
	ambience *ambience
	unpin    func()
	// absent takes back that the caller attends the room.
	absent func()
	// vacate gives back the place of one who is no member.
	vacate func()
	// entries is empty, with room for what the next round reads.
	entries []*core.Entry
	// leaving is that of the front until the session knows.
	leaving <-chan struct{}

	calls callQueue
}

// wants are the streams of a session.
type wants struct{ state, messages, events bool }

// newSession begins a session, on a socket if from is not nil; it ends with ctx, or the front. Whoever calls it must call
// release.
func newSession(ctx context.Context, f *Front, r *http.Request, at address, from *socket) *session {
	s := &session{front: f, request: r, at: at, unpin: func() {}, absent: func() {}, vacate: func() {}}
	if from != nil {
		s.takes(from)
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.stay = context.AfterFunc(f.open.life, func() { s.end(goingAway()) })
	return s
}

// takes lets a session have frames from a socket.
func (s *session) takes(from *socket) {
	largest := int64(s.front.opts.MaxMessage)
	s.out, s.socket = from, from
	s.early = make(chan *inbound, edgeframes.MaxPendingFrames)
	s.inbound = make(chan *inbound, inboundFrames)
	s.pings = make(chan struct{}, owedPongs)
	s.load = semaphore.NewWeighted(largest + loadBytes)
	s.calls = callQueue{most: largest + waitingBytes}
}

// serveSocket runs a session on a socket to its end and releases it. Its goroutine is not the request's, whose stack and
// buffers would stay as long as the socket.
func (s *session) serveSocket() {
	s.serve(s.converse)
	s.try(s.release)
	s.front.open.leave()
}

// converse reads what comes from a socket, admits its client and follows the room for it.
func (s *session) converse() error {
	s.work.Go(s.guard(s.read))
	if err := s.admit(); err != nil {
		return err
	}
	s.request = nil
	return s.follow()
}

// serve runs what a session does on its outlet, and closes that as the session ended.
func (s *session) serve(run func() error) {
	s.try(func() {
		if err := run(); err != nil {
			s.end(err)
		}
	})
	s.try(s.finish)
}

// stop ends the session's context. Whatever its goroutines are blocked in, they are free in time: on a socket by this, on
// an event stream by the time that each piece has.
func (s *session) stop(e *ending) {
	s.cancel(e)
	if s.socket != nil {
		s.socket.seal(time.Now().Add(closeTime))
	}
}

// follow sends an admitted client what it has missed, and then what happens, until it or the session ends.
func (s *session) follow() error {
	if s.grant.caller != "" {
		s.absent = s.front.node.Attend(s.grant.caller, s.grant.room, "edge")
	}
	s.reauth = time.NewTicker(s.front.opts.Reauth)
	if err := s.bootstrap(); err != nil {
		return err
	}
	return s.live()
}

// try keeps a panic in one session from ending the others.
func (s *session) try(fn func()) {
	defer func() {
		if p := recover(); p != nil {
			s.front.log.Error("session failed", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			s.end(failed())
		}
	}()
	fn()
}

// guard is try for a goroutine of the session.
func (s *session) guard(fn func()) func() { return func() { s.try(fn) } }

// end decides how the session ends, unless that was decided before.
func (s *session) end(err error) {
	if e := s.endingOf(err); e != nil {
		s.stop(e)
	}
}

// endingOf is how a session ends with an error, nil if it ends already. An error that is no *ending came from the core or
// the network.
func (s *session) endingOf(err error) *ending {
	var e *ending
	switch {
	case errors.As(err, &e):
		return e
	case s.ctx.Err() != nil:
		return nil
	case errors.Is(err, core.ErrDraining), s.front.node.Err() == nil && isDone(s.front.node.Done()):
		return goingAway()
	case isNetwork(err):
		return vanished()
	}
	s.front.log.Error("session failed", zap.String("room", s.grant.room), zap.Error(err))
	return failed()
}

// ended is how a session that is over ended. A context of the request that ended means that the server goes away.
func (s *session) ended() *ending {
	e := goingAway()
	errors.As(context.Cause(s.ctx), &e)
	return e
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// finish closes the outlet as the ending says, a socket within closeTime, and waits for the session's goroutines.
func (s *session) finish() {
	s.stop(goingAway())
	// The close of a client that says nothing more may take a while, in which it is not there.
	s.absent()
	e := s.ended()
	var last []byte
	if e.frame != nil {
		last = s.front.frames.text(*e.frame)
	}
	s.out.close(e, last)
	s.work.Wait()
}

// release ends a session and gives back what it holds.
func (s *session) release() {
	s.stop(goingAway())
	s.stay()
	s.absent()
	s.work.Wait()
	if s.reauth != nil {
		s.reauth.Stop()
	}
	if s.reader != nil {
		s.reader.Close()
	}
	s.ambience.close()
	s.unpin()
	s.vacate()
}

// sendText adds a frame to the batch and sends the batch when it has grown large. An empty text is no frame.
func (s *session) sendText(text []byte, at mark) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if len(text) == 0 {
		return nil
	}
	if err := s.out.send(text, at); err != nil {
		return &networkError{err}
	}
	return s.relieve()
}

// sendFrame sends a frame that moves no cursor.
func (s *session) sendFrame(frame edgeframes.Frame) error {
	return s.sendText(s.front.frames.text(frame), mark{})
}

func (s *session) flush() error {
	if err := s.out.flush(); err != nil {
		return &networkError{err}
	}
	return nil
}

// relieve sends the batch so far when it has grown large. A client that is slow to take it must not miss its pongs and
// does not keep its rights for longer.
func (s *session) relieve() error {
	if !s.out.full() {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.out.hold()
	return s.attend()
}
