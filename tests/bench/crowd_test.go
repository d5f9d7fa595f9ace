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
// accepted until the last of the 1,000 streams has it. The last of a thousand waits for whatever else the machine does, so
// the p99 is reported and the p50 has the budget.
func BenchmarkCrowdPaced(b *testing.B) {
	const rate, messages = 20, 300
	var p50, p99 [2]time.Duration
	for range b.N {
		for i, t := range []target{floorTarget(b, crowd), gatewayTarget(b, crowd, 1)} {
			got := pace(b, t, rate, messages)
			p99[i] += percentile(got.last, 99)
			p50[i] += percentile(got.last, 50)
		}
	}
	b.ReportMetric(float64(p50[0].Microseconds())/float64(b.N), "floor-p50-µs")
	b.ReportMetric(float64(p50[1].Microseconds())/float64(b.N), "p50-µs")
	b.ReportMetric(float64(p99[0].Microseconds())/float64(b.N), "floor-p99-µs")
	b.ReportMetric(float64(p99[1].Microseconds())/float64(b.N), "p99-µs")
	ratio := float64(p50[1]) / float64(p50[0])
	b.ReportMetric(ratio, "of-floor")
	if ratio > maxP99 {
		b.Errorf("p50 %v is %.2f times the floor's %v, at most %.2f is due", p50[1], ratio, p50[0], maxP99)
	}
}
