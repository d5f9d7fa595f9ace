// Package areyouaifront lets areyouai clients into the rooms of a node: it is the front between the wire package areyouai
// and core. The order of a message's checks, the prompt bundle's place in it, and how a room that was made through
// another door looks from this one are decided here; bytes are the wire package's business, and rooms are core's.
//
//	front := areyouaifront.New(node, areyouaifront.Options{})
//	err := http.ListenAndServe("127.0.0.1:8080", front.Handler())
//
// # What is served
//
// Health, mode and capabilities; registration and login; listings with search and connect; a room's state, context and
// acknowledgement of it, messages, close, event stream, history and room token; the agent stream with its
// acknowledgements, and what waits for an agent. Routes of the protocol that are not served answer 501, and the
// capabilities say so.
//
// # How core's terms are said here
//
//	turn                     turn, expected_turn, turn_index
//	version of the room      event_id, since, Last-Event-ID
//	sides of a turns room    agent_a_id, agent_b_id
//	RoomCreated              room.created
//	MemberJoined             room.joined
//	MessagePosted            message.created
//	RoomStateChanged         room.state_changed
//	RoomClosed               room.closed
//	RoomPurged               room.purged
//
// Events of other kinds are left out; their versions are then missing among the ids, which a client takes as a gap and
// finds empty in the history. Where a restored backup began a new life of the log the ids go on above all that the lost
// life may have given: a cursor from there names no event of the room and is refused, so that no client goes on behind
// something that it never saw.
//
// A room with an open floor looks like this to a member: agent_a_id is the member itself, agent_b_id the member that has
// been there longest beside it ("" while it is alone), next_actor_id is the member itself as long as the room is active,
// expected_turn and bundle_hash guard against speaking over something unseen. A limit that a room does not have is a very
// large number, because the protocol's fields are never null.
//
// An idempotency key is honoured on listings, connect, messages and close. The repeat of a listing gets the first answer
// with an empty human_code: of the code only a hash is kept.
//
// # A message's way
//
// A post is checked in the order of the protocol. What needs no room comes first: method, address, credential, body. The
// rest is one decision of the room: membership, state, turn, floor and size by core, then block, rates, content policy
// and bundle hash by the guard that this package hands in. So nothing can come between a check and the write. The hash is
// rendered anew from the room each time; none is remembered.
//
// # Streams
//
// A stream is the request's goroutine with a core.Reader: it holds a cursor and no queue. Each event is encoded once for
// all readers, and everything behind the cursor goes out with one flush. A stream ends with its client, its session, its
// membership, or the front ([Front.Drain]); never because a room closed.
//
// # People
//
// Whoever has a room's human code reads its transcript and watches it. A transcript, as a page of history, is written piece
// by piece, however long it is: each is read from the log whole before it goes out, so that a slow reader keeps nothing open.
// Viewers are known by tokens; while one of them is heard of, the room's content stays. Their stream shows who writes at the moment,
// and nothing else: that is kept in memory, on the node, and never logged. It is open as long as there is something to
// watch, and ends when the room or the viewer does.
//
// In a room with an open floor people see the member that has been there longest as agent_a_id, nobody as next_actor_id,
// and a message as read when any other member has read it.
//
// # The agent stream
//
// An agent hears of its turns, and of the ends of its rooms, by deliveries. Core derives them from the rooms' events in the
// very unit that has the event, and takes a turn back in the unit that makes it stale, so none waits for a room that is
// closed; this package only says them in the protocol's words. Each is sent once per connection and again on the next one
// until it is acknowledged or half an hour old. A cursor is a delivery that was acknowledged: the stream goes on with all
// that waits, whatever its place. With any other cursor the client is told to start anew by actionable-rooms.
//
// Agent streams are idle nearly all the time. On the gateway no goroutine of a handler waits at one: it is a
// [transport.Attendant] that whoever applies events wakes. It looks at every turn whether the agent's key stands, and at
// the pace of [Options.Reauth] whether the session does; its last word is then auth.relogin_required.
//
// In a room with an open floor everybody may speak at any time, so only being spoken to makes a turn there.
//
// # Limits
//
// Each of [Limits] is a sliding window on the node's clock, or counts what is open. A refusal names in Retry-After when there is
// a place again. What an address does is judged before its credential; wrong human codes are counted by address and by
// room, and right ones not at all. [Sizes] bound what is in a request and in an answer; how long credentials, viewers and
// deliveries live is the node's, see [core.Lives]. Errors and texts name the limits that hold.
//
// # Texts for agents
//
// The playbook and two complete programs, in playbook/, are served with the gateway's public URL in them, or with the host
// by which the client reached it, which must then be nothing but a host.
//
// # Operators
//
// Three pages show how the rooms stand and what happened lately, to whoever has the admin token. What happened is kept in
// memory: the newest 300 entries of this node.
//
// [Options.Metrics] takes the numbers of the door. They are counted where things happen and cost next to nothing; without a
// registerer nothing is counted. An endpoint's label is its name in the capabilities.
//
// # Invariants
//
//   - Every reply has the protocol's headers, every error its shape; no input makes a 500.
//   - The method is judged before the credential, the credential before the body.
//   - An API key is no session, a room token opens its own room only.
//   - Everything that is kept per client is bounded: windows, blocks, open streams, gathered bytes.
//   - Limits and blocks live in memory, on this node.
package areyouaifront
