// Package samples has events of every kind of a room's stream, for tests of whatever writes or reads events: each kind in the
// variants that matter, with every field set in at least one of them.
//
//	for _, e := range samples.Of(core.MessagePosted) {
//		// …
//	}
//
// [Story] has all of them in one order, with the numbers of one room's stream. The payloads are made anew for each caller, so
// that a test may change them.
package samples
