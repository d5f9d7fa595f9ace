package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// command is something a client asks for. decide is pure: state, command, time and ids in; events or a typed error out.
type command[S, R any] interface {
	decide(state S, env Env) ([]Payload, R, error)
}

// Placed says where the events of a command lie. Both are zero when the command changed nothing.
type Placed struct {
	// Position and Version of the command's first event.
	Position Position
	Version  uint64
	// Replayed tells that the answer was given before, to the same idempotency key.
	Replayed bool
}

// queue holds the commands of one stream that wait to be decided together. A goroutine works on it as long as there are
// any; between bursts a stream costs none.
type queue[S folded[S]] struct {
	mu      sync.Mutex
	waiting []*proposal[S]
	running bool

	// draft is the state as the commands decided so far leave it; it belongs to the running goroutine. It is good while
	// draftHead is the cell's head.
	draft     S
	hasDraft  bool
	draftHead Position
}

// proposal is a command in a queue.
type proposal[S any] struct {
	decide func(S, Env) ([]Payload, any, error)
	key    *Key
	revive func(result []byte) (any, error)
	done   chan outcome

	// What deciding found.
	events int
	first  int
	result any
	err    error
	answer *Receipt
}

type outcome struct {
	result any
	placed Placed
	err    error
}

// maxBatch bounds how many commands of one stream are decided and appended together.
const maxBatch = 256

// propose queues a command and waits for its outcome: its events are durable and applied when it returns. When ctx ends
// first, the command may still happen.
func propose[S folded[S], R any](ctx context.Context, c *cell[S], cmd command[S, R], key *Key) (R, Placed, error) {
	var zero R
	p := &proposal[S]{
		decide: func(s S, env Env) ([]Payload, any, error) { return cmd.decide(s, env) },
		revive: reviveAs[R],
		key:    key, done: make(chan outcome, 1),
	}
	if !c.node.enter() {
		return zero, Placed{}, ErrDraining
	}
	defer c.node.leave()
	c.enqueue(p)
	select {
	case out := <-p.done:
		if out.err != nil {
			return zero, Placed{}, out.err
		}
		return out.result.(R), out.placed, nil
	case <-ctx.Done():
		return zero, Placed{}, ctx.Err()
	}
}

func (c *cell[S]) enqueue(p *proposal[S]) {
	q := &c.queue
	q.mu.Lock()
	q.waiting = append(q.waiting, p)
	start := !q.running
	q.running = true
	q.mu.Unlock()
	if start {
		// The queue pins its stream itself: a caller that stops waiting must not let it leave memory half-way.
		c.pins.Add(1)
		if !c.node.spawn(c.run) {
			c.refuseAll(ErrDraining)
			c.unpin()
		}
	}
}

// behind tells whether the state lacks the event at a position of its stream.
func (c *cell[S]) behind(p Position) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.head < p
}

// run decides what waits until nothing does.
func (c *cell[S]) run() {
	defer c.unpin()
	ctx := c.node.ctx
	if err := c.awaitReady(ctx); err != nil {
		c.refuseAll(err)
		return
	}
	for {
		batch := c.queue.take()
		if batch == nil {
			return
		}
		c.settleBatch(ctx, batch)
	}
}

// take removes up to maxBatch waiting commands; nil ends the goroutine's work.
func (q *queue[S]) take() []*proposal[S] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.running = false
		return nil
	}
	n := min(len(q.waiting), maxBatch)
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	if len(q.waiting) == 0 {
		q.waiting = nil
	}
	return batch
}

func (c *cell[S]) refuseAll(err error) {
	for batch := c.queue.take(); batch != nil; batch = c.queue.take() {
		refuse(batch, err)
	}
}

func refuse[S any](batch []*proposal[S], err error) {
	for _, p := range batch {
		p.done <- outcome{err: err}
	}
}

// settleBatch decides the commands against one state and appends what they ask for as one unit. When somebody else wrote
// to the stream first, it catches up and decides again.
func (c *cell[S]) settleBatch(ctx context.Context, batch []*proposal[S]) {
	for {
		last, events, err := c.decideBatch(batch)
		if err != nil {
			refuse(batch, err)
			return
		}
		var positions []Position
		if len(events) > 0 {
			positions, err = c.node.log.Append(ctx, c.stream, last, events)
			var conflict *ConflictError
			if errors.As(err, &conflict) {
				c.queue.hasDraft = false
				c.node.conflicts.Add(1)
				if err = c.awaitHead(ctx, conflict.Last); err == nil && c.behind(conflict.Last) {
					err = fmt.Errorf("state of %s misses events: %w", c.stream, conflict)
				}
				if err == nil {
					continue
				}
			}
			if err == nil {
				err = c.awaitHead(ctx, positions[len(positions)-1])
			}
			c.node.noteAppend(err)
			if err != nil {
				c.queue.hasDraft = false
				// Those refused or answered from a receipt get the error too: their outcome rested on what was not written.
				refuse(batch, fmt.Errorf("append to %s: %w", c.stream, err))
				return
			}
			c.queue.draftHead = positions[len(positions)-1]
		} else if err := c.node.awaitApplied(ctx, last); err != nil {
			// What an answer without events rests on may have been read from the log ahead of the node's head, by a cell that
			// was not there yet when the tail gave the signal for it.
			refuse(batch, err)
			return
		}
		answer(batch, events, positions)
		return
	}
}

// decideBatch lets each command see what the ones before it decided.
func (c *cell[S]) decideBatch(batch []*proposal[S]) (last Position, events []Event, err error) {
	q := &c.queue
	c.mu.RLock()
	last = c.head
	if !q.hasDraft || q.draftHead != last {
		q.draft, q.hasDraft, q.draftHead = c.live.Clone(), true, last
	}
	for _, p := range batch {
		if p.key != nil {
			p.answer = nil
			if r, ok := c.receipts[p.key.scope()]; ok {
				p.answer = &r
			}
		}
	}
	c.mu.RUnlock()
	fresh := map[string]Receipt{}
	for _, p := range batch {
		if events, err = c.decideOne(p, events, fresh); err != nil {
			q.hasDraft = false
			return 0, nil, err
		}
	}
	return last, events, nil
}

func (c *cell[S]) decideOne(p *proposal[S], events []Event, fresh map[string]Receipt) ([]Event, error) {
	p.events, p.first, p.result, p.err = 0, len(events), nil, nil
	if p.key != nil && p.answer == nil {
		if r, ok := fresh[p.key.scope()]; ok {
			p.answer = &r
		}
	}
	if p.answer != nil {
		p.replay()
		return events, nil
	}
	env := Env{Now: c.node.now(), IDs: c.node.ids, Lives: c.node.opts.Lives}
	payloads, result, err := p.decide(c.queue.draft, env)
	if err != nil {
		p.err = err
		return events, nil
	}
	p.result, p.events = result, len(payloads)
	for i, payload := range payloads {
		payload, at := atItsTime(payload, env.Now)
		e, err := encodePayload(payload)
		if err != nil {
			return nil, err
		}
		e.At, e.Version = at, nextVersion(c.queue.draft.version(), c.node.life)
		if p.key != nil && i == 0 {
			r, encoded, err := p.key.receipt(result, e.Version)
			if err != nil {
				return nil, err
			}
			e.Receipt = encoded
			fresh[p.key.scope()] = r
		}
		c.queue.draft.Apply(&Recorded{Event: e, Stream: c.stream})
		events = append(events, e)
	}
	return events, nil
}

// replay answers from a receipt.
func (p *proposal[S]) replay() {
	if p.answer.Hash != p.key.BodyHash {
		p.err = ErrKeyReused
		return
	}
	p.result, p.err = p.revive(p.answer.Result)
}

// answer replies to every command of a batch that was appended.
func answer[S any](batch []*proposal[S], events []Event, positions []Position) {
	for _, p := range batch {
		out := outcome{result: p.result, err: p.err}
		switch {
		case p.err != nil:
		case p.answer != nil:
			out.placed = Placed{Version: p.answer.Version, Replayed: true}
		case p.events > 0:
			out.placed = Placed{Position: positions[p.first], Version: events[p.first].Version}
		}
		p.done <- out
	}
}
