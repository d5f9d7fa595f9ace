package agentswitch

import (
	"context"
	"slices"
	"sync"
)

// claims are the rooms that a session's connection holds, as far as it knows.
// It sends them with every open, which takes them over: that is how a room
// comes back after a connection lapsed.
type claims struct {
	// busy is held, by whoever is in it, while claims are changed at the
	// server. An open that sent yesterday's rooms after a claim was made would
	// undo it.
	busy chan struct{}

	mu    sync.Mutex
	rooms []string
}

func (c *claims) init(rooms []string) {
	c.busy = make(chan struct{}, 1)
	c.rooms = slices.Clone(rooms)
}

// hold waits for its turn to change the claims at the server.
func (c *claims) hold(ctx context.Context) (release func(), err error) {
	select {
	case c.busy <- struct{}{}:
		return func() { <-c.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *claims) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.rooms)
}

func (c *claims) set(rooms []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms = slices.Clone(rooms)
}

func (c *claims) forget(room string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms = slices.DeleteFunc(c.rooms, func(id string) bool { return id == room })
}

// add notes a new claim: the only one of a single connection, one more of an
// all connection.
func (c *claims) add(room string, scope Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case scope == ScopeSingle:
		c.rooms = []string{room}
	case !slices.Contains(c.rooms, room):
		c.rooms = append(c.rooms, room)
	}
}

// observe notes what a frame says about the claims.
func (c *claims) observe(frame Frame) {
	switch f := frame.(type) {
	case ConnectionState:
		c.set(f.Rooms)
	case SubscriptionChanged:
		c.set(f.Rooms)
	}
}

// claiming runs a call that changes the claims, again after a reopen if it
// found the connection dead.
func (s *Session) claiming(ctx context.Context, call func() error) error {
	return s.Client.revived(ctx, func() error {
		release, err := s.claims.hold(ctx)
		if err != nil {
			return err
		}
		defer release()
		return call()
	})
}

// Subscribe claims a room for the session's connection. A room that a live
// sibling holds is a 409 unless takeover is true.
func (s *Session) Subscribe(ctx context.Context, roomID string, takeover bool) (answer SubscribeAnswer, err error) {
	err = s.claiming(ctx, func() error {
		answer, err = s.Client.Subscribe(ctx, SubscribeRequest{ConnectionID: s.opts.ConnectionID, RoomID: roomID, Takeover: takeover})
		if err == nil {
			s.claims.set(answer.Rooms)
		}
		return err
	})
	return answer, err
}

// Unsubscribe releases one room. It is no longer claimed when the stream is
// opened again, also when the server could not be told.
func (s *Session) Unsubscribe(ctx context.Context, roomID string) (answer UnsubscribeAnswer, err error) {
	err = s.claiming(ctx, func() error {
		s.claims.forget(roomID)
		answer, err = s.Client.Unsubscribe(ctx, SubscribeRequest{ConnectionID: s.opts.ConnectionID, RoomID: roomID})
		if err == nil {
			s.claims.set(answer.Rooms)
		}
		return err
	})
	return answer, err
}

// ConnectToRoom claims a room for the session's connection and returns what
// there is to know about it; see [Client.ConnectToRoom].
func (s *Session) ConnectToRoom(ctx context.Context, roomID string) (ConnectToRoomAnswer, error) {
	return s.ConnectToRoomWith(ctx, ConnectToRoomArgs{RoomID: roomID})
}

// ConnectToRoomWith is ConnectToRoom with all arguments.
func (s *Session) ConnectToRoomWith(ctx context.Context, args ConnectToRoomArgs) (answer ConnectToRoomAnswer, err error) {
	err = s.claiming(ctx, func() error {
		if err := s.Client.callOnce(ctx, OpConnectToRoom, args, &answer); err != nil {
			return err
		}
		s.claims.add(args.RoomID, s.opts.Scope)
		return nil
	})
	return answer, err
}
