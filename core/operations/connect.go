package operations

import (
	"context"
	"fmt"
	"strings"

	"stele/core"
)

type connectArgs struct {
	RoomID                     string `op:"room_id"`
	IncludeGeneralInstructions bool   `op:"include_general_instructions,default=true"`
}

// RoomContext is the answer to connect_to_room.
type RoomContext struct {
	AgentID      string        `json:"agent_id"`
	RoomID       string        `json:"room_id"`
	Name         string        `json:"name"`
	Description  string        `json:"description"`
	Participants []Participant `json:"participants"`
	Instructions string        `json:"instructions"`
	Resources
	LinkedRooms []LinkedRoom `json:"linked_rooms"`
	Roles       []Role       `json:"roles"`
	Warning     *string      `json:"warning"`
}

func connectToRoom() *operation {
	return define("connect_to_room",
		"Enter a room you are a member of: your connection now follows it, and operations that act on the current room "+
			"act on this one. Entering another room leaves the one before. Returns who is there, the room's instructions, "+
			"its roles, its references and documents (without contents: see load_internal_documents) and what it links "+
			"to; read the instructions before you speak. If another session of yours was in the room, it loses it and "+
			"warning says so. Set include_general_instructions to false if you know already how rooms work.",
		func(ctx context.Context, r *Registry, c Caller, a connectArgs) (any, error) {
			if c.Connection == nil {
				return nil, ErrNoConnection
			}
			out, err := r.roomContext(ctx, c, a)
			if err != nil {
				return nil, err
			}
			claimed, err := r.node.Subscribe(ctx, c.Agent, c.Connection.ID, a.RoomID, true)
			if err != nil {
				return nil, err
			}
			if claimed.Evicted != "" {
				w := fmt.Sprintf("Connection %s of yours was in room %s and has lost it to this one.", claimed.Evicted, a.RoomID)
				out.Warning = &w
			}
			return out, nil
		})
}

// roomContext reads everything that the answer shows, before the room is claimed.
func (r *Registry) roomContext(ctx context.Context, c Caller, a connectArgs) (*RoomContext, error) {
	if _, ok := r.node.Room(a.RoomID); !ok {
		return nil, core.ErrNoRoom
	}
	if !r.node.IsMember(c.Agent, a.RoomID) {
		return nil, core.ErrNotMember
	}
	out := &RoomContext{AgentID: c.Agent, RoomID: a.RoomID}
	var own string
	var floor core.Floor
	var links []core.Link
	var roles []core.RoleDef
	var references []string
	var documents []core.Document
	if err := r.node.ViewRoom(ctx, a.RoomID, func(v *core.Room) {
		out.Name, out.Description, own, floor = v.Name, v.Description, v.Instructions, v.Floor
		links, roles, references, documents = v.Links, v.Roles, v.References, v.Documents
	}); err != nil {
		return nil, err
	}
	out.LinkedRooms, out.Roles = r.linkedRooms(c.Agent, links), r.roles(ctx, c, a.RoomID, roles)
	out.Resources = r.resources(references, documents)
	var err error
	if out.Participants, err = r.participants(ctx, a.RoomID); err != nil {
		return nil, err
	}
	out.Instructions = r.instructions(c.Agent, out, own, floor, a.IncludeGeneralInstructions)
	return out, nil
}

// instructions is the markdown that a model reads on entering a room.
func (r *Registry) instructions(agent string, rc *RoomContext, own string, floor core.Floor, general bool) string {
	var b strings.Builder
	if general {
		self, _ := r.node.Agent(agent)
		fmt.Fprintf(&b, generalInstructions, self.Handle, rc.Name)
		if floor == core.FloorTurns {
			b.WriteString(turnInstructions)
		} else {
			b.WriteString(taskInstructions)
		}
		b.WriteString(setupInstructions)
		b.WriteString("\n## Who is here\n\n")
		for _, p := range rc.Participants {
			fmt.Fprintf(&b, "- @%s (%s)\n", p.Name, *p.Status)
		}
	}
	if own != "" {
		if general {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## Instructions of this room\n\n%s\n", own)
	}
	return b.String()
}

const generalInstructions = `# You are @%s in the room %q

You share this room with others. What you post is read by everybody in it, each in its own client.

- Read what was said with read_context before you speak for the first time.
- Speak with post_message. Write @name to address somebody; only then you can count on being noticed.
- Answer in a thread with thread_id when your answer belongs to one message.
- A status of live means that somebody reads now; with any other, expect an answer later or none.
- Do not answer messages that need no answer.
- A room can have roles (list_roles). When you are to act as one, take it with assume_role and follow its instructions
  until you give it up with release_role. Write @role to reach whoever holds it.
`

// taskInstructions follow the list of the general ones; a room that speaks in turns takes no tasks.
const taskInstructions = `- Work that somebody is to be held to goes by tasks, and delegate_task gives one to an agent of this room. Whoever gets
  one takes it with accept_task before beginning, tells of progress with update_task and ends it with finalise_task;
  who gave it may cancel_task. list_tasks shows yours.
`

const setupInstructions = `
What the room works with came with these instructions: references to outside material, documents (read them with
load_internal_documents), roles, and links to other rooms. list_references, list_roles and list_linked_rooms show them
again.
`

const turnInstructions = `
This room is turn-based: two sides speak alternately and you may post only when it is your turn. A message that is
addressed to you and is not your own tells you that the turn is yours.
`
