// Package logtest is the conformance suite of [core.Log]: it says in code what each sentence there means. An
// implementation passes by running
//
//	func TestLog(t *testing.T) {
//		logtest.Run(t, func(t *testing.T) core.Log { return open(t, t.TempDir()) })
//	}
//
// where the function opens a new, empty log each time; the suite closes it. A log that outlives its closing also runs
// [RunReopen], and [RunReplaced] if it can be replaced by a backup; one that nodes reach each other through runs [RunPeers].
// [RunSnapshots] is the suite of [core.Snapshots]. [Damaged] is a log with records that can not be read, for tests of what is above.
//
// # What is checked
//
//   - Atomic: a unit of several events is there whole or not at all, and a live batch never splits one.
//   - Compare-and-swap: a wrong last position is a [core.ConflictError] that names the right one, and nothing is written;
//     of many appenders that expect the same position exactly one wins, and no tail ever sees an event of a loser.
//   - Order: positions rise, over the whole log; every reader sees them in that order.
//   - Strict: "after" and "before" leave out the position itself.
//   - Gapless: tails that start at random moments, from random positions, while appends run see every event once.
//   - Isolated: a tail whose reader stands still delays no append, and misses nothing when it goes on.
//   - Handed on: what was given is what is read, and the decoded form comes along within the process.
//   - Erased: content, receipt and decoded form are gone, everything else stays, and repeating it changes nothing.
//   - Alive: a new log is in its first life, opening begins none, and a replaced log goes on in the next one, beyond every
//     position that was given before.
//   - Ended: contexts and Close end whatever waits.
//   - All together, in random order, against a model that is a slice.
//
// Errors are compared with errors.Is and errors.As only. The suite's own tests run it against logs that break one promise
// each and check that it notices.
package logtest
