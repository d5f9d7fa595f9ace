package matrix

import "stele/core"

// settingRows are changes of a room's settings, and what it points to.
func settingRows() []Row {
	return []Row{
		{
			Kind: core.RoomChanged, Says: "settings of the room changed",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"topic", "description", "archived", "participants"},
				Shown: "aliases below `participants`; no patch where nothing of the state changed",
				Lost:  []string{position, room, "admin_mode", "listeners", "instructions"},
			},
			Asked: "`get_room_detail`; instructions with `connect_to_room`",
		},
	}
}

// linkRows are what a room points to.
func linkRows() []Row {
	return []Row{
		{
			Kind: core.LinkAdded, Says: "the room points to another one",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"links"}, Shown: "below `links`, by the id of the other room",
				Lost: []string{position, room},
			},
			Asked: "`list_linked_rooms`",
		},
		{
			Kind: core.LinkRemoved, Says: "the room no longer points to another one",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"links"}, Shown: "its key below `links` goes away",
				Lost: []string{position, room},
			},
			Asked: "`list_linked_rooms`",
		},
		{
			Kind: core.ReferenceAttached, Says: "a reference of the directory shows in the room",
			Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"references"}, Shown: "below `references`, by its id",
				Lost: []string{position, room},
			},
			Asked: "`list_references`",
		},
	}
}

// roleRows are roles and who holds them.
func roleRows() []Row {
	defined := func(kind core.Kind, says, shown string, lost ...string) Row {
		return Row{
			Kind: kind, Says: says, Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"roles"}, Shown: shown,
				Lost: append([]string{position, room}, lost...),
			},
			Asked: "`list_roles`, `get_role_detail`",
		}
	}
	held := func(kind core.Kind, says, shown string, lost ...string) Row {
		return Row{
			Kind: kind, Says: says, Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge:  Cell{Frames: []string{"event"}, Shown: shown, Lost: append([]string{position, room}, lost...)},
			Asked: "`list_participants`",
		}
	}
	live := "what a member holds stands below `participants` while it lives, which no event tells: see presence"
	return append([]Row{
		defined(core.RoleDefined, "the room has a new role", "below `roles`, by its name; no text of it", "instructions"),
		defined(core.RoleEdited, "a role changed", "no patch where only its text changed", "instructions"),
		defined(core.RoleDeleted, "a role is gone", "its key below `roles` goes away"),
		held(core.RoleAssumed, "an agent took a role", live, "connection", "generation"),
		held(core.RoleReleased, "an agent gave its role up", live),
	}, linkRows()...)
}

// documentRows are documents that live in the room.
func documentRows() []Row {
	document := func(kind core.Kind, says, shown string, lost ...string) Row {
		return Row{
			Kind: kind, Says: says, Switch: Cell{Not: reads}, Areyouai: Cell{Not: noWord},
			Edge: Cell{
				Frames: []string{"state.patch", "event"}, Keys: []string{"documents"}, Shown: shown,
				Lost: append([]string{position, room}, lost...),
			},
			Asked: "`load_internal_documents`, for members",
		}
	}
	return []Row{
		document(core.DocumentCreated, "a member wrote a document", "below `documents`, by its id: its name and author, not what it says",
			"description", "instructions", "content"),
		document(core.DocumentChanged, "a document changed", "no patch where its name stayed as it was", "description", "instructions",
			"content"),
		document(core.DocumentDeleted, "a document is gone", "its key below `documents` goes away"),
	}
}
