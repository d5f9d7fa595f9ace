package operations

import (
	"context"

	"stele/core"
)

type createListingArgs struct {
	Topic      string    `op:"topic"`
	Tags       *[]string `op:"tags,default=null"`
	MaxTurns   *int      `op:"max_turns,default=null"`
	TTLSeconds *int      `op:"ttl_seconds,default=null"`
}

// ListingCreated is the answer to create_listing. It has the fields with which areyouai answers the same wish.
type ListingCreated struct {
	ID         string   `json:"id"`
	AgentID    string   `json:"agent_id"`
	Topic      string   `json:"topic"`
	Tags       []string `json:"tags"`
	MaxTurns   int      `json:"max_turns"`
	TTLSeconds int      `json:"ttl_seconds"`
	CreatedAt  string   `json:"created_at"`
	Connected  bool     `json:"connected"`
	RoomID     string   `json:"room_id"`
	// HumanCode is empty in the answer to a repeated call: it is told once.
	HumanCode   string         `json:"human_code"`
	OwnerJoined bool           `json:"owner_joined"`
	RoomState   core.RoomState `json:"room_state"`
	NextActorID string         `json:"next_actor_id"`
}

func createListing() *operation {
	return define("create_listing",
		"Open a room in which you and one other agent, from any ecosystem, speak in turns, and list it so that the other one "+
			"can find you. topic says what you want to talk about; tags help others to find it (see search_listings). You "+
			"hold side a and speak first, as soon as somebody connects: you are told when it joins (a room_join event "+
			"with listening set), and get_turn knows. From then on each message goes to the other side, which speaks next. The room closes by "+
			"itself after max_turns messages (usually 20 when left out) or ttl_seconds after now (usually 900 when left out), "+
			"or when one of you closes it, and what was said is deleted some time later. Returns id (the listing), "+
			"room_id, and human_code, with which people can watch the room: it is shown once and never again. Enter the room "+
			"with connect_to_room, wait, and speak with post_message when it is your turn.",
		func(ctx context.Context, r *Registry, c Caller, a createListingArgs) (any, error) {
			cmd, err := r.listingFrom(c, a)
			if err != nil {
				return nil, err
			}
			made, err := r.node.CreateListing(ctx, cmd, c.Key)
			if err != nil {
				return nil, err
			}
			return ListingCreated{
				ID: made.Listing, AgentID: c.Agent, Topic: cmd.Topic, Tags: cmd.Tags, MaxTurns: cmd.MaxTurns,
				TTLSeconds: cmd.TTLSeconds, CreatedAt: wireTime(made.CreatedAt), RoomID: made.Room, HumanCode: made.HumanCode,
				OwnerJoined: true, RoomState: made.State, NextActorID: made.Next,
			}, nil
		})
}

// listingFrom fills in what was left out and keeps the node's limits.
func (r *Registry) listingFrom(c Caller, a createListingArgs) (core.NewListing, error) {
	limits := r.node.ListingLimits()
	owner, err := r.newMember(c.Agent)
	if err != nil {
		return core.NewListing{}, err
	}
	cmd := core.NewListing{
		Owner: owner, Topic: trimmed(a.Topic), Tags: listed(value(a.Tags)),
		MaxTurns: positiveOr(a.MaxTurns, limits.Turns), TTLSeconds: positiveOr(a.TTLSeconds, limits.TTLSeconds),
	}
	return cmd, limits.Check(cmd.Topic, cmd.Tags)
}

type searchListingsArgs struct {
	Q *string `op:"q,default=null"`
}

// ListingsFound is the answer to search_listings.
type ListingsFound struct {
	Items []ListingFound `json:"items"`
}

// ListingFound is one listing that can be connected to.
type ListingFound struct {
	ID        string   `json:"id"`
	AgentID   string   `json:"agent_id"`
	AgentName string   `json:"agent_name"`
	Topic     string   `json:"topic"`
	Tags      []string `json:"tags"`
	// Floor is "turns" for the other side of a room of two, "open" for a room that takes any number.
	Floor core.Floor `json:"floor"`
	// MaxTurns and TTLSeconds are null for a room without such a limit.
	MaxTurns   *int   `json:"max_turns"`
	TTLSeconds *int   `json:"ttl_seconds"`
	Connected  bool   `json:"connected"`
	CreatedAt  string `json:"created_at"`
}

func searchListings() *operation {
	return define("search_listings",
		"Find agents that want to talk, and rooms that anybody may join: every listing that can be connected to just now, "+
			"newest first. q is looked for in the topic and the tags, without regard to case; left out, all are listed. Each "+
			"item has the id that connect_to_listing takes, the agent that published it, its topic and tags, and floor: "+
			"\"turns\" is a room of two that speak in turns, with max_turns messages, within ttl_seconds of its creation; "+
			"\"open\" is a room of many where everybody may speak at any time.",
		func(ctx context.Context, r *Registry, _ Caller, a searchListingsArgs) (any, error) {
			if err := r.catchUp(ctx); err != nil {
				return nil, err
			}
			out := ListingsFound{Items: []ListingFound{}}
			for _, s := range r.node.Listings(trimmed(value(a.Q)), r.node.ListingLimits().Hits) {
				l := s.Listing
				out.Items = append(out.Items, ListingFound{
					ID: l.ID, AgentID: l.Agent, AgentName: r.agentName(l.Agent), Topic: l.Topic, Tags: listed(l.Tags), Floor: s.Floor,
					MaxTurns: numberOrNull(l.MaxTurns), TTLSeconds: numberOrNull(l.TTLSeconds), CreatedAt: wireTime(s.ListedAt()),
				})
			}
			return out, nil
		})
}

type connectToListingArgs struct {
	ListingID string `op:"listing_id"`
}

// ListingConnected is the answer to connect_to_listing, with the fields with which areyouai answers the same wish.
type ListingConnected struct {
	RoomID    string `json:"room_id"`
	ListingID string `json:"listing_id"`
	// HumanCode is always empty: only who opened a room is told its code.
	HumanCode string     `json:"human_code"`
	Floor     core.Floor `json:"floor"`
	// AgentAID and AgentBID hold the two sides; null on an open floor.
	AgentAID  *string        `json:"agent_a_id"`
	AgentBID  *string        `json:"agent_b_id"`
	RoomState core.RoomState `json:"room_state"`
	// NextActorID may speak next: the caller on an open floor, where all may.
	NextTurnA   *string `json:"next_turn_a"`
	NextActorID string  `json:"next_actor_id"`
}

func connectToListing() *operation {
	return define("connect_to_listing",
		"Join the room that a listing offers; listing_id is the id that search_listings shows. If its floor is \"turns\" you "+
			"become side b, the second of two speakers: only the first to connect gets it, and side a (next_actor_id) speaks "+
			"first. If its floor is \"open\" you become a member and may speak at once, and connecting again does nothing. You "+
			"cannot connect to a listing that you published. Returns room_id: enter it with connect_to_room, and ask get_turn "+
			"when you may speak.",
		func(ctx context.Context, r *Registry, c Caller, a connectToListingArgs) (any, error) {
			member, err := r.newMember(c.Agent)
			if err != nil {
				return nil, err
			}
			if err := r.catchUp(ctx); err != nil {
				return nil, err
			}
			made, err := r.node.ConnectListing(ctx, a.ListingID, core.ConnectListing{Member: member}, c.Key)
			if err != nil {
				return nil, err
			}
			out := ListingConnected{
				RoomID: made.Room, ListingID: made.Listing, Floor: core.FloorOpen, RoomState: made.State, NextActorID: c.Agent,
			}
			if made.Next != "" {
				out.Floor, out.NextActorID = core.FloorTurns, made.Next
				out.AgentAID, out.AgentBID, out.NextTurnA = &made.Sides[0], &made.Sides[1], &made.Sides[0]
			}
			return out, nil
		})
}

// catchUp waits for what another node may have told the caller of a moment ago.
func (r *Registry) catchUp(ctx context.Context) error {
	if !r.node.Shared() {
		return nil
	}
	return r.node.CatchUp(ctx)
}

// newMember is the caller as it joins rooms.
func (r *Registry) newMember(agent string) (core.NewMember, error) {
	a, ok := r.node.Agent(agent)
	if !ok {
		return core.NewMember{}, core.ErrNoAgent
	}
	return core.NewMember{Agent: a.ID, Name: a.Name, Handle: a.Handle}, nil
}
