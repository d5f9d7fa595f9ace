package core

import (
	"context"
	"sync"
	"time"
)

// Typing is a member that writes a message at the moment.
type Typing struct {
	Agent string
	// Since is when it began, At when it said so last, and Until when it ends unless it is renewed.
	Since, At, Until time.Time
}

// typists remembers who writes where. It is never logged and lives on the node alone.
type typists struct {
	mu    sync.Mutex
	rooms map[string]map[string]Typing
	// watchers are woken when something changes in a room.
	watchers map[string]map[*TypingReader]struct{}
}

// StartTyping shows that a member writes a message, for ttl from now. Repeating it renews it. Errors: [ErrNoRoom],
// [ErrNotMember], *[RoomNotActiveError], *[RoomExpiredError], and a *[NotYourTurnError] for whoever may not speak now.
func (n *Node) StartTyping(ctx context.Context, room, agent string, ttl time.Duration) (Typing, error) {
	now := n.now()
	t := Typing{Agent: agent, Since: now, At: now, Until: now.Add(ttl)}
	var refused error
	// The room is not left before it shows: a message that comes in between ends it.
	err := n.ViewRoom(ctx, room, func(r *Room) {
		if refused = r.mayPost(agent, nil, now); refused == nil {
			t = n.typists.start(room, t)
		}
	})
	if err != nil {
		return Typing{}, err
	}
	return t, refused
}

// MayType tells whether a member may show that it writes a message. Errors: those of [Node.StartTyping].
func (n *Node) MayType(ctx context.Context, room, agent string) error {
	now := n.now()
	var refused error
	if err := n.ViewRoom(ctx, room, func(r *Room) { refused = r.mayPost(agent, nil, now) }); err != nil {
		return err
	}
	return refused
}

// StopTyping ends it, and tells whether something was showing. Errors: [ErrNoRoom], [ErrNotMember].
func (n *Node) StopTyping(agent, room string) (cleared bool, err error) {
	if err := n.checkMember(agent, room); err != nil {
		return false, err
	}
	return n.typists.stop(room, agent, n.now()), nil
}

func (s *typists) start(room string, t Typing) Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rooms[room] == nil {
		set(&s.rooms, room, map[string]Typing{})
	}
	if old, ok := s.rooms[room][t.Agent]; ok && t.Since.Before(old.Until) {
		t.Since = old.Since
	}
	s.rooms[room][t.Agent] = t
	s.wake(room)
	return t
}

func (s *typists) stop(room, agent string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.rooms[room][agent]
	if !ok {
		return false
	}
	if delete(s.rooms[room], agent); len(s.rooms[room]) == 0 {
		delete(s.rooms, room)
	}
	s.wake(room)
	return now.Before(t.Until)
}

// clear ends all typing in a room.
func (s *typists) clear(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rooms, room)
	s.wake(room)
}

// notify wakes whoever follows a room.
func (s *typists) notify(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake(room)
}

func (s *typists) wake(room string) {
	for r := range s.watchers[room] {
		wake(r.signal)
	}
}

func (s *typists) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for room, who := range s.rooms {
		for agent, t := range who {
			if !now.Before(t.Until) {
				delete(who, agent)
			}
		}
		if len(who) == 0 {
			delete(s.rooms, room)
		}
	}
}

// noteTyping ends the typing of whoever spoke, and all of it in a room that is no longer active.
func (n *Node) noteTyping(batch []Recorded) {
	s := &n.typists
	s.mu.Lock()
	quiet := len(s.rooms) == 0 && len(s.watchers) == 0
	s.mu.Unlock()
	if quiet {
		return
	}
	for i := range batch {
		room, ok := batch[i].Stream.RoomID()
		if !ok {
			continue
		}
		switch e := batch[i].Payload.(type) {
		case *MessagePostedEvent:
			s.stop(room, e.Sender, n.now())
		case *MemberLeftEvent:
			s.stop(room, e.Agent, n.now())
		case *RoomStateChangedEvent:
			if e.To != StateActive {
				s.clear(room)
			}
		}
	}
}

// TypingReader follows who writes in a room.
type TypingReader struct {
	node   *Node
	room   string
	signal chan struct{}
}

// NewTypingReader follows who writes in a room. The caller closes it.
func (n *Node) NewTypingReader(room string) *TypingReader {
	r := &TypingReader{node: n, room: room, signal: make(chan struct{}, 1)}
	s := &n.typists
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watchers[room] == nil {
		set(&s.watchers, room, map[*TypingReader]struct{}{})
	}
	s.watchers[room][r] = struct{}{}
	return r
}

// Wake has one slot: it holds a signal when somebody may have begun or ended, or the room's state changed. The end of a
// time to live gives none: see Now.
func (r *TypingReader) Wake() <-chan struct{} { return r.signal }

// Now returns who writes at the moment, and the time at which the first of them ends unless it is renewed, zero if nobody
// writes.
func (r *TypingReader) Now() (who map[string]Typing, until time.Time) {
	now := r.node.now()
	s := &r.node.typists
	s.mu.Lock()
	defer s.mu.Unlock()
	who = map[string]Typing{}
	for agent, t := range s.rooms[r.room] {
		if now.Before(t.Until) {
			who[agent] = t
			if until.IsZero() || t.Until.Before(until) {
				until = t.Until
			}
		}
	}
	return who, until
}

// Close ends the wake-ups.
func (r *TypingReader) Close() {
	s := &r.node.typists
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.watchers[r.room], r); len(s.watchers[r.room]) == 0 {
		delete(s.watchers, r.room)
	}
}
