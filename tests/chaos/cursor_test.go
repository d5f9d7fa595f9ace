package chaos_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"stele/tests/chaos"
)

// cursor is a reader's place on one line, kept across its connections.
type cursor struct {
	world    *world
	client   string
	protocol string
	line     chaos.Line
	// rooms are those it reads; on Positions several.
	rooms []string

	mu      sync.Mutex
	number  uint64
	begun   bool
	since   []delivery
	changed chan struct{}
}

// delivery is something that a reader must get and got.
type delivery struct {
	number uint64
	mark   string
}

func (w *world) newCursor(client, protocol string, line chaos.Line, rooms ...string) *cursor {
	return &cursor{world: w, client: client, protocol: protocol, line: line, rooms: rooms, changed: make(chan struct{})}
}

func (c *cursor) at() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number
}

// open records that a connection begins behind the cursor, and returns where that is.
func (c *cursor) open() (number uint64, resumed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kind := chaos.Began
	if c.begun {
		kind = chaos.Resumed
	}
	for _, room := range c.rooms {
		c.record(chaos.Record{Kind: kind, Room: room, Number: c.number})
	}
	resumed, c.begun, c.since = c.begun, true, nil
	return c.number, resumed
}

func (c *cursor) record(r chaos.Record) {
	r.Client, r.Protocol, r.Line = c.client, c.protocol, c.line
	c.world.rec.Add(r)
}

// got records an event and moves the cursor.
func (c *cursor) got(room string, number uint64, mark string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record(chaos.Record{Kind: chaos.Received, Room: room, Number: number, Mark: mark})
	c.number = max(c.number, number)
	if c.line == chaos.Positions && mark == "" {
		return
	}
	c.since = append(c.since, delivery{number, mark})
	close(c.changed)
	c.changed = make(chan struct{})
}

// missed records that the reader was told of a gap.
func (c *cursor) missed(through uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record(chaos.Record{Kind: chaos.Gap, Number: c.number, Through: through})
	c.world.faults.add("%s was told of a gap from %d to %d, and everything is kept", c.client, c.number, through)
	c.number = max(c.number, through)
}

// await waits until this connection has brought as much as it must, and records that nothing else was to come.
func (c *cursor) await(ctx context.Context, want []delivery) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		c.mu.Lock()
		have, changed := slices.Clone(c.since), c.changed
		c.mu.Unlock()
		if len(have) >= len(want) {
			return c.settle(have, want)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return c.settle(have, want)
		}
	}
}

func (c *cursor) settle(have, want []delivery) error {
	if len(want) > 0 {
		for _, room := range c.rooms {
			c.record(chaos.Record{Kind: chaos.CaughtUp, Room: room, Number: want[len(want)-1].number})
		}
	}
	if slices.Equal(have, want) {
		return nil
	}
	return fmt.Errorf("%s came back on %s and got %v, where it had not seen %v", c.client, c.line, have, want)
}

// take waits for as many deliveries as there should be and returns them.
func (c *cursor) take(ctx context.Context, count int) ([]delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		c.mu.Lock()
		have, changed := slices.Clone(c.since), c.changed
		c.mu.Unlock()
		if len(have) >= count {
			return have, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return have, fmt.Errorf("%s got %d messages of %d", c.client, len(have), count)
		}
	}
}

// wire is a connection that a reader follows.
type wire struct {
	close func()
	done  chan struct{}
}

// follow runs next until it tells that the connection has ended. The goroutine belongs to the life.
func follow(l *life, next func() bool, closeIt func()) *wire {
	x := &wire{close: closeIt, done: make(chan struct{})}
	l.work.Go(func() {
		defer close(x.done)
		defer closeIt()
		for next() {
		}
	})
	return x
}

// hangUp ends the connection, if there is one, and returns when nothing of it comes any more.
func (x *wire) hangUp() {
	if x != nil {
		x.close()
		<-x.done
	}
}
