// Package edgefront is the door for clients of the agent socket protocol (Telnyx edge runtime): it turns WebSockets, event
// streams and calls on /agents/{name}/{conversation} into readers and callers of the core.
//
// # An address
//
// {name} is an agent's handle or id, {conversation} the name or id of a room in which that agent is a member. The room is
// made on first use if [Options.Create] allows, so many for each caller and hour. Who may do what there follows from the
// token of the attach frame, or of the request where there are no frames:
//
//	API key or session token of a member, room token of this room   read, rpc
//	the code for people that the room's owner was given             read
//	token of a viewer, who is heard of while it is connected        read
//	anything else that is valid, or no token                        read, if the room is public
//	a token that proves nothing                                     refused
//
// The credential comes after the upgrade, so before it nobody is known. A missing agent, a missing room and a private room
// are therefore all answered alike, with an unauthorized error on the socket: an HTTP 404 would tell anybody which private
// rooms exist.
//
// # A session
//
// A socket is served by two goroutines and one more while a call or a hook runs. The reader takes frames off the socket, checks and
// parses them, and hands them over; the session's own goroutine does everything else and is the only one that writes
// frames. It admits the client, sends what the client has missed, and then goes round one loop: handle what came in, write
// what lies behind the room reader's cursor, answer the call that is done, flush, wait.
//
//	         ┌──────── reader ──frames──┐
//	socket ──┤                          ▼
//	         └◄─gather◄────────────── session ◄──wake── core.Reader (cursor)
//	                                    │ ▲
//	                                    ▼ └─answer
//	                                   call ──► operations.Registry ──► log
//
// The snapshot, the replay and the live frames come from one position: the state is viewed together with the position of
// its newest event, the replay ends there, and the room's reader begins there. So nothing is missing and nothing comes
// twice, whatever is committed meanwhile. Cursors are the room's own numbers: messages count turn + 1, events the version.
//
// # The state
//
// The state is one object. Under the keys of [operations.RoomKeys] the gateway alone writes: facts, people, turn and things of
// the room (state.go, belongings.go), each changed by the patch of the event that changed it; and who types, how present the
// members are and which roles they hold live, which no event of the room tells (ambience.go): that is looked at when somebody
// types, comes or goes, and every few seconds, and patched in as it changes. All other keys are the members' shared state.
// Their values lie in the log as typed JSON and come out as the values that they were (typedvalue.go). One event is one state
// frame, in the order of the room. A purge is a snapshot, since nobody knows any more what it took away.
//
// # Without a socket
//
// The request decides on the transport and not the path. A plain GET is an event stream: the same session without a reader
// of frames, whose gates are passed before the answer begins, so that a refusal is an answer with a status. What it sends
// goes to an [outlet] of its own kind (eventstream.go beside outlet.go): one event per frame, with the text that a socket
// would get, and the client's cursors as id on those that move one, so that Last-Event-ID resumes both. A POST below the
// address is one call: the gates and the answer of a session that is never begun. All refusals before or without frames are
// an error frame in JSON (refusals.go). Origins are checked for all three alike (crossorigin.go).
//
// # Invariants
//
//   - An event is encoded once per form (state patch, message as assistant, message as user, event) and shared by all
//     sockets of its room.
//   - What a member may write is never among what the gateway writes, in a snapshot or a patch, and an emitted event never has
//     the type of one of the room's own.
//   - All frames behind the cursor go out in one write: the session frames its messages itself, and they and the library's
//     control frames meet in a gathering connection.
//   - The frames that a call causes reach its caller before its answer: the answer waits until the session's cursor has
//     passed the node's head as it was when the call returned.
//   - A call that comes again with its idempotency key does nothing twice, whichever way it comes (callkey.go).
//   - A ping waits for no call: the reader hands it over beside the frames, and never stops reading because calls wait. A
//     call that finds no room among those that wait is refused instead.
//   - Wrong codes for people are counted with those of other doors, and codes are not judged when there were too many.
//   - What a client can make the gateway hold is bounded: frames on their way and calls that wait by a weight, frames
//     before admission by number as well, a message by size, what waits to be written by one batch. A client that takes
//     nothing loses its socket.
//   - Rights end on open sockets too: every call asks whether they still hold, and every [Options.Reauth] each socket.
//   - Every ending has a code and a reason from one table (endings.go) and is over within a second; an event stream whose
//     client takes nothing has until its piece's time is over.
//
// # Deliberately absent
//
// Nothing is compressed. An event stream has no pings: comments keep it alive. How many conversations a caller made is known
// to each node by itself and forgotten with it. No transport is a connection in the sense of the core's leases; a member's
// socket or event stream is presence for as long as it lasts, on the node that serves it.
//
// # Example
//
//	node, err := core.Open(ctx, log, core.Options{})
//	...
//	front := edgefront.New(node, operations.New(node), edgefront.Options{})
//	http.ListenAndServe("127.0.0.1:8080", front.Handler())
package edgefront
