package switchfront_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// step is something that happens in the world. It prints as a sentence.
type step interface {
	fmt.Stringer
	// play does it, holds the answer against the reference, and returns what must have happened in the rooms.
	play(w *world) []refEvent
}

// plan is a run of steps.
type plan []step

// GoString prints a plan with one step a line.
func (p plan) GoString() string {
	var b strings.Builder
	for i, s := range p {
		fmt.Fprintf(&b, "\n    %2d. %v", i+1, s)
	}
	return b.String()
}

// plans makes runs of a few opens and then so many stretches of some six steps each, on average. Lists of lists shrink by
// dropping whole stretches.
func plans(steps *rapid.Generator[step], stretches int) *rapid.Generator[plan] {
	opens := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step { return drawOpen(t) }), 0, 8)
	more := rapid.SliceOfN(rapid.SliceOfN(steps, 1, -1), 1, 2*stretches)
	return rapid.Custom(func(t *rapid.T) plan {
		return slices.Concat(append([][]step{opens.Draw(t, "opens")}, more.Draw(t, "stretches")...)...)
	})
}

// steps makes single steps; the more often a kind is named, the more often it comes.
func steps() *rapid.Generator[step] {
	kinds := []string{
		"open", "say", "connect", "die", "live", "drop", "subscribe", "say", "open", "beat", "say", "open", "sayhere",
		"say", "limp", "connect", "unsubscribe", "invite", "remove", "look", "pass", "live", "open", "say", "subscribe", "drop", "beat",
	}
	return rapid.Custom(func(t *rapid.T) step {
		conn := rapid.SampledFrom(refConns)
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case "open":
			return drawOpen(t)
		case "drop":
			return drop{conn.Draw(t, "conn")}
		case "beat":
			return beatOnce{conn.Draw(t, "conn"), drawWho(t), drawCursor(t)}
		case "subscribe":
			return subscribeTo{conn.Draw(t, "conn"), drawWho(t), drawRoom(t), rapid.Bool().Draw(t, "takeover")}
		case "unsubscribe":
			return unsubscribeFrom{conn.Draw(t, "conn"), drawWho(t), drawRoom(t)}
		case "connect":
			return connectTo{conn.Draw(t, "conn"), drawWho(t), drawRoom(t)}
		case "say":
			return say{rapid.SampledFrom(refAgents).Draw(t, "agent"), rapid.SampledFrom(refRooms).Draw(t, "room"), drawMention(t)}
		case "sayhere":
			return sayHere{conn.Draw(t, "conn"), drawMention(t)}
		case "invite":
			return invite{rapid.SampledFrom(refAgents).Draw(t, "agent"), rapid.SampledFrom(refRooms).Draw(t, "room")}
		case "remove":
			return remove{rapid.SampledFrom(refAgents).Draw(t, "agent"), rapid.SampledFrom(refRooms).Draw(t, "room")}
		case "look":
			return lookAway{conn.Draw(t, "conn")}
		case "die":
			return die{conn.Draw(t, "conn")}
		case "limp":
			return limp{conn.Draw(t, "conn")}
		case "live":
			return live{d: time.Duration(rapid.IntRange(1, 12).Draw(t, "beats")) * 2 * time.Second}
		default:
			return pass{time.Duration(rapid.SampledFrom([]int{1, 5, 9, 10, 15, 20, 38, 58, 59, 60, 150}).Draw(t, "tenths")) * beatTime}
		}
	})
}

// rushes makes steps in which sessions run into each other, and some that show what came of it.
func rushes() *rapid.Generator[step] {
	return rapid.Custom(func(t *rapid.T) step {
		room := rapid.SampledFrom(refRooms).Draw(t, "room")
		switch rapid.SampledFrom([]string{"rush", "say", "rush", "open", "live"}).Draw(t, "kind") {
		case "rush":
			return rush{room}
		case "say":
			return say{"bob", room, drawMention(t)}
		case "open":
			return drawOpen(t)
		}
		return live{d: 2 * time.Second}
	})
}

// drawRoom is mostly a room that there is.
func drawRoom(t *rapid.T) string {
	return rapid.SampledFrom(slices.Concat(refRooms, refRooms, refRooms, []string{"nowhere"})).Draw(t, "room")
}

// drawRooms are those that an open lists: one it may have, mostly.
func drawRooms(t *rapid.T) []string {
	list := rapid.SampledFrom([]string{
		"", "", "", "attic", "barn", "attic barn", "attic", "barn attic", "barn", "attic barn", "cellar", "cellar attic",
		"attic nowhere",
	}).Draw(t, "rooms")
	return strings.Fields(list)
}

// drawWho is "" for the owner of a connection, mostly, or a stranger.
func drawWho(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "", "", "", "alice", "bob"}).Draw(t, "who")
}

func drawMention(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "@alice", "@bob", "@alice @carol"}).Draw(t, "mention")
}

// who acts: a named agent, or else the owner of the connection.
func who(named, conn string) string {
	if named != "" {
		return named
	}
	return refOwners[conn]
}

// cursor is a position as a client may name one: relative to what happened, or out of this world.
type cursor struct {
	kind string
	back int
}

func drawCursor(t *rapid.T) cursor {
	c := cursor{kind: rapid.SampledFrom([]string{"seen", "head", "event", "before", "zero", "negative", "ahead"}).Draw(t, "cursor")}
	if c.kind == "event" || c.kind == "before" {
		c.back = rapid.IntRange(0, 20).Draw(t, "back")
	}
	return c
}

func (c cursor) String() string {
	switch c.kind {
	case "event":
		return fmt.Sprintf("at event -%d", c.back)
	case "before":
		return fmt.Sprintf("before event -%d", c.back)
	case "seen":
		return "where the client is"
	case "ahead":
		return "ahead of everything"
	}
	return "at " + c.kind
}

// of is the number that the cursor means for a connection; false: it is the head.
func (c cursor) of(w *world, conn string) (n int64, number bool) {
	switch c.kind {
	case "seen":
		return int64(w.seen[conn]), w.seen[conn] > 0
	case "event", "before":
		i := max(len(w.ref.events)-1-c.back, 0)
		n = int64(w.ref.events[i].at)
		if c.kind == "before" {
			n--
		}
		return n, true
	case "negative":
		return -5, true
	case "ahead":
		return int64(w.head()) + 1000, true
	}
	return 0, c.kind == "zero"
}
