package core

import (
	"context"
	"time"
)

// Retained returns the position up to which an agent's rooms can no longer be read again by a reader that stands at
// cursor: 0 when everything after the cursor is within RetainEvents and RetainAge. A reader whose cursor is below the
// position returned has missed what lies between and must be told.
//
// The window is counted over all events of the agent's rooms, and only computed when a reader stands far enough behind
// for it to matter.
func (n *Node) Retained(ctx context.Context, agent string, cursor Position) (Position, error) {
	head := n.Applied()
	if cursor >= head {
		return 0, nil
	}
	oldest := n.now().Add(-n.opts.RetainAge)
	rooms := n.roomsBehind(agent, cursor)
	var byAge Position
	for _, room := range rooms {
		if !room.CreatedAt.Before(oldest) {
			continue
		}
		p, err := n.HistoryOf(room.ID).lastBefore(ctx, oldest)
		if err != nil {
			return 0, err
		}
		if p > room.ImportedHead {
			byAge = max(byAge, p)
		}
	}
	byCount, err := n.countedOut(ctx, rooms, cursor, head)
	if err != nil {
		return 0, err
	}
	if dropped := max(byAge, byCount); dropped > cursor {
		return dropped, nil
	}
	return 0, nil
}

// roomsBehind lists the rooms of an agent that have events after a position.
func (n *Node) roomsBehind(agent string, cursor Position) []Summary {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	var out []Summary
	for id := range n.index.s.Members[agent] {
		if r := n.index.s.Rooms[id]; r != nil && r.Head > cursor {
			out = append(out, *r)
		}
	}
	return out
}

// countedOut returns the newest position with more than RetainEvents events of the rooms after it.
func (n *Node) countedOut(ctx context.Context, rooms []Summary, cursor, head Position) (Position, error) {
	limit := uint64(n.opts.RetainEvents)
	most := uint64(0)
	for _, r := range rooms {
		most += r.eventsHere(0)
	}
	if most <= limit || uint64(head-cursor) <= limit {
		return 0, nil
	}
	// Events after a position only become fewer as it rises, so the boundary is found by halving.
	low, high := cursor, head
	for low < high {
		mid := low + (high-low)/2
		after, err := n.eventsAfter(ctx, rooms, mid)
		if err != nil {
			return 0, err
		}
		if after > limit {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == cursor {
		return 0, nil
	}
	return low, nil
}

func (n *Node) eventsAfter(ctx context.Context, rooms []Summary, p Position) (uint64, error) {
	var sum uint64
	for _, r := range rooms {
		if r.Head <= p {
			continue
		}
		v, err := n.HistoryOf(r.ID).versionAt(ctx, p)
		if err != nil {
			return 0, err
		}
		sum += r.eventsHere(v)
	}
	return sum, nil
}

// versionAt returns the room's version as of a position.
func (h History) versionAt(ctx context.Context, p Position) (uint64, error) {
	from, _, err := h.seek(ctx, func(m mark) bool { return m.Position <= p })
	if err != nil || from.Position == p {
		return from.Version, err
	}
	version := from.Version
	for rec, err := range h.node.log.Read(ctx, h.stream, from.Position) {
		if err != nil {
			return 0, err
		}
		if rec.Position > p {
			break
		}
		version = rec.Version
	}
	return version, nil
}

// lastBefore returns the position of the room's newest event from before a time, 0 when there is none.
func (h History) lastBefore(ctx context.Context, t time.Time) (Position, error) {
	from, head, err := h.seek(ctx, func(m mark) bool { return m.Version == 0 || m.At.Before(t) })
	if err != nil {
		return 0, err
	}
	last := from.Position
	for rec, err := range h.node.log.Read(ctx, h.stream, from.Position) {
		if err != nil {
			return 0, err
		}
		if rec.Position > head || !rec.At.Before(t) {
			break
		}
		last = rec.Position
	}
	return last, nil
}
