package core

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// History reads one room's events by the three numbers that order things. The room must be pinned or exist.
type History struct {
	node   *Node
	room   string
	stream Stream
}

// HistoryOf returns the history of a room.
func (n *Node) HistoryOf(room string) History {
	return History{node: n, room: room, stream: RoomStream(room)}
}

// After yields the room's events with a version above the one given, oldest first, up to the newest one that this node has.
func (h History) After(ctx context.Context, version uint64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		from, head, err := h.seek(ctx, func(m mark) bool { return m.Version <= version })
		if err != nil {
			yield(nil, err)
			return
		}
		h.read(ctx, from.Position, head, func(e *Entry) bool { return e.Version > version }, yield)
	}
}

// MessagesFrom yields the room's messages from a turn on, oldest first, up to the newest one that this node has.
func (h History) MessagesFrom(ctx context.Context, turn int) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		from, head, err := h.seek(ctx, func(m mark) bool { return m.Turn <= turn })
		if err != nil {
			yield(nil, err)
			return
		}
		h.read(ctx, from.Position, head, func(e *Entry) bool {
			p, ok := e.Payload.(*MessagePostedEvent)
			return ok && p.Turn >= turn
		}, yield)
	}
}

// Back yields the room's events that happened before a time, newest first; the zero time means from the end. What is damaged
// is left out.
func (h History) Back(ctx context.Context, before time.Time) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		_, head, err := h.seek(ctx, func(mark) bool { return true })
		if err != nil {
			yield(nil, err)
			return
		}
		start := head + 1
		if !before.IsZero() {
			if next, ok, err := h.firstMark(ctx, before); err != nil {
				yield(nil, err)
				return
			} else if ok {
				start = next + 1
			}
		}
		for rec, err := range h.back(ctx, start) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !before.IsZero() && !rec.At.Before(before) {
				continue
			}
			if rec.hollow() {
				continue
			}
			if err := rec.decode(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Entry{Recorded: rec}, nil) {
				return
			}
		}
	}
}

// PositionOf returns the position of the room's event with a version: the newest one at or below it. Zero is before
// everything.
func (h History) PositionOf(ctx context.Context, version uint64) (Position, error) {
	if version == 0 {
		return 0, nil
	}
	from, head, err := h.seek(ctx, func(m mark) bool { return m.Version <= version })
	if err != nil {
		return 0, err
	}
	at := from.Position
	h.read(ctx, from.Position, head, func(e *Entry) bool { return true }, func(e *Entry, rerr error) bool {
		if rerr != nil {
			err = rerr
			return false
		}
		if e.Version <= version {
			at = e.Position
		}
		return e.Version < version
	})
	return at, err
}

// Message finds a message by its id. Errors: [ErrNoMessage].
func (h History) Message(ctx context.Context, id string) (*Entry, *MessagePostedEvent, error) {
	turn, ok := MessageTurn(id)
	if !ok {
		return nil, nil, ErrNoMessage
	}
	for e, err := range h.MessagesFrom(ctx, turn) {
		if err != nil {
			return nil, nil, err
		}
		if p := e.Payload.(*MessagePostedEvent); p.ID == id {
			return e, p, nil
		}
		break
	}
	return nil, nil, ErrNoMessage
}

// ThreadRoot returns the root of the thread that a message belongs to: itself, or what it answered. Errors:
// [ErrNoMessage].
func (n *Node) ThreadRoot(ctx context.Context, room, message string) (string, error) {
	_, p, err := n.HistoryOf(room).Message(ctx, message)
	if err != nil {
		return "", err
	}
	if p.Thread != "" {
		return p.Thread, nil
	}
	return p.ID, nil
}

// seek returns the newest mark that satisfies ok, and the room's applied head.
func (h History) seek(ctx context.Context, ok func(mark) bool) (mark, Position, error) {
	c, err := h.node.roomCell(ctx, h.room)
	if err != nil {
		return mark{}, 0, err
	}
	defer c.unpin()
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.marks.before(ok), c.head, nil
}

// firstMark returns the position of the oldest mark that does not lie before a time.
func (h History) firstMark(ctx context.Context, before time.Time) (Position, bool, error) {
	c, err := h.node.roomCell(ctx, h.room)
	if err != nil {
		return 0, false, err
	}
	defer c.unpin()
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, m := range c.marks.List {
		if !m.At.Before(before) {
			return m.Position, true, nil
		}
	}
	return 0, false, nil
}

// read yields the entries after a position, up to head, that keep accepts.
func (h History) read(ctx context.Context, after, head Position, keep func(*Entry) bool, yield func(*Entry, error) bool) {
	for rec, err := range h.node.log.Read(ctx, h.stream, after) {
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", h.stream, err))
			return
		}
		if rec.Position > head {
			return
		}
		if err := rec.decode(); err != nil {
			yield(nil, err)
			return
		}
		e := &Entry{Recorded: rec}
		if !e.hollow() && keep(e) && !yield(e, nil) {
			return
		}
	}
}
