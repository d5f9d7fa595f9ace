package logtest

import (
	"testing"

	"stele/core"
)

// Open makes a new, empty log. The suite closes it.
type Open func(t *testing.T) core.Log

// Run checks everything that [core.Log] promises of one open log.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"Append", testAppend},
		{"Conflict", testConflict},
		{"Race", testRace},
		{"Read", testRead},
		{"ReadBack", testReadBack},
		{"Tail", testTail},
		{"TailUnderLoad", testTailUnderLoad},
		{"Erase", testErase},
		{"Context", testContext},
		{"Close", testClose},
		{"Identity", testIdentity},
		{"Lives", testLives},
		{"Model", testModel},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
	}
}

// testIdentity checks that an identity is one log's own.
func testIdentity(t *testing.T, open Open) {
	a, b := start(t, open), start(t, open)
	if a.log.ID() == "" || a.log.ID() == b.log.ID() {
		t.Fatalf("identities %q and %q must differ and not be empty", a.log.ID(), b.log.ID())
	}
	if first, again := a.log.ID(), a.log.ID(); first != again {
		t.Fatalf("identity changed from %q to %q", first, again)
	}
}
