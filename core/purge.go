package core

import (
	"context"
	"time"
)

// PurgeReason says why a room's content was destroyed.
type PurgeReason string

// The reasons for purging (areyouai: room state machine).
const (
	PurgedByGrace     PurgeReason = "grace_elapsed"
	PurgedByRetention PurgeReason = "retention_cap_reached"
)

// Defaults of when a closed room's content is destroyed. The grace is as long as the code lives with which people read the
// transcript; the protocol's own two minutes would destroy it long before.
const (
	DefaultPurgeGrace     = HumanCodeLife
	DefaultPurgeRetention = 2 * HumanCodeLife
)

// PurgePolicy says when a closed room's content is destroyed.
type PurgePolicy struct {
	// Grace is how long after its end a room that nobody watches keeps its content. Default: as long as the
	// human code lives, see [Lives].
	Grace time.Duration
	// Retention is how long it does at most, also while people watch. Default: twice as long as the human code lives.
	Retention time.Duration
	// Off: content stays for ever.
	Off bool
}

func (p PurgePolicy) withDefaults(humanCode time.Duration) PurgePolicy {
	setDefault(&p.Grace, humanCode)
	setDefault(&p.Retention, max(2*humanCode, p.Grace))
	return p
}

// due tells whether a room that closed at a time is to be purged now, and why.
func (p PurgePolicy) due(closed, now time.Time, watched bool) (PurgeReason, bool) {
	switch since := now.Sub(closed); {
	case p.Off || closed.IsZero():
		return "", false
	case !watched && since >= p.Grace:
		return PurgedByGrace, true
	case since >= p.Retention:
		return PurgedByRetention, true
	}
	return "", false
}

// RoomPurgedEvent: what was said in the room is destroyed. The content of all events before it is erased from the log after
// it, and none comes behind it: all that may still happen is that a member leaves, or that the room is archived.
type RoomPurgedEvent struct {
	Reason PurgeReason `json:"reason"`
}

// Kind implements [Payload].
func (e *RoomPurgedEvent) Kind() Kind                 { return RoomPurged }
func (e *RoomPurgedEvent) parts() (body, content any) { return e, nil }

// purges tells whether the rooms of this kind are purged at all: those in which two strangers met by a listing, or take turns.
// What an owner keeps for its agents is the owner's to end.
func (f *RoomFacts) purges() bool { return f.Floor == FloorTurns || f.Listing != nil }

// PurgeRoom destroys a closed room's content if its time has come, and does nothing otherwise.
type PurgeRoom struct {
	Policy PurgePolicy
	// Watched: people are watching.
	Watched bool
}

func (c PurgeRoom) decide(r *Room, env Env) ([]Payload, RoomEnded, error) {
	if r.State != StateClosed || !r.purges() {
		return nil, RoomEnded{State: r.State}, nil
	}
	reason, due := c.Policy.due(r.Imported.closedHere(r.ClosedAt), env.Now, c.Watched)
	if !due {
		return nil, RoomEnded{State: r.State}, nil
	}
	return []Payload{
		&RoomStateChangedEvent{From: StateClosed, To: StatePurged},
		&RoomPurgedEvent{Reason: reason},
	}, RoomEnded{State: StatePurged}, nil
}

// applyPurged forgets what people said and wrote. What stays is who was there, when, and how it ended.
func (r *Room) applyPurged() {
	r.RoomTexts = RoomTexts{}
	r.Published = r.Published.withoutTexts()
	r.Recent, r.References, r.Documents, r.Tasks, r.Leases, r.Shared = nil, nil, nil, nil, nil, nil
}

// Purge ends the room's content if its time has come, and does nothing otherwise. When it returns, nobody is shown the
// content any more; the bytes are destroyed by the node soon after, and also after a restart. Errors: [ErrNoRoom].
func (n *Node) Purge(ctx context.Context, room string) (RoomEnded, error) {
	if _, ok := n.index.summary(room); !ok {
		return RoomEnded{}, ErrNoRoom
	}
	cmd := PurgeRoom{Policy: n.opts.Purge, Watched: n.ActiveViewers(room) > 0}
	ended, _, err := onRoom(ctx, n, room, cmd, nil)
	return ended, err
}

// PurgeStanding counts the rooms whose content is to be destroyed, for operators.
type PurgeStanding struct {
	// Closed are all closed rooms with content, Ready those whose time has come, Watched those that only viewers hold, and
	// OverRetention those past the longest time.
	Closed, Ready, Watched, OverRetention int
	// OldestClosed and OldestReady are how long ago the oldest of them closed, 0 when there is none.
	OldestClosed, OldestReady time.Duration
	// Policy is what they are judged by.
	Policy PurgePolicy
}

// PurgeStanding tells how the destruction of closed rooms' content stands.
func (n *Node) PurgeStanding() PurgeStanding {
	now, s := n.now(), PurgeStanding{Policy: n.opts.Purge}
	for room, closed := range n.index.closedRooms() {
		s.Closed++
		age := now.Sub(closed)
		s.OldestClosed = max(s.OldestClosed, age)
		watched := n.ActiveViewers(room) > 0
		if _, due := s.Policy.due(closed, now, watched); due {
			s.Ready++
			s.OldestReady = max(s.OldestReady, age)
		} else if watched && age >= s.Policy.Grace {
			s.Watched++
		}
		if age >= s.Policy.Retention {
			s.OverRetention++
		}
	}
	return s
}
