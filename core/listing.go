package core

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Prefix and random bytes of the code with which people watch a room (areyouai: credentials and identifiers).
const (
	humanCodePrefix = "hc_"
	humanCodeBytes  = 18
)

// NewListing opens a room for two that take turns, with its owner on side a, and offers side b to whoever connects first.
// The room is private to the two who speak in it.
type NewListing struct {
	Owner NewMember
	// Topic is what it is about, and the room's name. Tags help others to find it.
	Topic string
	Tags  []string
	// MaxTurns is after how many messages the room closes, TTLSeconds how long after its creation.
	MaxTurns, TTLSeconds int
}

// ListingMade is the answer to [Node.CreateListing].
type ListingMade struct {
	RoomMade
	// HumanCode is the code with which people watch the room. Only its hash is kept, so a repeated command, which gets the
	// same answer, is told none.
	HumanCode string
}

// CreateListing opens a turns room and offers it. Errors: those of [Node.CreateRoom].
func (n *Node) CreateListing(ctx context.Context, cmd NewListing, key *Key) (ListingMade, error) {
	if err := cmd.check(); err != nil {
		return ListingMade{}, err
	}
	code := n.ids.Secret(humanCodePrefix, humanCodeBytes)
	made, placed, err := n.CreateRoom(ctx, CreateRoom{
		Facts: RoomFacts{
			Name: cmd.Topic, Creator: cmd.Owner.Agent, Floor: FloorTurns, ChannelType: "channel_private",
			ReadVisibility: "private", WriteVisibility: "private", MaxTurns: cmd.MaxTurns,
			Listing: &Listing{
				ID: n.ids.New(ListingPrefix, n.now()), Agent: cmd.Owner.Agent, Topic: cmd.Topic, Tags: cmd.Tags,
				MaxTurns: cmd.MaxTurns, TTLSeconds: cmd.TTLSeconds,
			},
		},
		Members:       []NewMember{cmd.Owner},
		HumanCodeHash: HashSecret(code),
		TTL:           time.Duration(cmd.TTLSeconds) * time.Second,
	}, key)
	if err != nil {
		return ListingMade{}, err
	}
	if placed.Replayed {
		code = ""
	}
	return ListingMade{RoomMade: made, HumanCode: code}, nil
}

func (c NewListing) check() error {
	if err := checkOffer(c.Topic, c.Tags); err != nil {
		return err
	}
	return firstError(checkLimit("max_turns", c.MaxTurns, MaxListingTurns), checkLimit("ttl_seconds", c.TTLSeconds, MaxListingTTLSeconds))
}

// Offer is the listing by which others can come into the room, nil when it is not offered. What was on offer where a room
// came from is not on offer here.
func (r *Room) Offer() *Listing {
	switch {
	case r.Published != nil:
		return r.Published
	case r.Withdrawn, r.Imported != nil:
		return nil
	}
	return r.Listing
}

// PublishListing offers a room: the free side of one that takes turns, or membership of one with an open floor. A room has
// one listing: publishing again changes its texts.
type PublishListing struct {
	Actor string
	// Owner is the actor's owner and ID the id of a new listing, both set by the node.
	Owner, ID string
	// Topic is what others find it by, empty: the room's name; so do Tags.
	Topic string
	Tags  []string
}

// Published is the answer to PublishListing.
type Published struct {
	Room    string  `json:"room"`
	Listing Listing `json:"listing"`
}

func (c PublishListing) decide(r *Room, env Env) ([]Payload, Published, error) {
	if err := r.offerableBy(c.Actor, c.Owner, env.Now); err != nil {
		return nil, Published{}, err
	}
	if r.Floor == FloorTurns && r.Sides[1] != "" {
		return nil, Published{}, ErrListingTaken
	}
	if c.Topic = strings.TrimSpace(c.Topic); c.Topic == "" {
		c.Topic = r.Name
	}
	if err := checkOffer(c.Topic, c.Tags); err != nil {
		return nil, Published{}, err
	}
	old := r.Offer()
	if old != nil {
		if old.Agent == c.Actor && old.Topic == c.Topic && slices.Equal(old.Tags, c.Tags) {
			return nil, Published{Room: r.ID, Listing: r.dated(*old)}, nil
		}
		c.ID = old.ID
	}
	e := &ListingPublishedEvent{
		ListingFacts: ListingFacts{Listing: c.ID, Actor: c.Actor, MaxTurns: r.MaxTurns, TTLSeconds: secondsLeft(r.TTLAt, env.Now)},
		ListingTexts: ListingTexts{Topic: c.Topic, Tags: c.Tags},
	}
	return []Payload{e}, Published{Room: r.ID, Listing: *e.listing(env.Now)}, nil
}

// dated is a listing with the time from which it stands, which one that came with the room has from the room.
func (r *Room) dated(l Listing) Listing {
	setDefault(&l.PublishedAt, r.CreatedAt)
	return l
}

// offerableBy tells whether an agent may offer the room, or take it back, now.
func (r *Room) offerableBy(agent, owner string, now time.Time) error {
	switch {
	case !r.Exists():
		return ErrNoRoom
	case !r.writableBy(agent, owner):
		return ErrNotAllowed
	case r.Expired(now):
		return &RoomExpiredError{Room: r.ID, At: r.TTLAt}
	}
	return r.notEnded()
}

// secondsLeft is how long a room still has, in whole seconds, at least one; 0 when it has no end.
func secondsLeft(until, now time.Time) int {
	if until.IsZero() {
		return 0
	}
	return max(1, int(until.Sub(now)/time.Second))
}

// WithdrawListing takes a room's offer back. Who came by it stays.
type WithdrawListing struct {
	Actor string
	// Owner is the actor's owner, set by the node.
	Owner string
}

// ListingWithdrawal is the answer to WithdrawListing.
type ListingWithdrawal struct {
	Room string `json:"room"`
	// Listing is what was withdrawn, empty when the room was not offered.
	Listing string `json:"listing,omitempty"`
}

func (c WithdrawListing) decide(r *Room, env Env) ([]Payload, ListingWithdrawal, error) {
	if err := r.offerableBy(c.Actor, c.Owner, env.Now); err != nil {
		return nil, ListingWithdrawal{}, err
	}
	offer := r.Offer()
	if offer == nil || r.Floor == FloorTurns && r.Sides[1] != "" {
		return nil, ListingWithdrawal{Room: r.ID}, nil
	}
	return []Payload{&ListingWithdrawnEvent{Listing: offer.ID, Actor: c.Actor}},
		ListingWithdrawal{Room: r.ID, Listing: offer.ID}, nil
}

// applyOffer folds in how the room is offered.
func (r *Room) applyOffer(rec *Recorded) {
	if r.Imported.holds(rec.Version) {
		return
	}
	switch e := rec.Payload.(type) {
	case *ListingPublishedEvent:
		r.Published, r.Withdrawn = e.listing(rec.At), false
	case *ListingWithdrawnEvent:
		r.Published, r.Withdrawn = nil, true
	}
}

// withoutTexts is a published listing as it is after a purge. One that came with its room keeps them, as the room keeps its
// name.
func (l *Listing) withoutTexts() *Listing {
	if l == nil || l.PublishedAt.IsZero() {
		return l
	}
	c := *l
	c.Topic, c.Tags = "", nil
	return &c
}

// PublishListing offers a room to whoever searches. Errors: [ErrNoRoom], [ErrNotAllowed], *[RoomNotActiveError] when the
// room has ended, *[RoomExpiredError], [ErrListingTaken] when both sides of a turns room are taken, *[InvalidError],
// *[TooLongError].
func (n *Node) PublishListing(ctx context.Context, room string, cmd PublishListing, key *Key) (Published, error) {
	cmd.Owner, cmd.ID = n.ownerOf(cmd.Actor), n.ids.New(ListingPrefix, n.now())
	return onOffer(ctx, n, room, cmd, key)
}

// WithdrawListing takes a room's offer back. Errors: [ErrNoRoom], [ErrNotAllowed], *[RoomNotActiveError] when the room has
// ended, *[RoomExpiredError].
func (n *Node) WithdrawListing(ctx context.Context, room string, cmd WithdrawListing, key *Key) (ListingWithdrawal, error) {
	cmd.Owner = n.ownerOf(cmd.Actor)
	return onOffer(ctx, n, room, cmd, key)
}

func onOffer[R any](ctx context.Context, n *Node, room string, cmd command[*Room, R], key *Key) (R, error) {
	var zero R
	if _, ok := n.index.summary(room); !ok {
		return zero, ErrNoRoom
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return zero, err
	}
	out, _, err := onRoom(ctx, n, room, cmd, key)
	return out, err
}
