package matrix

import "stele/core"

// Fields that every event has.
const (
	position = "position"
	version  = "version"
	at       = "at"
	room     = "room"
)

// noWord is why areyouai shows nothing of most events.
const noWord = "the protocol has no word for it. Its number is counted all the same: ids jump over it, and the history " +
	"confirms that nothing was missed."

// reads is why Switch shows nothing of an event that operations read.
const reads = "the protocol tells no agent: an agent asks when it needs to know."

// lifeRows are who makes a room, who comes and goes, and what is said in it.
func lifeRows() []Row {
	return []Row{
		{
			Kind: core.RoomCreated, Says: "a room was made",
			Switch: Cell{Not: "nobody is in it yet. Its creator has the answer of `create_room`."},
			Areyouai: Cell{
				Frames: []string{"room.created"}, Shown: "with the creator as `sender_id`",
				Lost: []string{
					position, "name", "owner", "floor", "state", "channel_type", "read_visibility", "write_visibility",
					"internal_only", "admin_mode", "max_turns", "ttl_at", "listing", "listeners", "conversation", "group",
					"imported", "human_code_until", "description", "instructions", "roles", "links",
				},
			},
			Edge: Cell{
				Frames: []string{"state.patch", "event"},
				Keys: []string{
					"id", "topic", "description", "floor", "state", "max_turns", "ttl_at", "turn", "created_at",
					"participants", "roles", "links", "documents", "references",
				},
				Shown: "the state begins with it; `name` is `topic`",
				Lost: []string{
					position, "owner", "channel_type", "read_visibility", "write_visibility", "internal_only",
					"admin_mode", "listing", "listeners", "conversation", "group", "imported", "human_code_until", "instructions", "roles",
					"links",
				},
			},
			Asked: "`get_room_detail`; the context of the room (areyouai)",
		},
		{
			Kind: core.MemberJoined, Says: "an agent became a member",
			Switch: Cell{
				Frames: []string{"room_join"}, Shown: "with `listening` for those who asked to be told of arrivals",
				Not:    "to the newcomer itself.",
				Lost:   []string{version, "handle", "alias", "side", "actor", "history"},
				Partly: map[string]string{"name": "of those who have a handle, which stands in its place", "listeners": "all but the receiver"},
			},
			Areyouai: Cell{
				Frames: []string{"room.joined"}, Shown: "with the newcomer as `sender_id`; when it completes the two speakers of " +
					"a room, a `room.state_changed` follows in the same unit",
				Lost: []string{position, "name", "handle", "alias", "side", "actor", "listeners", "history"},
			},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"participants", "next_actor"},
				Shown: "below `participants`, by the agent's id", Lost: []string{position, room, "listeners", "history"},
			},
			Asked: "`list_participants`; webhook `room.joined` (areyouai)",
		},
		{
			Kind: core.MemberLeft, Says: "an agent is no longer a member",
			Switch:   Cell{Not: reads},
			Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"participants"},
				Shown: "its key below `participants` goes away", Lost: []string{position, room},
			},
			Asked: "`list_participants`",
		},
		messageRow(),
	}
}

// endingRows are how a room goes from state to state, and how it ends.
func endingRows() []Row {
	return []Row{
		{
			Kind: core.RoomStateChanged, Says: "the room went from one state to another",
			Switch: Cell{Not: "the protocol's rooms have no such states. What ends a room is told by notices, see `room.closed` " +
				"and `room.purged`."},
			Areyouai: Cell{
				Frames: []string{"room.state_changed"}, Shown: "without the state: the client asks for the room",
				Lost: []string{position, "from", "to", "next"},
			},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"state", "next_actor"},
				Shown: "`next_actor` goes away where nobody may speak", Lost: []string{position, room},
			},
			Asked: "`GET /v1/rooms/{id}/state`, agent stream `room.turn_ready` when the room becomes active (areyouai); `get_turn`",
		},
		{
			Kind: core.RoomClosed, Says: "the room takes no more messages",
			Switch: Cell{
				Frames: []string{"message"}, Shown: "a notice from `system`, addressed to nobody, that says why; a later post is refused",
				Lost: []string{"actor"},
			},
			Areyouai: Cell{
				Frames: []string{"room.closed"}, Shown: "with who closed it as `sender_id`", Lost: []string{position, "reason"},
			},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"closed_at", "close_reason"}, Lost: []string{position, room},
			},
			Asked: "agent stream and webhook `room.closed` (areyouai)",
		},
		{
			Kind: core.RoomPurged, Says: "what was said in the room is destroyed",
			Switch: Cell{Frames: []string{"message"}, Shown: "a notice from `system`, addressed to nobody, that says why"},
			Areyouai: Cell{
				Frames: []string{"room.purged"}, Lost: []string{position, "reason"},
			},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"purged_at", "description"},
				Shown: "a socket sends a state snapshot in place of the patch: the room as it is then, which no patch of this event " +
					"alone could tell",
				Lost: []string{position, room},
			},
			Asked: "agent stream and webhook `room.purged` (areyouai)",
		},
	}
}

// likeFiles is what cannot be told where files are lines of text.
func likeFiles() map[string]string {
	return map[string]string{
		"text":        "where its own last line looks like that of a file",
		"attachments": "a last line that looks like a file seems to be one", "media": "the same",
	}
}

// messageRow is what is said.
func messageRow() Row {
	return Row{
		Kind: core.MessagePosted, Says: "somebody spoke",
		Switch: Cell{
			Frames: []string{"message"},
			Shown: "with `addressed` for those to whom it speaks: by name, or whose turn it is. A file comes as an attachment " +
				"with an `mxc` pointer",
			Not:    "to its own sender.",
			Lost:   []string{version, "turn", "address_all", "next", "last"},
			Partly: map[string]string{"addressed": "all but the receiver", "text": "where it is the name of its first file"},
		},
		Areyouai: Cell{
			Frames: []string{"message.created"},
			Shown:  "the text as `ciphertext`, the sender by id. Files are a line of text each",
			Lost:   []string{position, "thread", "addressed", "address_all", "next", "last", "sender_name"},
			Partly: likeFiles(),
		},
		Edge: Cell{
			Frames: []string{"messages.appended", "state.patch", "event"}, Keys: []string{"turn", "next_actor"},
			Shown: "the message with the role `assistant` if its sender is the agent that the address names, else `user`; the event " +
				"has its id, sender, thread and whom it addresses. After the last turn `next_actor` goes away. Files are a line of text each",
			Lost:   []string{position, room},
			Partly: likeFiles(),
		},
		Asked: "`read_context`; agent stream `room.turn_ready` for whoever is to answer, webhook `message.created` (areyouai)",
	}
}
