package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// crossings is how many messages each protocol sends in a round: enough that a median moves little.
	crossings = 150
	// quiet is the pause before a message, longer than the least time between two writes of one stream: what is measured is a
	// message that comes by itself.
	quiet = 4 * time.Millisecond
	// maxCrossing is the budget: p50 from the start of a send on X to the delivery on Y, against the quicker one of X to X and Y
	// to Y. A crossing consists of X's way in and Y's way out, so whichever of the two one calls its native path, it keeps to
	// the budget.
	maxCrossing = 1.5
)

// scripts are the three protocols, in the order of the pairs.
var scripts = []string{"switch", "areyouai", "edge"}

// crossing is how long the messages of a pair took: from the start of the send, and from its answer, which may come after the
// delivery.
type crossing struct{ whole, rest []time.Duration }

// BenchmarkCrossing sends messages over each protocol in turns, in a room where a client of each protocol listens, over real
// sockets. Each message is delivered three times, so that whatever disturbs the machine disturbs all pairs alike.
func BenchmarkCrossing(b *testing.B) {
	var pairs [3][3]crossing
	r := newCrossingRoom(b)
	for range b.N {
		for i := range crossings {
			for x := range scripts {
				r.cross(b, x, fmt.Sprintf("%s %d of %d", scripts[x], i, b.N), &pairs[x])
			}
		}
	}
	var native [3]time.Duration
	for x := range scripts {
		native[x] = median(pairs[x][x].whole)
	}
	for x, from := range scripts {
		for y, to := range scripts {
			p50, due := median(pairs[x][y].whole), min(native[x], native[y])
			ratio := float64(p50) / float64(due)
			b.ReportMetric(float64(p50.Microseconds()), from+"-to-"+to+"-p50-µs")
			b.ReportMetric(float64(median(pairs[x][y].rest).Microseconds()), from+"-to-"+to+"-after-answer-µs")
			b.ReportMetric(ratio, from+"-to-"+to+"-of-native")
			if ratio > maxCrossing {
				b.Errorf("from %s to %s takes %v, %.2f times the native %v, at most %.2f is due", from, to, p50, ratio, due, maxCrossing)
			}
		}
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return percentile(times, 50)
}

// cross sends one message and waits until every listener has it.
func (r *crossingRoom) cross(b *testing.B, x int, text string, into *[3]crossing) {
	b.Helper()
	send, err := r.senders[x](b.Context(), text)
	require.NoError(b, err)
	time.Sleep(quiet)
	began := time.Now()
	require.NoError(b, send())
	answered := time.Now()
	for range scripts {
		select {
		case d := <-r.deliveries:
			require.Equal(b, text, d.text)
			into[d.script].whole = append(into[d.script].whole, d.at.Sub(began))
			into[d.script].rest = append(into[d.script].rest, max(0, d.at.Sub(answered)))
		case <-time.After(10 * time.Second):
			b.Fatalf("%q was not delivered everywhere", text)
		}
	}
}
