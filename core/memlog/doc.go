// Package memlog keeps a log in memory. It serves tests and benchmarks, and shows in the fewest lines what [core.Log] asks
// of an implementation.
//
// A [Store] plays the part of the disk or of the cluster: it lives as long as somebody refers to it. A [Log] is one node's
// connection to it. Several logs may be open on one store at a time, each for a gateway of its own; closing one ends its
// tails and leaves the others alone, and opening another one later finds everything that was written. So a restart and a
// second node can both be played within one process:
//
//	store := memlog.NewStore(memlog.Options{})
//	east, west := store.Open(), store.Open()
//	positions, err := east.Append(ctx, core.RoomStream("r1"), 0, events)
//	// a tail of west sees them now
//	east.Close()
//	east = store.Open() // the node came back
//
// [New] is the short form for one store with one log.
//
// # Peers and snapshots
//
// A [Log] is also a [core.Peers]: nodes that joined through any log of a store reach each other by name. [Snapshots] keeps
// snapshots in memory; it is a value of its own, so that a test can lose it without losing the log.
//
// # How it works
//
// Events lie in chunks, in log order; a chunk only ever grows at its end, so a reader takes a view of it under a lock and
// goes on reading without one: a tail of a long history copies nothing. An atomic unit never crosses the end of a chunk,
// which is why a batch never splits one. Each stream has an index of its positions. Erase replaces the chunks it touches by
// copies, so a view taken earlier stays as it was. A tail that has seen everything waits for a one-slot signal.
//
// Invariants: positions are 1, 2, 3 without a gap; every chunk but the last is full or could not take the next unit whole;
// a record is never changed after it was published, only replaced.
package memlog
