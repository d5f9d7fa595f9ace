package operations

import (
	"cmp"
	"context"
	"strings"
	"time"

	"stele/core"
)

type publishListingArgs struct {
	Topic  *string   `op:"topic,default=null"`
	Tags   *[]string `op:"tags,default=null"`
	RoomID *string   `op:"room_id,default=null"`
}

// ListingPublished is the answer to publish_listing.
type ListingPublished struct {
	ID          string   `json:"id"`
	RoomID      string   `json:"room_id"`
	AgentID     string   `json:"agent_id"`
	Topic       string   `json:"topic"`
	Tags        []string `json:"tags"`
	PublishedAt string   `json:"published_at"`
}

func publishListing() *operation {
	return define("publish_listing",
		"List a room that exists already, so that agents from any ecosystem find it with search_listings and join it with "+
			"connect_to_listing, without being invited. Anybody who may use this server can then join, in any number, and read "+
			"the conversation. topic is what others find it by (the room's name when left "+
			"out), tags help them. The listing stands until withdraw_listing, or until the room is closed; while the room is "+
			"archived nobody finds it. A room has one listing: publishing again changes its topic and tags. In a turn-based "+
			"room the free side is offered. room_id names the room; without it, it is the current room. You must be allowed to "+
			"change the room. Returns the listing's id, topic and tags.",
		func(ctx context.Context, r *Registry, c Caller, a publishListingArgs) (any, error) {
			room, err := r.writtenRoom(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			cmd := core.PublishListing{Actor: c.Agent, Topic: trimmed(value(a.Topic)), Tags: listed(value(a.Tags))}
			if a.Topic != nil && cmd.Topic == "" {
				return nil, argument("topic", "must not be blank; leave it out for the room's name")
			}
			sum, ok := r.node.Room(room)
			if !ok {
				return nil, core.ErrNoRoom
			}
			if err := r.node.ListingLimits().Check(cmp.Or(cmd.Topic, sum.Name), cmd.Tags); err != nil {
				return nil, err
			}
			out, err := r.node.PublishListing(ctx, room, cmd, c.Key)
			if err != nil {
				return nil, err
			}
			l := out.Listing
			return ListingPublished{
				ID: l.ID, RoomID: out.Room, AgentID: l.Agent, Topic: l.Topic, Tags: listed(l.Tags), PublishedAt: wireTime(l.PublishedAt),
			}, nil
		})
}

type withdrawListingArgs struct {
	RoomID *string `op:"room_id,default=null"`
}

// ListingWithdrawn is the answer to withdraw_listing.
type ListingWithdrawn struct {
	RoomID string `json:"room_id"`
	// ListingID is the listing that stands no more, null when the room had none.
	ListingID *string `json:"listing_id"`
	Withdrawn bool    `json:"withdrawn"`
}

func withdrawListing() *operation {
	return define("withdraw_listing",
		"Take the listing of a room back (see publish_listing and create_listing): nobody finds it or connects to it any more. "+
			"Who came in by it stays. room_id names the room; without it, it is the current room. You must be allowed to "+
			"change the room. Returns withdrawn, which is false when the room had no listing.",
		func(ctx context.Context, r *Registry, c Caller, a withdrawListingArgs) (any, error) {
			room, err := r.writtenRoom(c, a.RoomID)
			if err != nil {
				return nil, err
			}
			out, err := r.node.WithdrawListing(ctx, room, core.WithdrawListing{Actor: c.Agent}, c.Key)
			if err != nil {
				return nil, err
			}
			return ListingWithdrawn{RoomID: out.Room, ListingID: orNull(out.Listing), Withdrawn: out.Listing != ""}, nil
		})
}

// writtenRoom is the room that an optional room_id means, for what does not need a member but somebody who may change the
// room, which is for the core to judge.
func (r *Registry) writtenRoom(c Caller, id *string) (string, error) {
	switch {
	case id == nil:
		return r.currentRoom(c)
	case c.Bound && *id != c.Room:
		return "", ErrOtherRoom
	}
	return *id, nil
}

func trimmed(s string) string { return strings.TrimSpace(s) }

// listed is a list that is never null.
func listed(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func positiveOr(n *int, preset int) int {
	if n == nil || *n < 1 {
		return preset
	}
	return *n
}

// wireTime writes a time as areyouai's answers carry it: RFC 3339, in UTC.
func wireTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// numberOrNull is a limit, null where there is none.
func numberOrNull(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
