package agentswitch

import (
	"sync/atomic"
	"time"
)

// session is what outlives a stream: where to resume and what to claim again.
// Only cursor and heard are shared with the beating goroutine.
type session struct {
	client *Client
	opts   StreamOptions
	// placed: the cursor means something. Before that a stream starts at head.
	placed bool
	cursor atomic.Uint64
	// heard is when something last arrived, in nanoseconds since 1970.
	heard atomic.Int64
}

func newSession(c *Client, opts StreamOptions) (*session, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &session{client: c, opts: opts}
	if opts.After != nil {
		s.move(*opts.After)
	}
	return s, nil
}

// next returns the options of the next open.
func (s *session) next() StreamOptions {
	opts := s.opts
	if s.placed {
		cursor := s.cursor.Load()
		opts.After = &cursor
	}
	return opts
}

func (s *session) move(cursor uint64) {
	s.placed = true
	s.cursor.Store(cursor)
}

// passed moves the cursor past a frame, also one that could not be parsed, so
// that it is not asked for again. It never moves it back.
func (s *session) passed(id string) {
	if sequence, err := parseSequence(id); err == nil && (!s.placed || sequence > s.cursor.Load()) {
		s.move(sequence)
	}
}

// observe notes what a control frame says about the connection. A stream that
// began at head is placed by its first frame: without that, what happens
// between an early break and the reopen would be lost. A gap places the cursor
// also backwards, since a server that restarted counts again from below.
func (s *session) observe(frame Frame) {
	switch f := frame.(type) {
	case ConnectionState:
		s.opts.Rooms = f.Rooms
		if !s.placed {
			s.move(f.Cursor)
		}
	case SubscriptionChanged:
		s.opts.Rooms = f.Rooms
	case Gap:
		s.move(f.ResumedAt)
	}
}

func (s *session) touch() { s.heard.Store(s.client.opts.Clock.Now().UnixNano()) }

func (s *session) silence() time.Duration {
	return time.Duration(s.client.opts.Clock.Now().UnixNano() - s.heard.Load())
}
