package switchfront

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// stream delivers to one open connection. It belongs to the goroutine of the request that opened it.
type stream struct {
	front  *Front
	node   *core.Node
	agent  string
	conn   core.Connection
	reader *core.Reader
	out    *transport.EventStream
	lease  *time.Timer

	// told are the claims that the client knows of, sorted.
	told []string
	// parked: a single-room connection without a room, which reads nothing. unparked: it has just got one.
	parked, unparked bool
	// silent: nothing was written for as long as the client tolerates.
	silent bool
	// judged is when the stream last asked whether its cursor is still within what is kept.
	judged time.Time
	size   batchSize
}

// errEnded ends a stream in order.
var errEnded = errors.New("stream ended")

func (f *Front) newStream(agent string, opened core.Opened) *stream {
	s := &stream{
		front: f, node: f.node, agent: agent, conn: opened.Connection,
		reader: f.node.NewAgentReader(agent, opened.Cursor),
		told:   claims(&opened.Connection), parked: parks(&opened.Connection),
		judged: time.Now(),
	}
	return s
}

// run delivers until the connection, the client, the front or the node ends.
func (s *stream) run(ctx context.Context) error {
	s.lease = time.NewTimer(s.node.LeaseLeft(s.agent, s.conn))
	defer s.lease.Stop()
	for {
		s.out.Pace()
		busy, err := s.turn(ctx)
		if err == nil && !busy {
			err = s.wait(ctx)
		}
		if err != nil {
			s.report(ctx, err)
			return nil
		}
	}
}

// report logs an end that is neither the client's doing nor in order.
func (s *stream) report(ctx context.Context, err error) {
	if errors.Is(err, errEnded) || ctx.Err() != nil {
		return
	}
	s.front.opts.Logger.Info("event stream ended", zap.String("agent", s.agent), zap.Error(err))
}

// turn reads what lies behind the cursor, looks at the connection, and writes. busy: there may be more at once.
func (s *stream) turn(ctx context.Context) (busy bool, err error) {
	b := s.front.batches.Get().(*batch)
	defer func() { s.front.batches.Put(b.reset()) }()
	from := s.reader.Cursor()
	if !s.parked {
		if b.out, err = s.lateGap(ctx, b.out); err != nil {
			return false, err
		}
		from = s.reader.Cursor()
		if b.entries, err = s.reader.Read(ctx, s.size.limit(), b.entries); err != nil {
			return false, err
		}
	}
	now, evicted := s.look(ctx)
	if evicted != "" {
		b.out = agentswitch.AppendEvictedFrame(b.out, agentswitch.Evicted{Reason: evicted})
		return false, errors.Join(s.out.Write(b.out), errEnded)
	}
	read := len(b.entries)
	woken := s.follow(&now, b, from)
	s.gather(&now, b)
	if s.silent && len(b.out) == 0 {
		b.out = agentswitch.AppendKeepalive(b.out)
	}
	s.silent = false
	if len(b.out) > 0 {
		if err := s.out.Write(b.out); err != nil {
			return false, err
		}
	}
	s.moved()
	return woken || read > 0 && s.reader.Cursor() < s.node.Applied(), nil
}

// follow takes over the claims as they are now. What was read for claims that are gone from a single-room connection is
// put back: it parks, and its cursor stays where it was.
func (s *stream) follow(now *core.Connection, b *batch, from core.Position) (woken bool) {
	if rooms := claims(now); !slices.Equal(rooms, s.told) {
		s.told = rooms
		b.out = agentswitch.AppendSubscriptionChangedFrame(b.out, agentswitch.SubscriptionChanged{
			Rooms: agentswitch.Rooms(rooms), Reason: agentswitch.ReasonSubscriptionUpdated,
		})
	}
	was := s.parked
	s.parked = parks(now)
	if s.parked && !was && s.reader.Cursor() != from {
		s.reader.Seek(from)
		b.entries = b.entries[:0]
	}
	s.unparked = s.unparked || was && !s.parked
	return was && !s.parked
}

// gather appends the frames of the entries that the connection covers and its filter lets through.
func (s *stream) gather(now *core.Connection, b *batch) {
	cover := coverage{node: s.node, agent: s.agent, conn: *now}
	before := len(b.out)
	for _, e := range b.entries {
		shown, notifies := relevance(e, s.agent)
		if !shown || now.Filter == core.FilterAddressed && !notifies {
			continue
		}
		if room, ok := e.Stream.RoomID(); ok && cover.covers(room) {
			b.out = append(b.out, s.front.frames.frame(e, notifies)...)
		}
	}
	s.size.learn(len(b.entries), len(b.out)-before)
	// The write may wait long for a slow client, which must not hold on to more than the frames.
	clear(b.entries)
}

// moved tells the lease where the stream is, for the beats' answers and for a reopen without a cursor.
func (s *stream) moved() { s.node.Moved(s.agent, s.conn, s.reader.Cursor()) }

// wait returns when there may be something to do. The lease is watched by a timer of the stream's own, so that a lapse
// shows when it happens and not at the next event.
func (s *stream) wait(ctx context.Context) error {
	select {
	case <-s.reader.Wake():
	case <-s.lease.C:
		// Beats only ever put the end off, so it is enough to look when it was due.
		s.lease.Reset(s.node.LeaseLeft(s.agent, s.conn))
	case <-s.out.Idle():
		s.silent = true
	case <-ctx.Done():
		return errEnded
	case <-s.front.drained:
		return errEnded
	case <-s.node.Done():
		return errEnded
	}
	return nil
}
