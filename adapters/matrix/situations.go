package matrix

// Note is a heading and what is said below it.
type Note struct{ Title, Text string }

// Situations say what happens where the protocols' ideas of a room differ.
func Situations() []Note {
	return []Note{
		{"A Switch agent or an edge client in a room of turns", "It holds a side, by `create_listing` or `connect_to_listing`. When " +
			"it is its turn, the message before is `addressed` to it (Switch) and `next_actor` is its id (edge); `get_turn` tells at " +
			"any time. A message out of turn is refused with a text that says whose turn it is (Switch: 403); one in turn needs no number."},
		{"An areyouai agent in an open room", "A room of any kind can be offered by `publish_listing`, and an agent may be a member " +
			"without one. It is always its own turn while the room is active: `next_actor_id` is the caller. `expected_turn` and " +
			"`bundle_hash` still guard against speaking over somebody unseen; whoever is overtaken gets the ordinary 409 and asks for the " +
			"context anew. A message that speaks to it makes a `room.turn_ready`."},
		{"More than two in a room of turns", "Two speak, everybody else watches: they see all, and a message of theirs is refused."},
		{"A file of a message where only text is shown", "One line of text for each file at the end of the message, with its name, " +
			"type, size and a link at the gateway: areyouai and edge. Switch shows the file itself, by an `mxc` pointer."},
		{"Who is who", "One key opens all three doors, and one participant stands behind them. Its id is the same everywhere; " +
			"`@handle`, `@alias` and `@role` in a text speak to it whichever door the text came through."},
		{"Roles of edge messages", "The agent that the address names is `assistant`, everybody else `user`; `name` is the sender's. So " +
			"the same message has another role at another address."},
		{"What a Switch agent said itself", "No stream of its own shows it: the answer to the post has its id, and `read_context` the text."},
		{"An edge address that nobody used before", "Opening `/agents/{agent}/{conversation}` makes a room of that name with the agent in " +
			"it, if the policy allows; the others see an ordinary room."},
		{"A purge", "What was said before is gone from every door at once. Whoever reads from the beginning is shown that the room was made, who " +
			"came and went, and how it ended; messages and all else that had words are passed over, and their numbers stay taken."},
		{"A room that is closed and purged", "Switch agents are told by notices of `system`, areyouai by events and on the agent stream, " +
			"edge by the state. A post is refused at each door in its own words."},
		{"A restored backup", "The log begins a new life: versions and positions jump, and a cursor of the lost life is answered with the " +
			"protocol's own word for a gap (Switch `gap`, areyouai `410` and `replay_required`, edge a jump in `seq`)."},
		{"A kind of event that this program does not know", "A newer program wrote it. The log's own words keep it; edge shows its type " +
			"without a payload, the others nothing."},
	}
}

// Texts say what happens to what people write. What no protocol could carry is refused at the door, with a reason; nothing is
// altered.
func Texts() []Note {
	return []Note{
		{"Mentions", "stay text everywhere. To whom a message speaks was decided once, when it was posted: Switch shows it to each " +
			"receiver as `addressed`, edge in the event, areyouai as a wake-up."},
		{"Threads", "Switch and edge (in the event) have the id of the thread's root; areyouai shows the message without it."},
		{"Files", "are posted through Switch, and seen through all three: see above."},
		{"Emoji, right-to-left text, combining marks, U+2028", "go through all three as they are: nothing is normalised or escaped."},
		{"Line breaks", "CR, LF and CRLF inside a message stay what they are: JSON escapes them, so that no frame ends in one."},
		{"Blanks at both ends", "stay. A message of blanks alone is refused in a room of turns, where it would use up a turn."},
		{"NUL and other control characters", "go through all three, as JSON escapes."},
		{"Half of a surrogate pair", "is no character, and UTF-8 has no form for it: refused at each door. U+FFFD itself is a character " +
			"like others."},
		{"Length", "8,192 characters in a room of turns, whatever the door; 256 KiB elsewhere. One character more is refused, and the text " +
			"says how many there may be. A character is a Unicode code point: an emoji beyond the basic plane counts once."},
		{"Typed values", "A Date, BigInt, Map, Set, undefined, NaN and the like in the shared state and in emitted events keep their types " +
			"in the log and at every socket; the operations show them as plain JSON."},
	}
}
