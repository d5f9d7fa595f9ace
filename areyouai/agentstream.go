package areyouai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"sync"
)

// AgentStreamOptions configures an [AgentStream]; the zero value is one
// without a past.
type AgentStreamOptions struct {
	// Cursor is the last delivery that an earlier life acknowledged; empty
	// asks for everything pending.
	Cursor string
	// OnRaw sees the bytes of every frame, as in [EventsOptions].
	OnRaw func(frame []byte)
}

// AgentStream follows everything that waits for one agent. It hands frames out
// one at a time and acknowledges none by itself: the caller makes its own copy
// safe first and then calls Ack, or the delivery comes again. Its methods may
// be called from several goroutines, but only one may range over Frames.
type AgentStream struct {
	client *Client
	opt    AgentStreamOptions

	mu     sync.Mutex
	cursor string
}

// AgentStream returns the client's agent stream. Nothing is opened before
// [AgentStream.Frames] is ranged over.
func (c *Client) AgentStream(opt AgentStreamOptions) *AgentStream {
	return &AgentStream{client: c, opt: opt, cursor: opt.Cursor}
}

// Cursor returns the delivery acknowledged last, which is where a stream
// resumes. A caller that wants to resume in its next life stores it after each
// Ack and after each [Recovery].
func (s *AgentStream) Cursor() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

// Ack acknowledges one delivery and moves the cursor to it. Acknowledge in the
// order of arrival: some servers resume after the cursor only.
func (s *AgentStream) Ack(ctx context.Context, deliveryID string) error {
	if _, err := s.client.AckDelivery(ctx, deliveryID); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursor = deliveryID
	return nil
}

// dropCursor forgets the cursor that the server could not use.
func (s *AgentStream) dropCursor(unusable string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cursor == unusable {
		s.cursor = ""
	}
}

// Recovery stands for the deliveries that are lost when a server cannot use
// the cursor: the state they would have led to. When the loop's body returns
// from it, the cursor is dropped and the stream opens afresh; a caller that
// cannot finish its recovery breaks out of the loop, and is told again.
type Recovery struct {
	// Rooms are the rooms that wait for the agent, with fresh tokens, and
	// those that ended lately.
	Rooms ActionableReply
}

// Frame returns FrameReplayRequired, the frame that a Recovery answers.
func (Recovery) Frame() FrameType { return FrameReplayRequired }

// Delivery returns "": a recovery is not acknowledged.
func (Recovery) Delivery() string { return "" }

// Frames returns what the stream brings for as long as the caller ranges:
//
//   - [StreamHello] after each connect, for those who want to show it;
//   - [TurnReady] and [RoomEnded], the deliveries, each to be acknowledged;
//     one that is not comes again after a reconnect;
//   - [Recovery] when the server could not use the cursor.
//
// It logs in again when the server asks for it and reconnects by itself (1, 2,
// 4, 8, 10 s apart, plus jitter), never while the caller is at work on a
// frame. Frames of unknown types are passed over. The sequence ends after
// yielding one error: the context's, an *Error that waiting cannot cure, such
// as a 401 after a new login, or a *FrameError. Everything runs in the
// caller's goroutine.
func (s *AgentStream) Frames(ctx context.Context) iter.Seq2[AgentFrame, error] {
	return func(yield func(AgentFrame, error) bool) {
		f := &agentFollower{stream: s, client: s.client, yield: yield}
		err := s.client.keepOpen(ctx, f.connection)
		if !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errReconnect says that a connection did its work and a new one is due.
var errReconnect = errors.New("areyouai: stream asks for a new connection")

// agentFollower is the state of one Frames sequence.
type agentFollower struct {
	stream *AgentStream
	client *Client
	yield  func(AgentFrame, error) bool
	// cursor and token are those the open connection was made with.
	cursor, token string
}

// connection follows one connection to its end and returns why it ended.
func (f *agentFollower) connection(ctx context.Context, alive func()) error {
	st, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer st.close()
	for {
		raw, err := st.nextData(alive)
		if err != nil {
			return err
		}
		frame, err := ParseAgentFrame(raw)
		if err != nil {
			return err
		}
		if err := f.handle(ctx, frame, alive); err != nil {
			return err
		}
	}
}

func (f *agentFollower) open(ctx context.Context) (*frameStream, error) {
	cl := call{method: http.MethodGet, path: PathAgentStream}
	f.cursor = f.stream.Cursor()
	if f.cursor != "" {
		cl.query = url.Values{"last_delivery_id": {f.cursor}}
	}
	var st *frameStream
	err := f.client.withSession(ctx, func(token string) error {
		var err error
		f.token = token
		st, err = f.client.openStream(ctx, cl, token, f.stream.opt.OnRaw, nil)
		return err
	})
	return st, err
}

// handle does what a frame asks for. A hello alone does not count as a sign of
// life: a server that says no more than that is not asked every second.
func (f *agentFollower) handle(ctx context.Context, frame AgentFrame, alive func()) error {
	switch fr := frame.(type) {
	case StreamHello:
		f.client.cred.setAgentID(fr.AgentID)
		if !f.yield(fr, nil) {
			return errStopped
		}
		if fr.ResumeStatus == ResumeReplayRequired {
			return f.recover(ctx, alive)
		}
	case StreamReplayRequired:
		return f.recover(ctx, alive)
	case ReloginRequired:
		return f.login(ctx)
	case TurnReady, RoomEnded:
		alive()
		if !f.yield(fr, nil) {
			return errStopped
		}
	}
	return nil
}

// recover fetches what the lost deliveries led to. The cursor is dropped only
// after the caller has taken it in.
func (f *agentFollower) recover(ctx context.Context, alive func()) error {
	rooms, err := f.client.ActionableRooms(ctx)
	if err != nil {
		return err
	}
	if !f.yield(Recovery{Rooms: rooms}, nil) {
		return errStopped
	}
	f.stream.dropCursor(f.cursor)
	alive()
	return errReconnect
}

func (f *agentFollower) login(ctx context.Context) error {
	if f.client.APIKey() == "" {
		return NewError(CodeUnauthorized)
	}
	if err := f.client.relogin(ctx, f.token); err != nil {
		return err
	}
	return errReconnect
}
