package core

// RoomKinds lists the kinds of events that a room's stream can have, in the order in which kinds.go has them.
func RoomKinds() []Kind {
	return []Kind{
		RoomCreated, MemberJoined, MemberLeft, MessagePosted, RoomStateChanged, RoomClosed, RoomPurged,
		RoomChanged, RoleDefined, RoleEdited, RoleDeleted, RoleAssumed, RoleReleased, LinkAdded, LinkRemoved, ReferenceAttached,
		DocumentCreated, DocumentChanged, DocumentDeleted,
		TaskDelegated, TaskAccepted, TaskUpdated, TaskFinalised, TaskCancelled, CommandSent,
		StatePatched, StateReplaced, EventEmitted, ListingPublished, ListingWithdrawn,
	}
}

// Hollow tells that nothing is left to show of the event, because what it said was destroyed: readers pass it over.
func (r *Recorded) Hollow() bool { return r.hollow() }
