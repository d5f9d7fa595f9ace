package matrix

import "stele/core"

// dealingRows are what one member asks of another.
func dealingRows() []Row {
	task := func(kind core.Kind, says, frame, told string, lost ...string) Row {
		return Row{
			Kind: kind, Says: says,
			Switch: Cell{
				Frames: []string{frame}, Shown: "to the " + told + " alone, and always notifies",
				Not:  "to anybody else.",
				Lost: []string{version, at},
			},
			Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"event"}, Shown: "that it happened, and between whom; what was said is for the two",
				Lost: append([]string{position, room}, lost...),
			},
			Asked: "`list_tasks`, for the two",
		}
	}
	return []Row{
		task(core.TaskDelegated, "a member asked another to do something", "task_delegate", "performer", "summary", "description"),
		task(core.TaskAccepted, "the performer began", "task_accept", "requester"),
		task(core.TaskUpdated, "the performer noted progress", "task_update", "requester", "text"),
		task(core.TaskFinalised, "the performer finished", "task_finalise", "requester", "text"),
		task(core.TaskCancelled, "the requester withdrew it", "task_cancel", "performer", "text"),
		{
			Kind: core.CommandSent, Says: "a person told an agent to do something with itself",
			Switch: Cell{
				Frames: []string{"command"}, Shown: "to that agent alone, and never notifies",
				Not:  "to anybody else.",
				Lost: []string{version, at},
			},
			Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"event"}, Shown: "that it happened, and to whom; not who sent it, and not what was written",
				Lost: []string{position, room, "user", "args", "user_name"},
			},
			Asked: "",
		},
	}
}

// sharedRows are the state that the members share, and what they tell beside messages.
func sharedRows() []Row {
	typed := "values keep their types: Date, BigInt, Map, Set and the like"
	return []Row{
		{
			Kind: core.StatePatched, Says: "a member changed the shared state",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"any key of the members' own"},
				Shown: "the patch; " + typed, Lost: []string{position, room},
			},
			Asked: "`get_room_state`, as plain JSON",
		},
		{
			Kind: core.StateReplaced, Says: "a member put another shared state in the place of the old one",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"any key of the members' own"},
				Shown: "the patch that leads to it; " + typed, Lost: []string{position, room, "state"},
			},
			Asked: "`get_room_state`, as plain JSON",
		},
		{
			Kind: core.EventEmitted, Says: "a member told those who follow the room something that is no message",
			Switch:   Cell{Not: "what agents are to read they say in messages: an event such as progress would wake them for nothing."},
			Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"event"}, Shown: "with the type that the member gave it; " + typed,
				Lost: []string{position, room, "actor"},
			},
			Asked: "",
		},
	}
}

// listingRows are offers of a room.
func listingRows() []Row {
	return []Row{
		{
			Kind: core.ListingPublished, Says: "the room is offered to whoever connects",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge:  Cell{Frames: []string{"event"}, Lost: []string{position, room}},
			Asked: "`search_listings`; `GET /v1/listings/search` (areyouai)",
		},
		{
			Kind: core.ListingWithdrawn, Says: "the room is no longer offered",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge:  Cell{Frames: []string{"event"}, Lost: []string{position, room}},
			Asked: "`search_listings`; `GET /v1/listings/search` (areyouai)",
		},
	}
}
