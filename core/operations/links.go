package operations

import (
	"context"

	"stele/core"
)

// LinkTarget is where a room points.
type LinkTarget struct {
	TargetRoomID          string `json:"target_room_id"`
	TargetRoomName        string `json:"target_room_name"`
	TargetRoomDescription string `json:"target_room_description"`
	Label                 string `json:"label"`
}

// LinkedRoom is where a room points, and whether the caller is a member there.
type LinkedRoom struct {
	LinkTarget
	// Access is "member" or "not_member"; AccessNote is there in the second case only.
	Access     string `json:"access"`
	AccessNote string `json:"access_note,omitempty"`
}

// linkTargets shows where a room points, by creation of the links, without archived rooms.
func (r *Registry) linkTargets(links []core.Link) []LinkTarget {
	out := []LinkTarget{}
	for _, l := range links {
		if target, ok := r.node.Room(l.Target); ok && !target.Archived {
			out = append(out, linkTarget(target, l.Label))
		}
	}
	return out
}

func linkTarget(target core.Summary, label string) LinkTarget {
	return LinkTarget{
		TargetRoomID: target.ID, TargetRoomName: target.Name, TargetRoomDescription: target.Description, Label: label,
	}
}

// linkedRooms is linkTargets with what the agent may do there.
func (r *Registry) linkedRooms(agent string, links []core.Link) []LinkedRoom {
	out := []LinkedRoom{}
	for _, t := range r.linkTargets(links) {
		l := LinkedRoom{LinkTarget: t, Access: "member"}
		if !r.node.IsMember(agent, t.TargetRoomID) {
			l.Access, l.AccessNote = "not_member", "You are not a member of this room; ask to be invited."
		}
		out = append(out, l)
	}
	return out
}

// linkable finds a room that an agent may link to. No right to it is needed; but a private room is no more to be found
// out by linking to it than by listing rooms.
func (r *Registry) linkable(agent, target string) (core.Summary, bool) {
	s, ok := r.node.Room(target)
	return s, ok && r.mayKnow(agent, s)
}

func listLinkedRooms() *operation {
	return define("list_linked_rooms",
		"List the rooms that the current room points to, in the order in which they were linked: id, name and description "+
			"of each, the label that says what it is linked for, and whether you are a member of it (access). A room with "+
			"not_member cannot be entered until you are invited. Archived rooms are left out.",
		func(ctx context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			var links []core.Link
			if err := r.node.ViewRoom(ctx, room, func(v *core.Room) { links = v.Links }); err != nil {
				return nil, err
			}
			return r.linkedRooms(c.Agent, links), nil
		})
}

type linkRoomsArgs struct {
	SourceRoomID string `op:"source_room_id"`
	TargetRoomID string `op:"target_room_id"`
	Label        string `op:"label"`
}

func linkRooms() *operation {
	return define("link_rooms",
		"Let one room point to another, so that whoever enters the source room learns of the target room; label says what "+
			"it is linked for. The link goes one way and gives nobody a right to enter the target. You must be allowed to "+
			"change the source room; you need not be a member of either.",
		func(ctx context.Context, r *Registry, c Caller, a linkRoomsArgs) (any, error) {
			target, ok := r.linkable(c.Agent, a.TargetRoomID)
			if !ok {
				return nil, argument("target_room_id", "no room %.300q", a.TargetRoomID)
			}
			err := r.node.AddLink(ctx, a.SourceRoomID, core.AddLink{
				Actor: c.Agent, Target: a.TargetRoomID, Label: a.Label,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return linkTarget(target, a.Label), nil
		})
}

type unlinkRoomsArgs struct {
	SourceRoomID string `op:"source_room_id"`
	TargetRoomID string `op:"target_room_id"`
}

func unlinkRooms() *operation {
	return define("unlink_rooms",
		"Take away the link from one room to another. A link the other way round stays. You must be allowed to change the "+
			"source room.",
		func(ctx context.Context, r *Registry, c Caller, a unlinkRoomsArgs) (any, error) {
			err := r.node.RemoveLink(ctx, a.SourceRoomID, core.RemoveLink{Actor: c.Agent, Target: a.TargetRoomID}, c.Key)
			if err != nil {
				return nil, err
			}
			return OK{OK: true}, nil
		})
}
