package switchfront

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// stream delivers to one open connection. It belongs to one goroutine at a time: that of the request that opened it, then
// that of its present turn.
type stream struct {
	front *Front
	node  *core.Node
	agent string
	// cred is what the stream was opened with: it ends with it, whoever beats for the connection.
	cred core.Credential
	conn core.Connection
	// opened is the head of the log when the stream was opened.
	opened core.Position
	reader *core.Reader
	// out is set when the response has begun. Whoever applies events wakes the stream through it.
	out atomic.Pointer[transport.EventStream]
	// detach tells the node, and leaveStorms the guard against storms, that the stream has ended.
	detach, leaveStorms func()

	// told are the claims that the client knows of, sorted.
	told []string
	// parked: a single-room connection without a room, which reads nothing. unparked: it has just got one.
	parked, unparked bool
	// behind: the last turn read as much as a turn may, so there is no need to let events gather.
	behind bool
	// judged is when the stream last asked whether its cursor is still within what is kept.
	judged time.Time
	// lapses is when the lease is over if no beat has come since it was last looked at.
	lapses time.Time
	size   batchSize
}

// errEnded ends a stream in order.
var errEnded = errors.New("stream ended")

func (f *Front) newStream(agent string, cred core.Credential, opened core.Opened) *stream {
	s := &stream{
		front: f, node: f.node, agent: agent, cred: cred, conn: opened.Connection, opened: opened.Head,
		told: claims(&opened.Connection), parked: parks(&opened.Connection),
		judged:      time.Now(),
		detach:      f.node.AttachStream(agent, opened.Connection),
		leaveStorms: f.storms.attach(connectionKey{agent, opened.Connection.ID}),
	}
	s.reader = f.node.NewAgentReaderFunc(agent, opened.Cursor, s.wake)
	s.reader.Serve(agent, "switch", opened.Connection.ID)
	f.streams.enter(s)
	return s
}

// begin starts the response with the frames that every stream begins with.
func (s *stream) begin(c echo.Context, state agentswitch.ConnectionState, head core.Position) error {
	hello, err := s.openingGaps(c.Request().Context(), agentswitch.AppendConnectionStateFrame(nil, state), head)
	if err != nil {
		return err
	}
	s.moved()
	setStreamHeaders(c.Response().Header())
	c.Response().WriteHeader(http.StatusOK)
	out, err := transport.NewEventStream(c.Response(), c.Request(), transport.EventStreamOptions{
		KeepAlive: s.front.opts.KeepAlive, Comment: agentswitch.KeepaliveText, ProgressTimeout: s.front.opts.ProgressTimeout,
	})
	if err != nil {
		return err
	}
	if err := out.Write(hello); err != nil {
		out.Close()
		return err
	}
	s.out.Store(out)
	return nil
}

// wake makes another turn due. What comes before the response has begun is seen by the first one.
func (s *stream) wake() {
	if out := s.out.Load(); out != nil {
		out.Wake()
	}
}

// Ended implements [transport.Attendant].
func (s *stream) Ended() {
	s.front.streams.leave(s)
	s.reader.Close()
	s.leaveStorms()
	s.detach()
}

// Turn implements [transport.Attendant]. No handler is around it that would catch a panic.
func (s *stream) Turn(ctx context.Context) (next time.Time, ok bool) {
	out := s.out.Load()
	defer func() {
		if v := recover(); v != nil {
			s.front.opts.Logger.Error("event stream panicked", zap.String("agent", s.agent), zap.Any("panic", v), zap.Stack("stack"))
			out.Abort()
			next, ok = time.Time{}, false
		}
	}()
	if !s.behind {
		out.Pace()
	}
	busy, err := s.turn(ctx, out)
	switch {
	case err != nil:
		s.report(ctx, err)
		return time.Time{}, false
	case busy:
		return time.Time{}, true
	}
	return s.due(out), true
}

// report logs an end that is neither the client's doing nor in order.
func (s *stream) report(ctx context.Context, err error) {
	if errors.Is(err, errEnded) || ctx.Err() != nil {
		return
	}
	s.front.opts.Logger.Info("event stream ended", zap.String("agent", s.agent), zap.Error(err))
}

// due is when there is something to do although nothing happens: a keepalive, or to see whether the lease has lapsed, so
// that a lapse shows when it happens and not at the next event. Beats only ever put the end off, so it is enough to look
// when it was due.
func (s *stream) due(out *transport.EventStream) time.Time {
	if now := time.Now(); !now.Before(s.lapses) {
		s.lapses = now.Add(s.node.LeaseLeft(s.agent, s.conn))
	}
	if silent := out.SilentAt(); silent.Before(s.lapses) {
		return silent
	}
	return s.lapses
}

// over tells whether the stream must end for a reason that is not its connection's.
func (s *stream) over(ctx context.Context) bool {
	return ctx.Err() != nil || s.front.draining() || s.node.Stopped()
}

// turn reads what lies behind the cursor, looks at the connection, and writes. busy: there may be more at once.
func (s *stream) turn(ctx context.Context, out *transport.EventStream) (busy bool, err error) {
	if s.over(ctx) {
		return false, errEnded
	}
	b := s.front.batches.Get().(*batch)
	defer func() { s.front.batches.Put(b.reset()) }()
	from, passed := s.reader.Cursor(), false
	s.behind = false
	if !s.parked {
		if b.out, err = s.lateGap(ctx, b.out); err != nil {
			return false, err
		}
		from = s.reader.Cursor()
		limit := s.size.limit()
		if b.entries, err = s.reader.Read(ctx, limit, b.entries); err != nil {
			if b.out, err = s.damageGap(err, b.out); err != nil {
				return false, err
			}
			passed = true
		}
		s.behind = len(b.entries) >= limit
	}
	now, evicted := s.look(ctx)
	if evicted != "" {
		b.out = agentswitch.AppendEvictedFrame(b.out, agentswitch.Evicted{Reason: evicted})
		return false, errors.Join(out.Write(b.out), errEnded)
	}
	if !s.node.KeyStands(s.cred) {
		// Nothing that was read goes to whoever holds a dead key. A deleted agent's connection is about to be closed, which
		// the client is told.
		if _, there := s.node.Agent(s.agent); there {
			return false, errEnded
		}
		s.reader.Seek(from)
		return false, nil
	}
	read := len(b.entries)
	woken := s.depart(&now, b) || s.follow(&now, b, from)
	s.gather(&now, b)
	if len(b.out) == 0 && !time.Now().Before(out.SilentAt()) {
		b.out = agentswitch.AppendKeepalive(b.out)
	}
	if len(b.out) > 0 {
		if err := out.Write(b.out); err != nil {
			return false, err
		}
	}
	s.moved()
	return woken || passed || read > 0 && s.reader.Cursor() < s.node.Applied(), nil
}

// depart appends what came to the rooms of a single-room connection before it went on from them: it was acknowledged while
// the connection held them, and nobody else would show it. more: not all of that is read yet, and the connection stays
// where the client knows it to be.
func (s *stream) depart(now *core.Connection, b *batch) (more bool) {
	if s.parked || now.Scope != core.ScopeSingle || slices.Equal(now.Rooms, s.told) {
		return false
	}
	n := slices.IndexFunc(b.entries, func(e *core.Entry) bool { return e.Position > now.LeftAt() })
	if n < 0 {
		n = len(b.entries)
	}
	old, rest := *now, slices.Clone(b.entries[n:])
	old.Rooms = s.told
	b.entries = b.entries[:n]
	s.gather(&old, b)
	b.entries = append(b.entries[:0], rest...)
	return s.reader.Cursor() < now.LeftAt()
}

// follow takes over the claims as they are now. What was read after the claims of a single-room connection were gone is put
// back: it parks, and its cursor stays there.
func (s *stream) follow(now *core.Connection, b *batch, from core.Position) (woken bool) {
	if rooms := claims(now); !slices.Equal(rooms, s.told) {
		s.told = rooms
		b.out = agentswitch.AppendSubscriptionChangedFrame(b.out, agentswitch.SubscriptionChanged{
			Rooms: agentswitch.Rooms(rooms), Reason: agentswitch.ReasonSubscriptionUpdated,
		})
	}
	was := s.parked
	s.parked = parks(now)
	if left := max(from, now.LeftAt()); s.parked && !was && s.reader.Cursor() > left {
		s.reader.Seek(left)
		b.entries = b.entries[:0]
	}
	s.unparked = s.unparked || was && !s.parked
	return was && !s.parked
}

// gather appends the frames of the entries that the connection covers and its filter lets through.
func (s *stream) gather(now *core.Connection, b *batch) {
	cover := coverage{node: s.node, agent: s.agent, conn: *now, opened: s.opened}
	before := len(b.out)
	for _, e := range b.entries {
		shown, notifies := relevance(e, s.agent)
		if !shown || now.Filter == core.FilterAddressed && !notifies {
			continue
		}
		if room, ok := e.Stream.RoomID(); ok && cover.covers(room, e.Position) {
			b.out = append(b.out, s.front.frames.frame(e, notifies)...)
		}
	}
	s.size.learn(len(b.entries), len(b.out)-before)
	// The write may wait long for a slow client, which must not hold on to more than the frames.
	clear(b.entries)
}

// moved tells the lease where the stream is, for the beats' answers and for a reopen without a cursor.
func (s *stream) moved() { s.node.Moved(s.agent, s.conn, s.reader.Cursor()) }
