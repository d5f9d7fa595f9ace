package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/core"
)

// watchView is what people who watch may know of a room beside what is said: what the viewers of the areyouai protocol are
// told, with names in place of ids.
type watchView struct {
	Room, Name string
	State      core.RoomState
	Reason     core.CloseReason
	ClosedAt   time.Time
	// CodeUntil is when the code ends, and the view with it.
	CodeUntil time.Time
	// Turn counts what was said; Max is after how many the room closes, 0: never. Next is whose turn it is.
	Turn, Max int
	Next      string
	// TTL is when the room's time is over, zero: never.
	TTL     time.Time
	Members []watchedMember
	// More tells how many members are left out.
	More int
	// Watching is how many watch now; Typing are who write.
	Watching int
	Typing   []string
}

// watchedMember is somebody in the room, as people who watch see it.
type watchedMember struct {
	ID, Name string
	HasTurn  bool
	// Read is the number of the newest message that it said it has read, -1: none. A context that was taken at a turn shows
	// all before it.
	Read   int
	joined uint64
}

// Left is how many turns are left, for people; empty where they are not counted.
func (w watchView) Left() int { return max(0, w.Max-w.Turn) }

// Open tells whether something may still be said.
func (w watchView) Open() bool { return w.State == core.StateOpen || w.State == core.StateActive }

// Ended says why the room is closed.
func (w watchView) Ended() string {
	switch w.Reason {
	case core.ClosedByMaxTurns:
		return "all turns were used"
	case core.ClosedByTTL:
		return "its time was over"
	case core.ClosedByMember:
		return "one of its members closed it"
	}
	return "it has ended"
}

// watchEnd is why somebody watches no more.
type watchEnd int

const (
	endUnknown watchEnd = iota
	endLeft
	endCode
	endPurged
)

func (e watchEnd) text() string {
	switch e {
	case endLeft:
		return "You have left. With the code you can come back."
	case endCode:
		return "The code has ended, and with it what it lets you see."
	case endPurged:
		return "What was said in this room has been destroyed."
	}
	return "You do not watch this room any more. With the code you can come back."
}

// watchRefusal tells that a visitor is nobody who watches.
type watchRefusal struct{ end watchEnd }

func (e *watchRefusal) Error() string { return e.end.text() }

// lookAt looks at a room after what time has done to it took effect. Errors: [core.ErrNoRoom].
func (c *Console) lookAt(ctx context.Context, room string) (watchView, error) {
	w := watchView{Room: room}
	err := c.node.ViewRoom(ctx, room, func(r *core.Room) {
		w.Name, w.State, w.Reason, w.ClosedAt = r.Name, r.State, r.CloseReason, r.ClosedAt
		w.CodeUntil, w.Turn, w.Max, w.TTL = r.HumanCodeUntil, r.Turn, r.MaxTurns, r.TTLAt
		next := r.NextActor()
		for _, m := range r.Members {
			shown := watchedMember{ID: m.Agent, Name: shownName(m), HasTurn: next == m.Agent, Read: -1, joined: m.Joined}
			if shown.HasTurn {
				w.Next = shown.Name
			}
			w.Members = append(w.Members, shown)
		}
	})
	if w.Name == "" {
		w.Name = room
	}
	return w, err
}

// shownTyping is how many are named who write at the same time.
const shownTyping = 8

// around adds what is no part of the room itself.
func (c *Console) around(w watchView) watchView {
	slices.SortFunc(w.Members, func(a, b watchedMember) int {
		if a.joined != b.joined {
			return int(int64(a.joined) - int64(b.joined))
		}
		return strings.Compare(a.ID, b.ID)
	})
	acked := c.node.AckedTurns(w.Room)
	typing := c.node.NewTypingReader(w.Room)
	defer typing.Close()
	who, _ := typing.Now()
	for i := range w.Members {
		m := &w.Members[i]
		m.Read = acked[m.ID] - 1
		if _, writes := who[m.ID]; writes && w.Open() {
			w.Typing = append(w.Typing, m.Name)
		}
	}
	w.Members, w.More = fitting(w.Members, membersBytes, rowBytes, func(m watchedMember) string { return m.Name + m.Name + m.Name })
	w.Typing = w.Typing[:min(len(w.Typing), shownTyping)]
	w.Watching = c.node.ActiveViewers(w.Room)
	return w
}

// watchAs hears of the visitor as a viewer of a room, and returns the room's view. What time has done comes first: a viewer
// whose code has ended, or whose room is purged, holds nothing. Errors: [core.ErrNoRoom], *[watchRefusal].
func (c *Console) watchAs(v *visit, room string) (watchView, error) {
	w, err := c.lookAt(v.ctx(), room)
	if err != nil {
		return watchView{}, err
	}
	if w.State == core.StatePurged {
		return watchView{}, &watchRefusal{endPurged}
	}
	if !c.node.Now().Before(w.CodeUntil) {
		return watchView{}, &watchRefusal{endCode}
	}
	switch err := c.node.BeatViewer(room, viewerOf(v.request())); {
	case errors.Is(err, core.ErrViewerLeft):
		return watchView{}, &watchRefusal{endLeft}
	case err != nil:
		return watchView{}, &watchRefusal{endUnknown}
	}
	return c.around(w), nil
}

// watchOver is what is shown in place of a room.
type watchOver struct {
	Room, Name, Text, Why string
	// Again: with the code one may come back.
	Again bool
}

// purgeLook bounds how many events are looked through for the purge; few come behind it.
const purgeLook = 64

// watchEndOf tells why there is nothing to watch any more.
func (c *Console) watchEndOf(ctx context.Context, room string, end watchEnd) (watchOver, error) {
	out := watchOver{Room: room, Text: end.text(), Again: end != endPurged && end != endCode}
	if sum, ok := c.node.Room(room); ok {
		out.Name = sum.Name
	}
	if end != endPurged {
		return out, nil
	}
	left := purgeLook
	for e, err := range c.node.HistoryOf(room).Before(ctx, 0) {
		if err != nil {
			return watchOver{}, err
		}
		if p, ok := e.Payload.(*core.RoomPurgedEvent); ok {
			out.Why = purgedBecause(p.Reason)
			break
		}
		if left--; left == 0 {
			break
		}
	}
	return out, nil
}

func purgedBecause(reason core.PurgeReason) string {
	switch reason {
	case core.PurgedByGrace:
		return "It had been closed for some time, and nobody watched it."
	case core.PurgedByRetention:
		return "It had been closed for as long as this gateway keeps what was said."
	}
	return ""
}
