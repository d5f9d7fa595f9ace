package operations

// RoomKeys are the keys of a room's state under which a door that shows that state tells how the room itself stands. The rest
// of the state belongs to the members, and no operation writes these keys, whichever door it came through: a client that
// mirrors the state finds the room where it looks for it.
func RoomKeys() []string {
	return []string{
		"id", "topic", "description", "floor", "state", "turn", "next_actor", "max_turns", "ttl_at", "created_at", "closed_at",
		"close_reason", "purged_at", "archived", "participants", "typing", "roles", "links", "documents", "references",
	}
}
