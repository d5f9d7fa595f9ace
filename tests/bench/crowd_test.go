package bench

import (
	"testing"
	"time"
)

// crowd is how many event streams follow one room here.
const crowd = 1_000

// BenchmarkCrowdSaturated lets one sender post as fast as it is answered in a room that 1,000 event streams follow.
func BenchmarkCrowdSaturated(b *testing.B) {
	const messages = 500
	var sum [2]float64
	for range b.N {
		sum[0] += saturate(b, floorTarget(b, crowd), 1, messages)
		sum[1] += saturate(b, gatewayTarget(b, crowd, 1), 1, messages)
	}
	report(b, "deliveries/s", sum, minSaturated)
}

// BenchmarkCrowdPaced posts 20 messages a second in such a room and compares the time from the answer that a post is
// accepted until the last of the 1,000 streams has it.
func BenchmarkCrowdPaced(b *testing.B) {
	const rate, messages = 20, 300
	var p99 [2]time.Duration
	for range b.N {
		for i, t := range []target{floorTarget(b, crowd), gatewayTarget(b, crowd, 1)} {
			got := pace(b, t, rate, messages)
			p99[i] += percentile(got.last, 99)
			b.ReportMetric(float64(percentile(got.last, 50).Microseconds()), t.name+"-p50-µs")
		}
	}
	reportTail(b, p99)
}
