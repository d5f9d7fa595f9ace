package translation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// atOnce is how many conversations go on at the same time, so that every restart hits them all.
	atOnce = 50
	// perGateway is how many one folder of data sees.
	perGateway = 200
	// restarts is how often the gateway ends while a number of atOnce talk.
	restarts = 2
)

// TestConversations holds random conversations over all three protocols at once, over connections that are cut, on a gateway
// that is killed, with participants that change their protocol, and compares what each of them saw with the log.
func TestConversations(t *testing.T) {
	count, seed := fromEnv(t, "STELE_CONVERSATIONS", 200), fromEnv(t, "STELE_CONVERSATIONS_SEED", rand.Uint64())
	t.Logf("%d conversations of seed %d", count, seed)
	for first := uint64(0); first < count && !t.Failed(); first += perGateway {
		holdMany(t, seed, first, min(count-first, perGateway))
	}
	if t.Failed() {
		t.Logf("STELE_CONVERSATIONS_SEED=%d repeats the plan of this run", seed)
	}
}

// fromEnv is the number in a variable, or another one.
func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// holdMany holds conversations on one gateway, which has nothing in the beginning.
func holdMany(t *testing.T, seed, first, count uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	random := rand.New(rand.NewPCG(seed, first))
	n := newNetwork(rand.New(rand.NewPCG(random.Uint64(), 0)))
	w := newWorld(ctx, t, n)
	for at := first; at < first+count && !t.Failed(); at += atOnce {
		w.wave(t, random, seed, at, min(first+count-at, atOnce))
	}
	w.tally.add("cut", int(n.cuts.Load()))
	t.Logf("conversations %d to %d: %v", first, first+count-1, w.tally.counts)
	if count >= perGateway {
		w.requireAll(t)
	}
	w.end(t)
}

// requireAll fails when something never happened, so that the test tests nothing of it.
func (w *world) requireAll(t *testing.T) {
	t.Helper()
	must := []string{"cut", "kill", "restart in order", "guest", "mirror"}
	for _, protocol := range protocols {
		must = append(must, "message over "+protocol+" accepted")
		for _, other := range protocols {
			must = append(must, "from "+protocol+" to "+other)
		}
		if protocol != onAreyouai {
			must = append(must, "event over "+protocol+" accepted", "task over "+protocol+" accepted")
		}
	}
	for _, what := range must {
		require.Positive(t, w.tally.counts[what], "%s: the test tests nothing", what)
	}
}

// wave holds conversations at the same time.
func (w *world) wave(t *testing.T, random *rand.Rand, seed, first, count uint64) {
	t.Helper()
	all := make([]*conversation, count)
	var work sync.WaitGroup
	for i := range all {
		number := first + uint64(i)
		work.Go(func() {
			c, err := w.arrange(fmt.Sprintf("c%d", number), seed, number)
			if err != nil {
				w.fault("arrange conversation %d: %v", number, err)
			}
			all[i] = c
		})
	}
	work.Wait()
	require.Empty(t, w.faults)
	w.steps.Store(0)
	steps := int64(0)
	for _, c := range all {
		for _, p := range c.who {
			steps += int64(p.steps)
		}
	}
	var at []int64
	for range restarts {
		at = append(at, random.Int64N(max(1, steps*3/4)))
	}
	disturbing, stop := context.WithCancel(w.ctx)
	defer stop()
	var trouble sync.WaitGroup
	trouble.Go(func() { w.disturb(disturbing, at) })
	for _, c := range all {
		work.Go(c.hold)
	}
	work.Wait()
	stop()
	trouble.Wait()
	for i, c := range all {
		work.Go(func() {
			for _, text := range c.judge() {
				t.Errorf("conversation %d of seed %d: %s", first+uint64(i), seed, text)
			}
		})
	}
	work.Wait()
	require.Empty(t, w.faults)
}
