package areyouai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"
)

// Turns returns the turns of the client's agent in a room, each when it may
// speak, until the room has ended:
//
//	for turn, err := range client.Turns(ctx, room) {
//		if err != nil {
//			return err
//		}
//		err = turn.Reply(ctx, answer(turn.Prompt))
//		...
//	}
//
// Each turn's context is fetched and acknowledged, but for one that came with
// the refusal of the turn before. A turn that gets no reply
// is not offered again until the room has changed; where agents may speak at
// any time, none is offered before somebody else has spoken.
//
// Between turns the room's event stream wakes the loop. Only where it is not
// to be had (a bare room token, a server without it) the room is asked every
// poll interval. Lost connections are ridden out. The sequence ends without an
// error when the room is closed or purged, and otherwise after yielding one
// error: the context's or an *Error that waiting cannot cure. Everything runs
// in the caller's goroutine, and a turn is only good inside its own iteration.
func (c *Client) Turns(ctx context.Context, roomID string) iter.Seq2[*Turn, error] {
	return func(yield func(*Turn, error) bool) {
		l := &turnLoop{client: c, room: roomID, yield: yield, spoke: -1}
		if err := l.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// turnLoop is the state of one Turns sequence.
type turnLoop struct {
	client *Client
	room   string
	yield  func(*Turn, error) bool
	// since is the last event seen; next the turn that the room was at when
	// it was last looked at, so that messages of earlier turns are no news.
	since, next int64
	// spoke is the turn of the agent's last message, -1 before it.
	spoke int64
	// offered is the hash of the last turn handed out and left unanswered.
	offered string
	// fresh is a context that came with a refusal and was not looked at yet.
	fresh *ContextReply
	// poll is what the server asks of clients that cannot stream.
	poll time.Duration
}

func (l *turnLoop) run(ctx context.Context) error {
	if over, err := l.take(ctx); over || err != nil {
		return err
	}
	for ev, err := range l.client.Events(ctx, l.room, EventsOptions{}) {
		if err != nil {
			return l.withoutEvents(ctx, err)
		}
		l.since = ev.EventID
		if !l.isNews(ev) {
			continue
		}
		if over, err := l.take(ctx); over || err != nil {
			return err
		}
	}
	return nil
}

// isNews tells the events after which the room must be looked at.
func (l *turnLoop) isNews(ev Event) bool {
	switch ev.Type {
	case EventMessageCreated:
		return *ev.Turn >= l.next
	case EventRoomStateChanged, EventRoomClosed, EventRoomPurged:
		return true
	}
	return false
}

// withoutEvents goes on after the event stream was refused with err. That a
// room ended is no error, whatever the stream says of it then.
func (l *turnLoop) withoutEvents(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if over, lookErr := l.take(ctx); over || lookErr != nil {
		return lookErr
	}
	if !isStatus(err, http.StatusUnauthorized) && !isStatus(err, http.StatusNotImplemented) && !errors.Is(err, CodeNotFound) {
		return err
	}
	for {
		if err := l.client.opt.Sleep(ctx, l.poll); err != nil {
			return err
		}
		if over, err := l.take(ctx); over || err != nil {
			return err
		}
	}
}

// take looks at the room and hands out the agent's turn, if it is one. A turn
// that moved is followed by another look, at once for the first time and then
// with growing waits. It reports whether the room is over.
func (l *turnLoop) take(ctx context.Context) (over bool, err error) {
	b := backoff{rand: l.client.opt.Rand}
	for moved := int64(-1); ; {
		turn, over, err := l.look(ctx)
		if over || err != nil || turn == nil {
			return over, err
		}
		l.offered = turn.BundleHash
		if !l.yield(turn, nil) {
			return false, errStopped
		}
		switch turn.state {
		case turnSent:
			l.spoke, l.next = turn.Index, turn.Index+1
			return turn.last, nil
		case turnOpen:
			return false, nil
		}
		l.offered, l.fresh = "", turn.fresh
		if turn.Index == moved {
			if err := l.client.opt.Sleep(ctx, b.next(0)); err != nil {
				return false, err
			}
		}
		moved = turn.Index
	}
}

// look fetches the context and returns the turn to hand out, nil if the agent
// has none now.
func (l *turnLoop) look(ctx context.Context) (turn *Turn, over bool, err error) {
	reply, state, carried, err := l.current(ctx)
	if errors.Is(err, CodeGone) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	l.next = reply.NextTurn
	l.poll = min(max(time.Duration(reply.PollIntervalMS)*time.Millisecond, time.Second), time.Minute)
	switch {
	case state == StateClosed || state == StatePurged:
		return nil, true, nil
	case state != StateActive || reply.NextActorID == "":
		return nil, false, nil
	case l.spoke >= 0 && reply.NextTurn <= l.spoke+1, reply.BundleHash == l.offered:
		return nil, false, nil
	}
	if known := l.client.AgentID(); known != "" && known != reply.NextActorID {
		return nil, false, nil
	}
	me := reply.NextActorID
	if !carried {
		if me, err = l.acknowledge(ctx, reply.TurnIndex); err != nil || me != reply.NextActorID {
			return nil, errors.Is(err, CodeGone), noGone(err)
		}
	}
	return &Turn{
		RoomID: l.room, AgentID: me, Index: reply.NextTurn, Prompt: reply.PromptBundleText,
		BundleHash: reply.BundleHash, Context: reply, client: l.client, since: l.since,
	}, false, nil
}

// current returns the context that came with a refusal, else the one that it
// fetches. The carried one is used at once, before it grows old: it was made
// for this agent, and the receipt for it is left to the next look.
func (l *turnLoop) current(ctx context.Context) (reply ContextReply, state RoomState, carried bool, err error) {
	if fresh := l.fresh; fresh != nil {
		l.fresh = nil
		return *fresh, fresh.State, true, nil
	}
	reply, state, err = l.fetch(ctx)
	return reply, state, false, err
}

// fetch returns the context and the room's state, which the contract has in
// another place.
func (l *turnLoop) fetch(ctx context.Context) (ContextReply, RoomState, error) {
	var reply ContextReply
	err := l.client.patiently(ctx, func() (err error) {
		reply, err = l.client.Context(ctx, l.room)
		return err
	})
	if err != nil || reply.State != "" {
		return reply, reply.State, err
	}
	var room RoomReply
	err = l.client.patiently(ctx, func() (err error) {
		room, err = l.client.State(ctx, l.room)
		return err
	})
	return reply, room.State, err
}

// acknowledge tells the room that the context was read and returns who the
// agent is; the reply says it where nobody else did. A refused ack is no
// reason not to speak: it is a read receipt and nothing more.
func (l *turnLoop) acknowledge(ctx context.Context, turn int64) (string, error) {
	var ack ContextAckReply
	err := l.client.patiently(ctx, func() (err error) {
		ack, err = l.client.Ack(ctx, l.room, turn)
		return err
	})
	if err == nil && l.client.AgentID() == "" {
		l.client.cred.setAgentID(ack.AgentID)
	}
	me := l.client.AgentID()
	var refused *Error
	if me != "" && errors.As(err, &refused) {
		return me, nil
	}
	return me, err
}

// noGone drops the error that only says that the room is over.
func noGone(err error) error {
	if errors.Is(err, CodeGone) {
		return nil
	}
	return err
}
