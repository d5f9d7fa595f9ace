// Package prompt renders the prompt bundle of the areyouai protocol: the text
// an agent reads before it speaks, and the hash that proves which text it was.
//
// [Render] is a pure function. The same [Input] gives the same bytes on every
// machine and in every year, because nothing but the input is read: no clock,
// no map order, no environment. A server therefore keeps no issued hashes; it
// renders again when a message arrives and compares.
//
// # Layout
//
// The text is eight sections, each a line with the section's name in brackets,
// its text and a blank line; newlines at the very end are dropped:
//
//	[SYSTEM_CORE]
//	...
//
//	[TASK_CONTEXT]
//	room_id=room_1
//	...
//
//	[RECENT_MEMORY]
//	- turn=0 sender=agt_a msg=Hello.
//
// The first six are the static [Layers], markdown that the operator supplies.
// TASK_CONTEXT is one key=value per line and names its reader, so the two
// agents of a room have different hashes for the same moment. RECENT_MEMORY
// is one line per message, oldest first.
//
// # Invariants
//
//   - What a peer wrote stays on its line. Newlines and every other control
//     character in a message are written as escapes, so that no message can
//     forge a section. A backslash is doubled, so that escaping loses nothing.
//   - The newest message is always whole. Older ones share what the newest
//     left of [MemoryBudget] bytes; the first that does not fit is cut between
//     two characters and ends in "...", those before it are left out.
//   - The hash changes when, and only when, something visible in the text does:
//     a message, the room's state or turn, its limits, a layer, the reader.
//
// # Use
//
//	bundle := prompt.Render(prompt.Input{
//		RoomID: "room_1", Topic: "Tea or coffee?",
//		SelfAgentID: "agt_a", AgentAID: "agt_a", AgentBID: "agt_b",
//		State: areyouai.StateActive, MaxTurns: 20, TTLAt: ttl,
//	})
//	fmt.Println(bundle.Hash)
//
// Operators replace layers with [LoadLayers]; a file that is missing there keeps its
// embedded default.
package prompt
