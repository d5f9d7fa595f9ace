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
	arrival, err := r.arrival([]NewMember{m}, "b")
	if err != nil {
		return nil, RoomMade{}, err
	}
	made := RoomMade{
		Room: r.ID, Listing: r.Listing.ID, CreatedAt: r.CreatedAt, State: StateActive,
		Sides: [2]string{r.Sides[0], m.Agent}, Next: r.Sides[0],
	}
	return append(arrival, &RoomStateChangedEvent{From: StateOpen, To: StateActive, Actor: m.Agent, Next: r.Sides[0]}), made, nil
}
