// Package superjson measures this project's SuperJSON beside the library under Node, on
// the same values in the same run:
//
//	go test -run '^$' -bench . ./tests/bench/superjson
//
// Rounds of the two sides take turns, so that what else the machine does hits both, and
// the best round of each counts. "times" is how many times as fast Go was.
package superjson
