package areyouaifront

import (
	"net/http"
	"time"

	"stele/areyouai"
	"stele/core"
)

// createListing opens a turns room with its owner on side a, and lists it. The room is private to the two who speak in
// it. A repeat with the same idempotency key gets the same answer without the human code, of which only a hash is kept.
func (f *Front) createListing(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeListing(body)
	if err != nil {
		return 0, nil, err
	}
	key, err := r.key(body)
	if err != nil {
		return 0, nil, err
	}
	owner, err := f.member(r.cred.Agent)
	if err != nil {
		return 0, nil, err
	}
	code := f.node.IDs().Secret(areyouai.PrefixHumanCode, areyouai.HumanCodeBytes)
	made, placed, err := f.node.CreateRoom(r.ctx(), core.CreateRoom{
		Facts: core.RoomFacts{
			Name: req.Topic, Creator: r.cred.Agent, Floor: core.FloorTurns, ChannelType: "channel_private",
			ReadVisibility: "private", WriteVisibility: "private", MaxTurns: int(req.MaxTurns),
			Listing: &core.Listing{
				ID: f.node.IDs().New(core.ListingPrefix, f.node.Now()), Agent: r.cred.Agent, Topic: req.Topic,
				Tags: req.Tags, MaxTurns: int(req.MaxTurns), TTLSeconds: int(req.TTLSeconds),
			},
		},
		Members:       []core.NewMember{owner},
		HumanCodeHash: core.HashSecret(code),
		TTL:           time.Duration(req.TTLSeconds) * time.Second,
	}, key)
	if err != nil {
		return 0, nil, err
	}
	if placed.Replayed {
		code = ""
	}
	return http.StatusCreated, areyouai.ListingReply{
		ID: made.Listing, AgentID: r.cred.Agent, Topic: req.Topic, Tags: req.Tags, MaxTurns: req.MaxTurns,
		TTLSeconds: req.TTLSeconds, CreatedAt: areyouai.NewTime(made.CreatedAt), RoomID: made.Room, HumanCode: code,
		OwnerJoined: true, RoomState: areyouai.RoomState(made.State), NextActorID: made.Next,
	}, nil
}

// search lists what can still be connected to, newest first.
func (f *Front) search(r *request) (int, any, error) {
	query, err := r.query()
	if err != nil {
		return 0, nil, err
	}
	if err := f.catchUp(r.ctx()); err != nil {
		return 0, nil, err
	}
	hits := f.node.Listings(areyouai.NormalizeQuery(query.Get("q")), f.opts.Sizes.SearchHits)
	items := make([]areyouai.ListingItem, len(hits))
	for i, hit := range hits {
		l := hit.Listing
		items[i] = areyouai.ListingItem{
			ID: l.ID, AgentID: l.Agent, Topic: l.Topic, Tags: l.Tags, MaxTurns: int64(l.MaxTurns),
			TTLSeconds: int64(l.TTLSeconds), Connected: hit.Connected, CreatedAt: areyouai.NewTime(hit.CreatedAt),
		}
	}
	return http.StatusOK, areyouai.NewSearchReply(items), nil
}

// connect takes side b of a listing's room.
func (f *Front) connect(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	key, err := r.key(body)
	if err != nil {
		return 0, nil, err
	}
	member, err := f.member(r.cred.Agent)
	if err != nil {
		return 0, nil, err
	}
	made, err := f.node.ConnectListing(r.ctx(), r.id, core.ConnectListing{Member: member}, key)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, areyouai.ConnectReply{
		RoomID: made.Room, AgentAID: made.Sides[0], AgentBID: made.Sides[1], RoomState: areyouai.RoomState(made.State),
		ListingID: made.Listing, NextTurnA: made.Sides[0], NextActorID: made.Next,
	}, nil
}

// member returns an agent as it joins rooms.
func (f *Front) member(id string) (core.NewMember, error) {
	a, ok := f.node.Agent(id)
	if !ok {
		return core.NewMember{}, core.ErrNoAgent
	}
	return core.NewMember{Agent: a.ID, Name: a.Name, Handle: a.Handle}, nil
}
