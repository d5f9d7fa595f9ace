package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/tests/chaos"
)

// killsPerData is how often one folder of data goes through a kill before the next one begins from nothing.
const killsPerData = 20

// TestKill kills the gateway under load from all three protocols and restarts it on the same data. Before anything new is
// published, every reader comes back from its cursor and must get exactly what it had not seen; in the end the checker
// compares everything that anybody sent, was told or received with the log.
func TestKill(t *testing.T) {
	kills := killsPerData
	if text := os.Getenv("STELE_CHAOS_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err, "STELE_CHAOS_KILLS")
	}
	binary, seed := gatewayBinary(t), seedOf(t)
	t.Logf("seed %d", seed)
	for chapter := uint64(0); kills > 0; chapter++ {
		survive(t, binary, rand.New(rand.NewPCG(seed, chapter)), min(kills, killsPerData))
		kills -= killsPerData
		if t.Failed() {
			t.Fatalf("failed in chapter %d of seed %d", chapter, seed)
		}
	}
}

// survive takes one folder of data through a number of kills.
func survive(t *testing.T, binary string, random *rand.Rand, kills int) {
	t.Helper()
	w := newWorld(t, binary, random)
	l := w.start(t)
	// Whatever stops the test, what was seen up to there is judged.
	defer func() {
		l.proc.kill()
		l.over()
		w.judge(t)
	}()
	w.settle(t, l)
	for range kills {
		w.resume(t, l)
		w.load(t, l)
		w.stumble(t)
		l = w.start(t)
	}
	w.resume(t, l)
	w.finish(t, l)
	counts := countKinds(w.rec.Records())
	t.Logf("%d kills, %d events missed and made up for; %v", kills, w.missed, counts)
	for _, protocol := range []string{onSwitch, onAreyouai, onEdge} {
		for _, kind := range []chaos.Kind{chaos.Acknowledged, chaos.Received, chaos.Resumed} {
			require.Positive(t, counts[protocol+" "+string(kind)], "%s over %s: the test tests nothing", kind, protocol)
		}
	}
}

// countKinds says how much of what happened, so that a run that tested nothing shows.
func countKinds(records []chaos.Record) map[string]int {
	counts := map[string]int{}
	for _, r := range records {
		counts[r.Protocol+" "+string(r.Kind)]++
	}
	return counts
}

// seedOf returns the seed of the test, which STELE_CHAOS_SEED sets.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("STELE_CHAOS_SEED"); text != "" {
		_, err := fmt.Sscan(strings.TrimSpace(text), &seed)
		require.NoError(t, err, "STELE_CHAOS_SEED")
	}
	return seed
}
