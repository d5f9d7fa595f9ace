package edgeframes

import (
	"context"
	"iter"

	"stele/edgeframes/superjson"
)

// State yields the agent's state: the current copy at once, if there is one, and then
// each newer one. A slow listener is given the newest and misses those between. It
// ends with ctx or the client.
func (c *Client) State(ctx context.Context) iter.Seq[*superjson.Object] {
	return func(yield func(*superjson.Object) bool) {
		seen := uint64(0)
		for {
			c.mu.Lock()
			state, at, changed := c.mirror.state, c.mirror.stateAt, c.changed
			c.mu.Unlock()
			if at != seen {
				seen = at
				if !yield(state) {
					return
				}
				continue
			}
			if !c.await(ctx, changed) {
				return
			}
		}
	}
}

// MessagesUpdate is what a listener is given: the whole log, or what was added to it.
type MessagesUpdate struct {
	// Snapshot tells that Messages replaces all that came before.
	Snapshot bool
	// Messages are the items, oldest first.
	Messages []Message
}

// Messages yields the message log: the current copy at once as a snapshot, if there is
// one, and then what is added. It ends with ctx or the client, and with [ErrBehind] when
// the listener lost items, which happens only ClientOptions.KeepMessages later.
func (c *Client) Messages(ctx context.Context) iter.Seq2[MessagesUpdate, error] {
	return func(yield func(MessagesUpdate, error) bool) {
		var at messagePlace
		for {
			c.mu.Lock()
			update, ok, err := c.mirror.since(&at)
			changed := c.changed
			c.mu.Unlock()
			if err != nil {
				yield(MessagesUpdate{}, err)
				return
			}
			if ok {
				if !yield(update, nil) {
					return
				}
				continue
			}
			if !c.await(ctx, changed) {
				return
			}
		}
	}
}

// messagePlace is how far a listener has read.
type messagePlace struct {
	epoch uint64
	next  int
}

// since returns what lies behind at and moves it there.
func (m *mirror) since(at *messagePlace) (MessagesUpdate, bool, error) {
	end := m.first + len(m.messages)
	if at.epoch != m.epoch {
		*at = messagePlace{epoch: m.epoch, next: end}
		return MessagesUpdate{Snapshot: true, Messages: m.messages[:len(m.messages):len(m.messages)]}, true, nil
	}
	if at.next == end {
		return MessagesUpdate{}, false, nil
	}
	if at.next < m.first {
		return MessagesUpdate{}, false, ErrBehind
	}
	fresh := m.messages[at.next-m.first : len(m.messages) : len(m.messages)]
	at.next = end
	return MessagesUpdate{Messages: fresh}, true, nil
}

// await reports false when there is nothing more to wait for.
func (c *Client) await(ctx context.Context, changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	case <-ctx.Done():
	case <-c.done:
	}
	return false
}

// Events registers a listener at once and yields each event with a Seq of at least
// from, in order. Nothing older than the registration is kept: register before Start
// to have the replay of the first connection. Without Resume each reconnect replays
// and the listener sees events again. It ends with ctx or the client, and with
// [ErrBehind] when the listener was slower than ClientOptions.EventBuffer allows.
func (c *Client) Events(ctx context.Context, from uint64) iter.Seq2[EventFrame, error] {
	feed := &eventFeed{from: from, limit: c.opts.EventBuffer, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	c.feeds[feed] = struct{}{}
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { c.leave(feed) })
	return func(yield func(EventFrame, error) bool) {
		defer stop()
		defer c.leave(feed)
		for {
			c.mu.Lock()
			events, lost := feed.take()
			c.mu.Unlock()
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			if lost {
				yield(EventFrame{}, ErrBehind)
				return
			}
			if len(events) == 0 && !c.await(ctx, feed.wake) {
				return
			}
		}
	}
}

func (c *Client) leave(feed *eventFeed) {
	c.mu.Lock()
	delete(c.feeds, feed)
	c.mu.Unlock()
}

// eventFeed is what one listener has not taken yet. The client's lock guards it.
type eventFeed struct {
	from   uint64
	limit  int
	events []EventFrame
	lost   bool
	wake   chan struct{}
}

func (f *eventFeed) put(e EventFrame) {
	if e.Seq < f.from || f.lost {
		return
	}
	if len(f.events) == f.limit {
		f.lost = true
	} else {
		f.events = append(f.events, e)
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *eventFeed) take() ([]EventFrame, bool) {
	events := f.events
	f.events = nil
	return events, f.lost
}
