package agentswitch

import (
	"context"
	"iter"
	"sync/atomic"
)

// MaxQueuedFrames is how many frames a session holds for a caller that is
// busy. When they are that many it reads no further, so that a slow caller
// costs bounded memory; its connection is kept alive all the while. As many
// failures wait beside them: a dead connection must be opened again also while
// frames wait, since what keeps the caller busy may be a call on it.
const MaxQueuedFrames = 16

// Session is one connection that is held open through failures. It has the
// calls of a Client, and those that act on a connection act on this one.
//
// It owns two goroutines: one reads the stream and opens it again, one beats
// while a stream is open. Both have ended when Close returns.
type Session struct {
	*Client
	opts     StreamOptions
	once     bool // ends with its first stream
	items    chan item
	room     chan struct{} // one element for each frame among the items
	attached attachment
	claims   claims
	// seen is the cursor that beats report: the last frame the caller got.
	seen atomic.Uint64
	// reading is when the wait for the next frame began, in nanoseconds since
	// 1970, and 0 while nobody waits for one.
	reading atomic.Int64
	wake    waker

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

// item is what a caller gets next.
type item struct {
	frame Frame
	err   error
	raw   []byte
	at    position // behind the frame
}

// Connect starts to hold a connection open, until ctx is done or the session
// is closed. It does not wait for the stream: what happens is told by Frames,
// failures included.
func (c *Client) Connect(ctx context.Context, opts StreamOptions) (*Session, error) {
	return c.connect(ctx, opts, false)
}

func (c *Client) connect(ctx context.Context, opts StreamOptions, once bool) (*Session, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Session{opts: opts, once: once, done: make(chan struct{})}
	s.items, s.room = make(chan item, 2*MaxQueuedFrames), make(chan struct{}, MaxQueuedFrames)
	s.attached.init()
	s.claims.init(opts.Rooms)
	s.Client = c.WithConnection(opts.ConnectionID)
	s.Client.session, s.Client.key = s, ""
	s.ctx, s.cancel = context.WithCancel(ctx)
	go func() {
		defer close(s.done)
		defer close(s.items)
		s.run(s.ctx)
	}()
	return s, nil
}

// Close ends the session and waits until nothing of it runs any more. The
// connection lives on until HeartbeatTTL after its last beat.
func (s *Session) Close() {
	s.cancel()
	<-s.done
}

// ConnectionID returns the id of the session's connection.
func (s *Session) ConnectionID() string { return s.opts.ConnectionID }

// Rooms returns the claims that the session knows of, which it claims again
// when it opens its stream again.
func (s *Session) Rooms() []string { return s.claims.list() }

// Cursor returns the sequence behind which the caller goes on: that of the
// last event it got. A session made with it as StreamOptions.After continues
// this one.
func (s *Session) Cursor() uint64 { return s.seen.Load() }

// Await waits until a stream of the session is open, and so its connection
// exists. It returns ctx's error, ErrClosed when the session ends first, and
// the server's refusal when it does not accept the key, see IsUnauthorized;
// the session goes on trying even then.
func (s *Session) Await(ctx context.Context) error { return s.attached.await(ctx, s.done, 0) }

// Frames returns what arrives, and the failures in between, until ctx is done,
// the session ends or the caller leaves the loop:
//
//	for frame, err := range session.Frames(ctx) {
//		if err != nil {
//			log.Print(err) // and it goes on
//			continue
//		}
//		…
//	}
//
// Every failure comes once, with a nil frame, unless as many as
// MaxQueuedFrames wait already; the session heals what can be healed by itself. Leave the loop on those that can not, see IsUnauthorized.
// A refused or broken stream is opened again after a wait that is drawn from
// at first 1 s and, doubling, at last 30 s; one that ended cleanly, which
// includes an eviction, at once. Reopening resumes behind the last frame and
// claims again the rooms that the server last reported.
//
// Leaving the loop does not end the session, and a later loop goes on with the
// next frame. Two loops at once would share the frames between them.
func (s *Session) Frames(ctx context.Context) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for {
			next, ok := s.take(ctx)
			if !ok || !yield(next.frame, next.err) {
				return
			}
		}
	}
}

func (s *Session) take(ctx context.Context) (item, bool) {
	if ctx.Err() != nil || s.ctx.Err() != nil {
		return item{}, false
	}
	select {
	case next, ok := <-s.items:
		if !ok || s.ctx.Err() != nil {
			return item{}, false
		}
		if next.frame != nil {
			<-s.room
		}
		if next.at.placed {
			s.seen.Store(next.at.cursor)
		}
		if len(next.raw) > 0 {
			s.opts.OnRaw(next.raw)
		}
		return next, true
	case <-ctx.Done():
		return item{}, false
	}
}

// revive waits until a dead connection is open again. The keeper, woken, finds
// out about the end of a connection sooner than with its next beat.
func (s *Session) revive(ctx context.Context, opens uint64) bool {
	s.wake.wake()
	ctx, cancel := context.WithTimeout(ctx, reviveTimeout)
	defer cancel()
	return s.attached.await(ctx, s.done, opens) == nil
}
