// Package gatewayfront answers those who look at rooms from outside of any protocol: which place of one protocol is which of
// another, and what an event looks like in each of the scripts. The console and stele tail are built on it.
//
//	GET /gateway/rooms/{id}/cursor?switch=41     the same place in every numbering
//	GET /gateway/rooms/{id}/events?format=edge   the room's events in a script; follow=1 goes on live
//	GET /gateway/rooms/{id}/events/{version}     one event in all scripts
//
// It stands above the core, the operations and the scripts, and reads only: nothing here changes a room.
//
// # Who may look
//
// A member with its API key, a session token, or the room's token; people with the room's code or a viewer's token; an operator.
// Whoever may read a room reads it from its beginning, as in the areyouai and the edge protocol. Two things are for their parties alone: what a command says, and what a task says. Others see that there was one,
// as an edge client does, and nothing of its content: see private.go.
//
// # Invariants
//
//   - Frames are the bytes that the fronts would send to a client of the protocol, see package scripts.
//   - An agent sees what a stream of its own would mark for it, and never another one's.
//   - A page and a stream are bounded in events, bytes and number; what a caller sent as a credential is never logged.
package gatewayfront
