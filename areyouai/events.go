package areyouai

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Events returns the room's events after opt.Since, each once and in order,
// for as long as the caller ranges. It reconnects by itself (1, 2, 4, 8,
// 10 s apart, plus jitter) and resumes after the last event it yielded; when
// an id does not follow its predecessor it asks the history for what lies
// between, and it drops repeats.
//
// The sequence ends after yielding one error: the context's, an *Error that
// waiting cannot cure (400, 401 after a new login, 403, 404, 410 once the room
// is purged), or a *FrameError. It does not end when the room closes: break
// on room.closed. Everything runs in the caller's goroutine.
func (c *Client) Events(ctx context.Context, roomID string, opt EventsOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := &follower{client: c, room: roomID, opt: opt, yield: yield}
		err := c.keepOpen(ctx, f.connection)
		if !errors.Is(err, errStopped) {
			yield(Event{}, err)
		}
	}
}

// follower is the state of one Events sequence. opt.Since is its cursor: the
// id of the last event yielded.
type follower struct {
	client *Client
	room   string
	opt    EventsOptions
	yield  func(Event, error) bool
	// opened tells a first connection from a resumed one.
	opened bool
}

// connection follows one connection to its end and returns why it ended.
func (f *follower) connection(ctx context.Context, alive func()) error {
	st, err := f.client.openEvents(ctx, f.room, f.opt, f.opened && f.opt.Since > 0)
	f.opened = true
	if err != nil {
		return err
	}
	defer st.Close()
	for {
		ev, err := st.Next()
		if err != nil {
			return err
		}
		alive()
		if ev.EventID > f.opt.Since+1 {
			if err := f.repair(ctx, ev.EventID); err != nil {
				return err
			}
		}
		if err := f.deliver(ev); err != nil {
			return err
		}
	}
}

// deliver yields an event unless it was yielded before.
func (f *follower) deliver(ev Event) error {
	if ev.EventID <= f.opt.Since {
		return nil
	}
	f.opt.Since = ev.EventID
	if !f.yield(ev, nil) {
		return errStopped
	}
	return nil
}

// repair yields from the history what lies between the cursor and an event
// that came too early. It may run past that event; the stream's copies are
// dropped as repeats then. A server whose ids are not contiguous within a
// room answers with nothing in between, and that is fine too.
func (f *follower) repair(ctx context.Context, until int64) error {
	for f.opt.Since < until-1 {
		page, err := f.client.History(ctx, f.room, f.opt.Since, MaxHistoryLimit)
		if err != nil {
			return fmt.Errorf("areyouai: repair of a gap: %w", err)
		}
		if len(page.Items) == 0 {
			return nil
		}
		if err := f.deliverPage(page.Items); err != nil {
			return err
		}
	}
	return nil
}

// deliverPage yields a page, which must move the cursor with each entry: one
// that does not would lose an event or ask for the same page for ever.
func (f *follower) deliverPage(items []Event) error {
	for _, ev := range items {
		if ev.EventID <= f.opt.Since {
			return &FrameError{Reason: fmt.Sprintf("history after %d holds %d", f.opt.Since, ev.EventID)}
		}
		if err := f.deliver(ev); err != nil {
			return err
		}
	}
	return nil
}
