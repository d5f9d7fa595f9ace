package core

import (
	"context"
	"errors"
	"strings"
	"time"
)

// CreateRoom begins a room. With an idempotency key the room's id is derived from it, so that a repeated command meets
// the room that the first one made. Errors: [ErrRoomExists], *[InvalidError], *[TooLongError], and a *[NotAllowedError] for
// a reference that the owner may not read.
func (n *Node) CreateRoom(ctx context.Context, cmd CreateRoom, key *Key) (RoomMade, Placed, error) {
	if cmd.ID == "" {
		cmd.ID = n.ids.New(RoomPrefix, n.now())
		if key != nil {
			cmd.ID = DerivedID(RoomPrefix, "key", key.Agent, key.Value)
		}
	}
	if err := n.checkPlace(cmd); err != nil {
		return RoomMade{}, Placed{}, err
	}
	return onRoom(ctx, n, cmd.ID, cmd, key)
}

// PostMessage says something in a room. A room whose time to live has passed is closed first. Errors: [ErrNoRoom],
// [ErrNotMember], *[RoomNotActiveError], *[RoomExpiredError], *[TurnMismatchError], *[NotYourTurnError],
// *[TooLongError], and what the guard returned.
func (n *Node) PostMessage(ctx context.Context, room string, cmd PostMessage, key *Key) (Posted, Placed, error) {
	if err := n.expireFirst(ctx, room); err != nil {
		return Posted{}, Placed{}, err
	}
	if strings.Contains(cmd.Text, "@") {
		cmd.holders = n.roleHolders(ctx, room)
	}
	cmd.refuses = func(agent string) bool { return !n.MayAddress(cmd.Sender, agent, room) }
	return onRoom(ctx, n, room, cmd, key)
}

// JoinRoom makes agents members of a room; one that is a member already stays one. Errors: [ErrNoRoom], [ErrNotAllowed]
// when the inviter may not write the room, *[RoomNotActiveError], *[InvalidError] for a turns room and for an alias that
// cannot be given.
func (n *Node) JoinRoom(ctx context.Context, room string, cmd JoinRoom) error {
	if err := n.expireFirst(ctx, room); err != nil {
		return err
	}
	inviter, _ := n.Agent(cmd.Inviter)
	cmd.InviterOwner = inviter.Owner
	_, _, err := onRoom(ctx, n, room, cmd, nil)
	return err
}

// CloseRoom ends a room. Errors: [ErrNoRoom], [ErrNotMember], [ErrNotAllowed], and *[RoomNotActiveError] when it was purged.
func (n *Node) CloseRoom(ctx context.Context, room string, cmd CloseRoom, key *Key) (RoomEnded, Placed, error) {
	if err := n.expireFirst(ctx, room); err != nil {
		return RoomEnded{}, Placed{}, err
	}
	actor, _ := n.Agent(cmd.Actor)
	cmd.Owner = actor.Owner
	return onRoom(ctx, n, room, cmd, key)
}

// Expire closes the room if its time to live has passed, and does nothing otherwise.
func (n *Node) Expire(ctx context.Context, room string) (RoomEnded, error) {
	ended, _, err := onRoom(ctx, n, room, ExpireRoom{}, nil)
	return ended, err
}

// expireFirst lets time take effect before the room is asked anything, as every access does: a passed time to live closes
// it, and when its content is to be destroyed it is purged. An access takes one of these steps (areyouai: room state
// machine).
func (n *Node) expireFirst(ctx context.Context, room string) (err error) {
	now := n.now()
	overdue, closed := n.index.standing(room, now)
	switch {
	case overdue:
		_, err = n.Expire(ctx, room)
	case closed.IsZero():
	default:
		if _, due := n.opts.Purge.due(closed, now, n.ActiveViewers(room) > 0); due {
			_, err = n.Purge(ctx, room)
		}
	}
	return err
}

// standing tells whether the room's time to live has passed while it takes messages, and when it closed if it is one that
// is to be purged.
func (x *index) standing(room string, now time.Time) (overdue bool, closed time.Time) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	at, ok := x.deadlines[room]
	return ok && now.After(at), x.closed[room]
}

func onRoom[R any](ctx context.Context, n *Node, room string, cmd command[*Room, R], key *Key) (R, Placed, error) {
	if key != nil {
		release, err := n.keys.hold(ctx, key.scope())
		if err != nil {
			var zero R
			return zero, Placed{}, err
		}
		defer release()
		// The same request may mean another room by now; the key belongs to the one where it was used first.
		if home, used := n.index.keyRoom(key); used {
			room = home
		}
	}
	c, err := n.roomCell(ctx, room)
	if err != nil {
		var zero R
		return zero, Placed{}, err
	}
	defer c.unpin()
	return propose(ctx, c, cmd, key)
}

// ViewRoom runs fn with the state of a room, as of now, after time took effect on it. fn must not keep, change
// or block on it. Errors: [ErrNoRoom].
func (n *Node) ViewRoom(ctx context.Context, room string, fn func(*Room)) error {
	return n.ViewRoomAt(ctx, room, func(r *Room, _ Position) { fn(r) })
}

// ViewRoomAt is ViewRoom with the position of the newest event that the state holds: a reader that begins there misses
// nothing and repeats nothing of what the state says.
func (n *Node) ViewRoomAt(ctx context.Context, room string, fn func(r *Room, at Position)) error {
	if _, ok := n.index.summary(room); !ok {
		return ErrNoRoom
	}
	if err := n.expireFirst(ctx, room); err != nil && !unwritable(err) {
		return err
	}
	c, err := n.roomCell(ctx, room)
	if err != nil {
		return err
	}
	defer c.unpin()
	c.mu.RLock()
	defer c.mu.RUnlock()
	fn(c.live, c.head)
	return nil
}

// unwritable tells that something could not be written down at the moment. Reading goes on without it.
func unwritable(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrDraining)
}

// PinRoom keeps a room in memory until unpin is called, so that readers find it at hand.
func (n *Node) PinRoom(ctx context.Context, room string) (unpin func(), err error) {
	c, err := n.roomCell(ctx, room)
	if err != nil {
		return nil, err
	}
	return c.unpin, nil
}

// Room returns what is known of a room without loading it.
func (n *Node) Room(id string) (Summary, bool) { return n.index.summary(id) }

// RoomsOf lists the rooms an agent is a member of, oldest first.
func (n *Node) RoomsOf(agent string) []Summary { return n.index.roomsOf(agent) }

// Rooms lists every room, oldest first.
func (n *Node) Rooms() []Summary { return n.index.rooms() }

// IsMember tells whether the agent is a member of the room now.
func (n *Node) IsMember(agent, room string) bool { return n.index.member(agent, room) }
