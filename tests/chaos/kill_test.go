package chaos_test

import (
	"math/rand/v2"
	"os"
	"strconv"
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
	var log []chaos.Entry
	defer func() {
		if t.Failed() {
			w.keep(t, chaos.History{Records: w.rec.Records(), Log: log})
		}
	}()
	l := w.start(t)
	defer func() {
		l.proc.kill()
		l.over()
	}()
	w.settle(t, l)
	for range kills {
		w.resume(t, l)
		w.load(t, l)
		l = w.start(t)
	}
	w.resume(t, l)
	log = w.finish(t, l)
	for _, v := range chaos.Check(chaos.History{Records: w.rec.Records(), Log: log}) {
		t.Error(v)
	}
	for _, text := range w.list() {
		t.Error(text)
	}
	bad, err := complaints(w.log)
	require.NoError(t, err)
	require.Empty(t, bad, "the gateway's log")
	counts := countKinds(w.rec.Records())
	t.Logf("%d kills: %d events in rooms, %d missed and made up for; %v", kills, len(log), w.missed, counts)
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
