package core

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// Exported is a room as it is when its export begins.
type Exported struct {
	Room Room
	// Until is the position of the last event that is exported.
	Until Position
	node  *Node
}

// ExportRoom begins an export of a room, as of now, after time took effect on it. Errors: [ErrNoRoom].
func (n *Node) ExportRoom(ctx context.Context, room string) (*Exported, error) {
	x := &Exported{node: n}
	if err := n.ViewRoomAt(ctx, room, func(r *Room, at Position) { x.Room, x.Until = *r.Clone(), at }); err != nil {
		return nil, err
	}
	return x, n.awaitApplied(ctx, x.Until)
}

// Events yields every event of the room, oldest first, also those whose content was destroyed. A room that is purged while
// it is read ends them with a *[RoomNotActiveError].
func (x *Exported) Events(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for rec, err := range x.node.log.Read(ctx, RoomStream(x.Room.ID), 0) {
			if err != nil {
				yield(nil, fmt.Errorf("read room %s: %w", x.Room.ID, err))
				return
			}
			if rec.Position > x.Until {
				break
			}
			if err := rec.decode(); err != nil {
				yield(nil, err)
				return
			}
			if x.Room.State == StatePurged && len(rec.Content) > 0 {
				// It is to be destroyed, whether it was already or not.
				rec.Erased, rec.Content = true, nil
			}
			if rec.Erased && x.Room.State != StatePurged {
				yield(nil, &RoomNotActiveError{Room: x.Room.ID, State: StatePurged})
				return
			}
			if !yield(&Entry{Recorded: rec}, nil) {
				return
			}
		}
	}
}

// OpenMedia returns the content of an attachment of a message of the room; the caller closes it. Errors: [ErrNoMedia].
func (x *Exported) OpenMedia(ctx context.Context, id string) (io.ReadSeekCloser, Media, error) {
	place, ok := x.node.index.mediaPlace(id)
	if !ok || place.Room != x.Room.ID || x.node.opts.Media == nil {
		return nil, Media{}, ErrNoMedia
	}
	return x.node.opts.Media.Open(ctx, id)
}
