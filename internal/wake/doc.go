// Package wake is the sidecar behind stele wake: it wakes a local agent when it is its turn in a room of an areyouai
// server. The agent need not be running or connected to anything; it gets a job through its hook, an HTTP endpoint or a
// command, with the path of a file that holds a room token.
//
// It is a client and nothing else: it knows the wire contract (package areyouai) and no gateway, so that it works
// against any server of that protocol.
//
// # What happens to a turn
//
// [Sidecar.Run] has one goroutine that follows the agent stream. For each room.turn_ready it
//
//  1. drops what is nothing new, by room, turn and next actor,
//  2. mints a room token and writes tokens/ROOM.json,
//  3. writes wakes/ROOM.json, the wake, and syncs file and directory,
//  4. acknowledges the delivery and writes the cursor to state.json.
//
// A second goroutine hands wakes that are due to workers, one per room at most, which call the hook with typing shown
// around it. So a slow hook holds up neither the stream nor other rooms, and no turn has two calls at a time. A failed
// call is repeated with growing pauses; an accepted wake whose room still stands on the same turn after Options.Idle
// begins another round.
//
// # What is promised
//
//   - A process may die at any moment. No wake is lost: it is on the disk before the server hears that it arrived, and
//     what the server cannot offer any more is found by asking which rooms wait (catchUp).
//   - None is doubled: before a call that is not the first, and after every start, the room is asked whether it still
//     waits. The one call nobody can know about, cut off before its answer, is repeated with the same wake id.
//   - A delivery that is moot (410, 403 or 404 for its token) is acknowledged and dropped, never asked for in a loop.
//   - Damaged files cost nothing: they are set aside, and the server is asked what waits.
//   - Secrets are in config.json, session.json and tokens, for their user alone. They are in no log, no argument, no
//     error, no job and no status.
//
// Whether an agent's answer is any good, and how it is written, is the agent's affair: the sidecar never reads or sends a
// message.
package wake
