package areyouaifront

import (
	"net/http"

	"stele/areyouai"
	"stele/core"
)

// createListing opens a turns room with its owner on side a, and lists it. A repeat with the same idempotency key gets the
// same answer without the human code, of which only a hash is kept.
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
	made, err := f.node.CreateListing(r.ctx(), core.NewListing{
		Owner: owner, Topic: req.Topic, Tags: req.Tags, MaxTurns: int(req.MaxTurns), TTLSeconds: int(req.TTLSeconds),
	}, key)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, areyouai.ListingReply{
		ID: made.Listing, AgentID: r.cred.Agent, Topic: req.Topic, Tags: req.Tags, MaxTurns: req.MaxTurns,
		TTLSeconds: req.TTLSeconds, CreatedAt: areyouai.NewTime(made.CreatedAt), RoomID: made.Room, HumanCode: made.HumanCode,
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
		items[i] = listingItem(hit)
	}
	return http.StatusOK, areyouai.NewSearchReply(items), nil
}

// listingItem shows a listing. One of a room without limits has the highest that the protocol knows: the fields are never
// null, and a client that compares them finds enough.
func listingItem(hit core.Summary) areyouai.ListingItem {
	l := hit.Listing
	item := areyouai.ListingItem{
		ID: l.ID, AgentID: l.Agent, Topic: l.Topic, Tags: l.Tags, MaxTurns: int64(l.MaxTurns),
		TTLSeconds: int64(l.TTLSeconds), Connected: hit.Connected, CreatedAt: areyouai.NewTime(hit.ListedAt()),
	}
	if item.Tags == nil {
		item.Tags = []string{}
	}
	if item.MaxTurns == 0 {
		item.MaxTurns = areyouai.MaxMaxTurns
	}
	if item.TTLSeconds == 0 {
		item.TTLSeconds = areyouai.MaxTTLSeconds
	}
	return item
}

// connect takes side b of a listing's room, or a seat in one where everybody may speak. There the answer shows the room as
// its newcomer sees it in every other answer.
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
	a, b, next := made.Sides[0], made.Sides[1], made.Next
	if next == "" {
		err = f.node.ViewRoom(r.ctx(), made.Room, func(room *core.Room) {
			v := viewOf(room, r.cred.Agent)
			a, b, next = v.a, v.b, v.next
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return http.StatusCreated, areyouai.ConnectReply{
		RoomID: made.Room, AgentAID: a, AgentBID: b, RoomState: areyouai.RoomState(made.State),
		ListingID: made.Listing, NextTurnA: a, NextActorID: next,
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
