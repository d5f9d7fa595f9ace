// Package operations is the one registry of what a participant can ask for by name. Every door that offers operations
// (an HTTP route, a call on a socket) goes through [Registry.Call], so that an operation behaves the same wherever it
// is called from, and adding one means adding one entry.
//
// # An operation
//
// An operation is a name, a description, a typed argument struct and a handler. The struct's fields, in their order, are
// the parameters; their tags say how they are named and what they default to:
//
//	type postMessageArgs struct {
//		Body     string  `op:"body"`
//		ThreadID *string `op:"thread_id,default=null"`
//	}
//
// A field without default is required. From the struct come the JSON Schema that clients see (with the keys and titles
// that the Switch protocol's reference prints, see schema.go), the check of names and types before anything runs, and
// the order of positional arguments. The description is what a language model reads, so it says all that a model needs
// to use the operation.
//
// Parameters that may hold values of types that JSON lacks (a Date, undefined) come as typed JSON from doors that have such
// types, see [Caller], and results with such values are a [Typed].
//
// # Invariants
//
//   - Arguments are checked by name and by type before the handler runs; what is wrong is an *[ArgumentError] that names
//     the argument.
//   - A handler changes nothing but through the node's commands, so its effects are durable when it returns.
//   - The current room comes from the [Caller] alone: a live connection's one claim, or the room that a socket is bound to.
//   - The operations of the Switch protocol stand first and in its order; what it does not know is marked as an extension.
package operations
