// Package core is the neutral model that every protocol is translated to and from: rooms, participants, events, and the
// one append-only log that they live in. It knows no protocol and no transport.
//
// # The way of a message
//
// A front decodes what a client sent into a command. The command waits in the queue of its room, is decided together
// with the others that wait there, and what was decided is appended to the log as one atomic unit. The log's tail brings
// it back to every node, where it is applied to the state, and from there the readers are woken, each of which takes
// what lies behind its cursor.
//
//	command → queue → decide → Log.Append → Log.Tail → apply → hub → Reader
//
// It is a circle and everything goes round it one way. Nothing changes state except Apply. Nothing decides except
// decide, which is a pure function of state, command, time and ids. A command is answered when its events are durable
// and applied, so every client reads its own writes.
//
// # Main types
//
//   - [Log] is the log: compare-and-swap appends to streams, an ordered tail, erase of content. Implementations are below
//     this package; core/logtest is the suite they pass.
//   - [Event], [Payload] and [Kind] are what happened.
//   - [Room], [AgentState] and [Directory] are what a room's, an agent's and the directory's stream fold to.
//   - [Node] runs the circle. [Node.PostMessage], [Node.CreateRoom], [Node.OpenConnection] and their like take commands;
//     [Node.ViewRoom], [Node.HistoryOf] and the look-ups read.
//   - [Reader] follows one room or all rooms of an agent behind a cursor; [Entry] is an event as readers share it.
//   - [InboxReader] follows what an agent is told of its turns and its rooms' ends; a [Delivery] waits until the agent
//     acknowledges it, or the next event of the room makes it stale.
//
// # What members share
//
// Beside its messages a room has a shared state, one object of typed values that members change by merge patches
// ([Node.PatchState], [Room.SharedState]), and events that members emit ([Node.EmitEvent]). Both are content: a purge takes
// them.
//
// # Three numbers
//
// [Position] orders the whole log. The version of a room counts its events from 1 without a hole
// (and says above its low 32 bits in which life of the log, see [VersionCount]). The turn counts its
// messages from 0. Any of them can be turned into the others, see [History].
//
// # Invariants
//
//   - What was acknowledged is in the log. What a reader sees is in the log.
//   - Replaying the log gives the same state, always. Snapshots are a cache; losing them loses nothing.
//   - A version, a turn and a position are given once.
//   - A reader registers for its wake-up before it reads, reads committed events only, and "after" is strict.
//   - A reader of an agent sees an event only from the time in which the agent is a member of the room.
//   - An event is encoded once per form, however many readers there are.
//   - No lock is held across I/O.
//
// # Goroutines
//
// A node has four of its own: the tail, which alone changes state; the snapshots; the housekeeping; the purges. A stream with
// commands in its queue has one while there are any. All are owned by the node, end with [Node.Close], and are joined by
// it. Several nodes attached to one log are arbitrated by the log's swap: the loser catches up and decides again.
//
// # An example
//
//	node, err := core.Open(ctx, memlog.New(), core.Options{})
//	alice, err := node.Register(ctx, core.Registration{Agent: core.Agent{Name: "alice", Handle: "alice"}})
//	room, _, err := node.CreateRoom(ctx, core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: …}, nil)
//	reader := node.NewRoomReader(room.Room, 0)
//	_, _, err = node.PostMessage(ctx, room.Room, core.PostMessage{Sender: alice.Agent.ID, Text: "hello"}, nil)
//	entries, err := reader.Read(ctx, 100, nil)
package core
