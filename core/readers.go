package core

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// serving are the readers that bring events to clients, by agent. The zero value is ready for use.
type serving struct {
	mu      sync.Mutex
	byAgent map[string]map[*Reader]struct{}
}

// service is whom a reader serves, and since when.
type service struct {
	agent, door, name string
	since             time.Time
}

// Place is Cursor for others than the goroutine that reads.
func (r *Reader) Place() Position { return Position(r.place.Load()) }

func (r *Reader) moveTo(p Position) {
	r.cursor = p
	r.place.Store(uint64(p))
}

// Serve says that the reader brings events to a client of an agent until it is closed: door is the way in which the client is
// there, as in [Node.Doors], name the connection or what else it is told from others by. From now on it shows in
// [Node.ReadersOf] and counts for [Node.Latency]. It is called once, before anything is read.
func (r *Reader) Serve(agent, door, name string) {
	r.caughtUp = r.node.Applied()
	r.serves = &service{agent: agent, door: door, name: name, since: r.node.now()}
	s := &r.node.serving
	s.mu.Lock()
	defer s.mu.Unlock()
	set(&s.byAgent, agent, addTo(s.byAgent[agent], r))
}

// end takes a reader off the list. Others than those that serve are not on it.
func (s *serving) end(r *Reader) {
	if r.serves == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byAgent[r.serves.agent], r)
	if len(s.byAgent[r.serves.agent]) == 0 {
		delete(s.byAgent, r.serves.agent)
	}
}

func (s *serving) of(agent string) []*Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*Reader, 0, len(s.byAgent[agent]))
	for r := range s.byAgent[agent] {
		out = append(out, r)
	}
	return out
}

// laggards are the readers whose cursor lies more than so many positions behind the head: only they can be so many events
// behind. Most of them are not: nothing has happened in their rooms.
func (s *serving) laggards(head Position, most uint64) (out []*Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, all := range s.byAgent {
		for r := range all {
			if place := r.Place(); place < head && uint64(head-place) > most {
				out = append(out, r)
			}
		}
	}
	return out
}

// ServingReader is a reader that brings events to a client of an agent at this node.
type ServingReader struct {
	Agent, Door, Name string
	// Room is the one room that it follows, empty when it follows all rooms of the agent.
	Room string
	// Since is when it began.
	Since time.Time
	// Cursor is how far it has read, Behind how many events lie between that and the head that it may see.
	Cursor Position
	Behind uint64
}

// ReadersOf lists the readers that serve an agent's clients at this node, by door and name.
func (n *Node) ReadersOf(ctx context.Context, agent string) ([]ServingReader, error) {
	var out []ServingReader
	for _, r := range n.serving.of(agent) {
		one, err := n.lookAt(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	slices.SortFunc(out, compareServing)
	return out, nil
}

func compareServing(a, b ServingReader) int {
	return cmp.Or(cmp.Compare(a.Door, b.Door), cmp.Compare(a.Name, b.Name), a.Since.Compare(b.Since))
}

// maxLaggards bounds how many readers are looked at closely at once.
const maxLaggards = 64

// Laggards lists readers at this node that are more than so many events behind the head, the furthest first, at most 64. One
// that reads nothing because its connection has claimed no room is not among them: it waits on purpose.
func (n *Node) Laggards(ctx context.Context, most uint64) (out []ServingReader, err error) {
	looked := 0
	for _, r := range n.serving.laggards(n.Applied(), most) {
		if n.parked(r) || !n.hasSomething(r) {
			continue
		}
		if looked++; looked > maxLaggards {
			break
		}
		one, err := n.lookAt(ctx, r)
		if err != nil {
			return nil, err
		}
		if one.Behind > most {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b ServingReader) int {
		return cmp.Or(cmp.Compare(b.Behind, a.Behind), cmp.Compare(a.Agent, b.Agent), compareServing(a, b))
	})
	return out, nil
}

func (n *Node) parked(r *Reader) bool {
	c := n.index.connection(r.serves.agent, r.serves.name)
	return c != nil && c.Scope == ScopeSingle && len(c.Rooms) == 0
}

// hasSomething tells whether anything has happened behind a reader's cursor in what it follows.
func (n *Node) hasSomething(r *Reader) bool {
	if r.agent != "" {
		return len(n.roomsBehind(r.agent, r.Place())) > 0
	}
	sum, ok := n.index.summary(r.room)
	return ok && sum.Head > r.Place()
}

func (n *Node) lookAt(ctx context.Context, r *Reader) (one ServingReader, err error) {
	one = ServingReader{Agent: r.serves.agent, Door: r.serves.door, Name: r.serves.name, Room: r.room, Since: r.serves.since, Cursor: r.Place()}
	if r.agent != "" {
		one.Behind, err = n.BehindHead(ctx, r.agent, one.Cursor)
	} else if sum, ok := n.index.summary(r.room); ok {
		one.Behind, err = n.behindIn(ctx, &sum, nil, one.Cursor)
	}
	return one, err
}

// BehindHead counts the events after a position that a reader of all rooms of an agent may see. It takes for each room in
// which something happened after it as long as reading 128 events.
func (n *Node) BehindHead(ctx context.Context, agent string, cursor Position) (behind uint64, err error) {
	if cursor >= n.Applied() {
		return 0, nil
	}
	all := n.index.spans(agent)
	for _, sum := range n.roomsBehind(agent, cursor) {
		in, err := n.behindIn(ctx, &sum, all[sum.ID], cursor)
		if err != nil {
			return 0, err
		}
		behind += in
	}
	return behind, nil
}

// behindIn counts those of one room, in the times of membership given; nil: all.
func (n *Node) behindIn(ctx context.Context, sum *Summary, spans []Interval, cursor Position) (behind uint64, err error) {
	if sum.Head <= cursor {
		return 0, nil
	}
	read, err := n.HistoryOf(sum.ID).versionAt(ctx, cursor)
	if err != nil {
		return 0, err
	}
	after := VersionCount(read)
	if spans == nil {
		spans = []Interval{{}}
	}
	for _, span := range spans {
		last := VersionCount(sum.Version)
		if span.To != 0 {
			last = VersionCount(span.To) - 1
		}
		if first := max(after, VersionCount(span.From)); last > first {
			behind += last - first
		}
	}
	return behind, nil
}

// ReadUpTo is how far the client of a connection has surely read, and where its stream would go on.
func (n *Node) ReadUpTo(ctx context.Context, agent string, c Connection) Position {
	return n.cursorOf(ctx, agent, &c)
}
