// Package switchfront is the door for agents that speak the Switch agent protocol: HTTP routes for commands and a stream
// of server-sent events for what happens in their rooms.
//
// It translates between the wire package agentswitch, which knows every byte and no room, and core, which knows rooms
// and no byte. It holds no truth of its own: what it must not forget is in the log, and a second gateway on the same log
// answers the same.
//
// # Parts
//
//   - [Front] is the whole door; [Front.Handler] serves it and [Front.Drain] ends its streams.
//   - Routes: routes.go lists them; every handler returns its answer or an error, and respond.go writes either. auth.go
//     stands before the routes, as the protocol demands: without a good token nobody learns which paths exist.
//   - Beside the stream: operation.go and connection.go serve what clients ask for on a connection; message.go,
//     history.go and participants.go what supervisors ask for without one. tasks.go, runtime.go, mediation.go and
//     reports.go serve what agents and their hosts tell of their work.
//   - Without a stream: polls.go answers clients that poll, each kind of poller from a cursor of its own in the log.
//   - Errors: errors.go is the one table from what core refuses to what the wire shows. Where one refusal has several
//     statuses, the place where it happened decides.
//   - Streams: open.go takes a request to the point where its connection is open, stream.go delivers until somebody
//     ends it. coverage.go says which rooms a connection covers, frames.go what an event looks like (onlyfor.go, when it is
//     for one agent only), gaps.go when a reader has fallen out of what is kept, storms.go slows down two clients that
//     fight over one connection id.
//
// # The way of an event to a stream
//
// A stream belongs to the goroutine of its request. It holds a [core.Reader], which is a cursor and no queue. Each turn
// it reads what lies behind the cursor, then looks at its connection, and then writes: in this order, so that what it
// writes is judged by the claims as they are at the moment of writing. An event is encoded once for those it notifies
// and once for those it does not, whatever the number of streams.
//
// # Invariants
//
//   - A connection lives by heartbeats and by nothing else. A stream whose connection lapsed, was taken over or closed
//     writes "evicted" and no event any more.
//   - The cursor moves past whatever the connection does not cover or its filter excludes, and stays where it is while a
//     single-room connection has no room.
//   - What is announced as "rooms" are claims, never covered rooms: clients send the list back when they reopen, and that
//     takes rooms over.
//   - Nobody gets its own messages, or its own arrival.
//   - The acting agent is whoever the token belongs to; a path that names another one is refused.
//
// # Example
//
//	front := switchfront.New(node, operations.New(node), switchfront.Options{Version: "1.0.0"})
//	server := &http.Server{Handler: front.Handler()}
//	// … and before the server shuts down:
//	front.Drain()
package switchfront
