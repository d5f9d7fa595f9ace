package core

// ConnectListing attaches an agent to the room that a listing offers. Exactly one of several callers at once wins.
type ConnectListing struct{ Member NewMember }

func (c ConnectListing) decide(r *Room, env Env) ([]Payload, RoomMade, error) {
	switch {
	case !r.Exists() || r.Listing == nil:
		return nil, RoomMade{}, ErrNoListing
	case r.Listing.Agent == c.Member.Agent:
		return nil, RoomMade{}, ErrOwnListing
	case r.Sides[1] != "":
		return nil, RoomMade{}, ErrListingTaken
	case r.State != StateOpen:
		return nil, RoomMade{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	case r.Expired(env.Now):
		return nil, RoomMade{}, &RoomExpiredError{Room: r.ID, At: r.TTLAt}
	}
	m := c.Member
	made := RoomMade{
		Room: r.ID, Listing: r.Listing.ID, CreatedAt: r.CreatedAt, State: StateActive,
		Sides: [2]string{r.Sides[0], m.Agent}, Next: r.Sides[0],
	}
	return []Payload{
		&MemberJoinedEvent{Agent: m.Agent, Name: m.Name, Handle: m.Handle, Side: "b", Listeners: r.Listeners},
		&RoomStateChangedEvent{From: StateOpen, To: StateActive, Actor: m.Agent, Next: r.Sides[0]},
	}, made, nil
}

// JoinRoom makes an agent a member of an open-floor room; one that is a member already stays one.
type JoinRoom struct {
	Member NewMember
	// Inviter, if set, is who adds it and must be allowed to write the room; InviterOwner is set by the node.
	Inviter, InviterOwner string
}

func (c JoinRoom) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	switch {
	case !r.Exists():
		return nil, struct{}{}, ErrNoRoom
	case c.Inviter != "" && !r.writableBy(c.Inviter, c.InviterOwner):
		return nil, struct{}{}, ErrNotAllowed
	case r.Members[c.Member.Agent] != nil:
		return nil, struct{}{}, nil
	case r.State == StateClosed || r.State == StatePurged:
		return nil, struct{}{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	}
	m := c.Member
	return []Payload{&MemberJoinedEvent{
		Agent: m.Agent, Name: m.Name, Handle: m.Handle, Alias: m.Alias, Listeners: r.Listeners,
	}}, struct{}{}, nil
}
