package switchfront_test

import (
	"slices"
	"strings"
	"time"
)

// holder is the connection of an agent that has claimed a room.
func (r *reference) holder(agent, room string) *refConn {
	for _, c := range r.conns {
		if c.agent == agent && slices.Contains(c.rooms, room) {
			return c
		}
	}
	return nil
}

// covers tells whether a connection follows a room: its claims, and with scope "all" what no sibling has claimed.
func (r *reference) covers(c *refConn, room string) bool {
	h := r.holder(c.agent, room)
	return h == c || h == nil && c.scope == "all"
}

// claim gives a room to a connection and takes it from the sibling that has it.
func (r *reference) claim(c *refConn, room string) (loser *refConn) {
	h := r.holder(c.agent, room)
	if h == c {
		return nil
	}
	if h != nil {
		h.drop(room)
	}
	if c.scope == "single" {
		c.rooms = nil
	}
	c.rooms = append(c.rooms, room)
	return h
}

func (c *refConn) drop(room string) {
	c.rooms = slices.DeleteFunc(slices.Clone(c.rooms), func(r string) bool { return r == room })
}

func (c *refConn) claims() []string { return slices.Sorted(slices.Values(c.rooms)) }

func (c *refConn) parks() bool { return c.scope == "single" && len(c.rooms) == 0 }

// end ends a stream with its last frame.
func (s *refStream) end(reason string) {
	if s != nil {
		s.wants = append(s.wants, want{kind: "evicted", text: reason})
		s.ended = true
	}
}

// die ends a connection.
func (r *reference) die(c *refConn, reason string) {
	c.stream.end(reason)
	delete(r.conns, c.id)
}

// live returns a connection if it is the agent's and lives.
func (r *reference) live(agent, id string) *refConn {
	if c := r.conns[id]; c != nil && c.agent == agent {
		return c
	}
	return nil
}

// detach notes that a connection's client has let go of its stream.
func (r *reference) detach(c *refConn) { c.stream, c.detached = nil, r.now }

// opening is an open as it was asked for: start is "head" or a position.
type opening struct {
	id, agent, scope, filter string
	spawn                    bool
	rooms                    []string
	head                     bool
	start                    uint64
}

// open opens a connection. Refused, it may have ended one.
func (r *reference) open(o opening) (status int) {
	old := r.conns[o.id]
	if old != nil && old.agent != o.agent {
		return 409
	}
	for _, room := range o.rooms {
		if !r.isMember(o.agent, room) {
			if old != nil {
				r.die(old, "invalid room subscription")
			}
			return 403
		}
	}
	c := &refConn{id: o.id, agent: o.agent, scope: o.scope, filter: o.filter, spawn: o.spawn, beat: r.now}
	switch {
	case !o.head:
		c.cursor = exactly(o.start)
	case old != nil:
		c.cursor = r.unread(old)
	default:
		c.cursor = bounds{r.head(), r.head()}
	}
	if old != nil {
		old.stream.end("another stream attached to this connection")
		c.rooms = old.rooms
		if c.scope == "single" && len(c.rooms) > 1 {
			c.rooms = c.rooms[len(c.rooms)-1:]
		}
	}
	r.conns[o.id] = c
	for _, room := range o.rooms {
		r.claim(c, room)
	}
	c.stream = &refStream{told: c.claims(), parked: c.parks()}
	return 200
}

// unread bounds the cursor of a live connection whose client reopens it without one: from what the client has surely
// read to what it may not have read yet.
func (r *reference) unread(c *refConn) bounds {
	until := r.now
	if c.stream == nil {
		until = c.detached
	}
	low, high := max(c.opened.low, c.reported), max(c.opened.high, r.headBy(until.Add(-refInFlight)))
	for _, s := range c.trail {
		if !s.when.After(until.Add(-refRead)) {
			low = max(low, s.at)
		}
	}
	high = max(min(high, c.cursor.high), c.reported)
	return bounds{low, max(low, high)}
}

// opened says what the stream of a connection that was just opened begins with. announced is the cursor that it told,
// head how far the log had got after the open.
func (r *reference) begun(c *refConn, announced, head uint64) {
	c.stream.wants = append(c.stream.wants, want{
		kind: "connection_state", number: exactly(announced),
		text: state(c.id, c.agent, c.scope, c.filter, c.spawn, c.claims()),
	})
	before := r.head()
	c.cursor = exactly(announced)
	if announced > head {
		c.cursor = bounds{before, head}
		c.stream.wants = append(c.stream.wants, want{kind: "gap", text: "restarted", number: c.cursor, resumed: c.cursor})
	}
	if d := r.dropped(c.agent); d > c.cursor.low {
		c.cursor = exactly(d)
		c.stream.wants = append(c.stream.wants, want{kind: "gap", text: "re-read", number: c.cursor, resumed: c.cursor})
	}
	// A client that has not read the gap is told of it again when it reopens.
	c.opened = bounds{min(announced, before), c.cursor.high}
	c.trail = []refStep{{r.now, c.cursor.low}}
}

func state(id, agent, scope, filter string, spawn bool, rooms []string) string {
	text := id + " of " + agent + " " + scope + "/" + filter
	if spawn {
		text += " spawn"
	}
	return text + " [" + strings.Join(rooms, " ") + "]"
}

// deliver lets every stream write what it has to write now. head is how far the log may have got by the end of it.
func (r *reference) deliver(head uint64) {
	for _, c := range r.conns {
		if s := c.stream; s != nil {
			r.follow(c, s, head)
			if !s.parked {
				r.write(c, s, head)
			}
			c.trail = append(c.trail, refStep{r.now, c.cursor.low})
		}
	}
}

// follow tells a stream's client of claims that have changed, and of what was lost while the stream was parked.
func (r *reference) follow(c *refConn, s *refStream, head uint64) {
	if claims := c.claims(); !slices.Equal(claims, s.told) {
		s.told = claims
		s.wants = append(s.wants, want{kind: "subscription_changed", text: "[" + strings.Join(claims, " ") + "]"})
	}
	was := s.parked
	s.parked = c.parks()
	if s.parked && !was {
		// What happened just now may have been passed or not: it is nothing that is shown.
		c.cursor.high = max(c.cursor.high, head)
	}
	if d := r.dropped(c.agent); was && !s.parked && d > c.cursor.low {
		s.wants = append(s.wants, want{
			kind: "gap", text: "re-read", number: c.cursor, resumed: exactly(d), perhaps: d <= c.cursor.high,
		})
		c.cursor = bounds{d, max(d, c.cursor.high)}
	}
}

// write writes the events behind a stream's cursor.
func (r *reference) write(c *refConn, s *refStream, head uint64) {
	for _, e := range r.events {
		if e.at <= c.cursor.low || !r.shows(e, c.agent) || !r.covers(c, e.room) {
			continue
		}
		if c.filter == "all" || r.addresses(e, c.agent) {
			s.wants = append(s.wants, r.frame(e, c.agent))
		}
	}
	c.cursor = bounds{max(c.cursor.low, r.newest(c.agent)), max(c.cursor.high, head)}
}

// pass moves the time and ends the connections whose beats have stopped.
func (r *reference) pass(now time.Time) {
	r.now = now
	for _, c := range r.conns {
		if !now.Before(c.beat.Add(refTTL)) {
			r.die(c, "heartbeat lapsed")
		}
	}
}

// beats renews a connection's life. The cursor that is answered lies between the bounds.
func (r *reference) beats(agent, id string, cursor int64) (status int, answer bounds) {
	c := r.live(agent, id)
	switch {
	case c == nil:
		return 404, bounds{}
	case c.stream == nil:
		return 409, bounds{}
	}
	c.beat = r.now
	c.reported = max(c.reported, min(uint64(max(cursor, 0)), r.head()))
	if !c.stream.parked {
		c.cursor.high = r.head()
	}
	return 200, bounds{max(c.cursor.low, c.reported), max(c.cursor.high, c.reported)}
}

// subscribe claims a room for a connection.
func (r *reference) subscribe(agent, id, room string, takeover bool) (status int, loser string) {
	c := r.live(agent, id)
	switch {
	case c == nil || !slices.Contains(refRooms, room):
		return 404, ""
	case !r.isMember(agent, room):
		return 403, ""
	}
	if h := r.holder(agent, room); h != nil && h != c && !takeover {
		return 409, h.id
	}
	if l := r.claim(c, room); l != nil {
		loser = l.id
	}
	return 200, loser
}

// unsubscribe gives up a room.
func (r *reference) unsubscribe(agent, id, room string) (status int) {
	c := r.live(agent, id)
	if c == nil {
		return 404
	}
	c.drop(room)
	return 200
}

// leave ends a membership and with it the claims on the room.
func (r *reference) leave(agent, room string) (was bool) {
	for _, c := range r.conns {
		if c.agent == agent {
			c.drop(room)
		}
	}
	return r.isMember(agent, room)
}

// connect is the operation that claims a room with takeover.
func (r *reference) connect(agent, id, room string) (status int, loser string) {
	switch c := r.live(agent, id); {
	case c == nil:
		return 409, ""
	case !slices.Contains(refRooms, room):
		return 400, ""
	}
	return r.subscribe(agent, id, room, true)
}

// currentRoom is the room that an operation on a connection acts on.
func (r *reference) currentRoom(agent, id string) (room string, status int) {
	c := r.live(agent, id)
	switch {
	case c == nil:
		return "", 409
	case len(c.rooms) != 1:
		return "", 400
	case !r.isMember(agent, c.rooms[0]):
		return "", 403
	}
	return c.rooms[0], 200
}

// presence is how present an agent whose sessions count is in a room.
func (r *reference) presence(agent, room string) string {
	if r.holder(agent, room) != nil {
		return "live"
	}
	for _, c := range r.conns {
		if c.agent == agent && c.spawn && c.scope == "all" {
			return "dormant"
		}
	}
	return "no_session"
}
