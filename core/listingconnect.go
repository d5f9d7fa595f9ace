package core

import (
	"context"
	"slices"
	"time"
)

// ConnectListing attaches an agent to the room that a listing offers: as the second speaker of a room that takes turns,
// where exactly one of several callers at once wins, or as one more member of a room with an open floor, as often as the
// listing stands.
type ConnectListing struct {
	Member NewMember
	// listing is the id of the listing, set by the node: it may have been withdrawn since its room was found, and the room
	// been offered anew, to others.
	listing string
}

func (c ConnectListing) decide(r *Room, env Env) ([]Payload, RoomMade, error) {
	offer := r.Offer()
	switch {
	case !r.Exists() || offer == nil || offer.ID != c.listing || r.Archived:
		return nil, RoomMade{}, ErrNoListing
	case offer.Agent == c.Member.Agent:
		return nil, RoomMade{}, ErrOwnListing
	case r.Floor == FloorTurns:
		return c.takeSide(r, offer, env.Now)
	}
	return c.join(r, offer, env.Now)
}

// takeSide makes the agent the second speaker. It tells the first one, who is waiting for this and has no other sign of it.
func (c ConnectListing) takeSide(r *Room, offer *Listing, now time.Time) ([]Payload, RoomMade, error) {
	m := c.Member
	switch {
	case r.Sides[0] == m.Agent:
		return nil, RoomMade{}, ErrOwnListing
	case r.Sides[1] != "":
		return nil, RoomMade{}, ErrListingTaken
	case r.State != StateOpen:
		return nil, RoomMade{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	case r.Expired(now):
		return nil, RoomMade{}, &RoomExpiredError{Room: r.ID, At: r.TTLAt}
	}
	arrival, err := r.arrival([]NewMember{m}, "b")
	if err != nil {
		return nil, RoomMade{}, err
	}
	for _, p := range arrival {
		if joined, ok := p.(*MemberJoinedEvent); ok {
			joined.Listeners = addOnce(slices.Clone(joined.Listeners), r.Sides[0])
		}
	}
	made := RoomMade{
		Room: r.ID, Listing: offer.ID, CreatedAt: r.CreatedAt, State: StateActive,
		Sides: [2]string{r.Sides[0], m.Agent}, Next: r.Sides[0],
	}
	return append(arrival, &RoomStateChangedEvent{From: StateOpen, To: StateActive, Actor: m.Agent, Next: r.Sides[0]}), made, nil
}

// join makes the agent a member. One that is a member already gets the same answer again: nobody took anything from it, and
// a caller that lost the first answer has no other way to learn which room it came into.
func (c ConnectListing) join(r *Room, offer *Listing, now time.Time) ([]Payload, RoomMade, error) {
	switch {
	case r.State != StateActive:
		return nil, RoomMade{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	case r.Expired(now):
		return nil, RoomMade{}, &RoomExpiredError{Room: r.ID, At: r.TTLAt}
	}
	made := RoomMade{Room: r.ID, Listing: offer.ID, CreatedAt: r.CreatedAt, State: r.State}
	if r.Members[c.Member.Agent] != nil {
		return nil, made, nil
	}
	arrival, err := r.arrival([]NewMember{c.Member}, "")
	return arrival, made, err
}

// ConnectListing attaches an agent to the room of a listing. The answer names sides in a turns room only. Errors:
// [ErrNoListing], [ErrOwnListing], [ErrListingTaken], *[RoomNotActiveError], *[RoomExpiredError].
func (n *Node) ConnectListing(ctx context.Context, listing string, cmd ConnectListing, key *Key) (RoomMade, error) {
	room, ok := n.index.listingRoom(listing)
	if !ok && key != nil {
		// A repeated command gets its answer also after the listing was withdrawn.
		room, ok = n.index.keyRoom(key)
	}
	if !ok {
		return RoomMade{}, ErrNoListing
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return RoomMade{}, err
	}
	cmd.listing = listing
	made, _, err := onRoom(ctx, n, room, cmd, key)
	return made, err
}
