package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
	"stele/core/sqlitelog"
	"stele/tests/bench/floor"
)

// floorTarget is the bare fan-out with a number of readers.
func floorTarget(b *testing.B, readers int) target {
	url, addr := listen(b, func(ctx context.Context, ln net.Listener) error {
		srv := &http.Server{Handler: floor.New(), ReadHeaderTimeout: time.Minute}
		context.AfterFunc(ctx, func() { _ = srv.Close() })
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	t := target{name: "floor", addr: addr, post: func(int) func(string) error {
		return poster(url+"/post", http.Header{"Content-Type": {"application/json"}}, func(text string) []byte {
			return []byte(`{"body":"` + text + `"}`)
		})
	}}
	for range readers {
		t.readers = append(t.readers, "GET /sse HTTP/1.1\r\nHost: floor\r\n\r\n")
	}
	return t
}

// gatewayTarget is the gateway on the embedded log: one room with a number of Switch agents that read, and posters, each
// an agent of its own in the same room.
func gatewayTarget(b *testing.B, readers, posters int) target {
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	// Readers and posters do not beat here, so that only messages are measured.
	n, err := core.Open(b.Context(), log, core.Options{LeaseTTL: time.Hour})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, n.Close(context.Background())) })
	url, addr := listen(b, adapters.New(n, adapters.Options{}).Serve)

	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "bench"}}
	agents := make([]core.Registered, readers+posters)
	for i := range agents {
		name := fmt.Sprintf("agent-%d", i)
		agents[i], err = n.Register(b.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
		require.NoError(b, err)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: agents[i].Agent.ID, Name: name, Handle: name})
	}
	made, _, err := n.CreateRoom(b.Context(), cmd, nil)
	require.NoError(b, err)
	t := target{name: "gateway", addr: addr}
	for _, a := range agents[:readers] {
		t.readers = append(t.readers, fmt.Sprintf(
			"GET /agents/%s/events?connection_id=c-%s&rooms=%s HTTP/1.1\r\nHost: stele\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n",
			a.Agent.ID, a.Agent.ID, made.Room, a.Key))
	}
	for _, a := range agents[readers:] {
		_, err := n.OpenConnection(b.Context(), a.Agent.ID, core.OpenRequest{
			ID: "p-" + a.Agent.ID, Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: []string{made.Room},
		})
		require.NoError(b, err)
	}
	t.post = func(client int) func(string) error {
		a := agents[readers+client]
		return poster(url+"/agents/"+a.Agent.ID+"/ops/post_message", http.Header{
			"Content-Type": {"application/json"}, "Authorization": {"Bearer " + a.Key},
			"X-Switch-Connection-Id": {"p-" + a.Agent.ID},
		}, func(text string) []byte { return []byte(`{"body":"` + text + `"}`) })
	}
	return t
}

// The budgets, as ratios to the floor in the same run.
const (
	minSaturated = 0.60
	maxP99       = 2.0
	minPosts     = 0.40
)

// BenchmarkSaturated delivers as much as possible to 100 event streams, from 64 posting clients at once.
func BenchmarkSaturated(b *testing.B) {
	const readers, posters, messages = 100, 64, 8_000
	var sum [2]float64
	for range b.N {
		sum[0] += saturate(b, floorTarget(b, readers), posters, messages)
		sum[1] += saturate(b, gatewayTarget(b, readers, posters), posters, messages)
	}
	report(b, "deliveries/s", sum, minSaturated)
}

// BenchmarkPosts accepts durable posts over HTTP from 64 clients at once, with nobody reading.
func BenchmarkPosts(b *testing.B) {
	const posters, messages = 64, 20_000
	var sum [2]float64
	for range b.N {
		for i, t := range []target{floorTarget(b, 0), gatewayTarget(b, 0, posters)} {
			began := time.Now()
			postAll(b, t, posters, messages)
			sum[i] += messages / time.Since(began).Seconds()
		}
	}
	report(b, "posts/s", sum, minPosts)
}

func report(b *testing.B, unit string, sum [2]float64, least float64) {
	b.ReportMetric(sum[0]/float64(b.N), "floor-"+unit)
	b.ReportMetric(sum[1]/float64(b.N), unit)
	ratio := sum[1] / sum[0]
	b.ReportMetric(ratio, "of-floor")
	if ratio < least {
		b.Errorf("%.0f of %.0f %s are %.2f of the floor, at least %.2f is due",
			sum[1]/float64(b.N), sum[0]/float64(b.N), unit, ratio, least)
	}
}

// BenchmarkPaced posts 100 messages a second to 100 event streams and compares the time from post to delivery.
func BenchmarkPaced(b *testing.B) {
	const readers, rate, messages = 100, 100, 500
	var p99 [2]time.Duration
	for range b.N {
		for i, t := range []target{floorTarget(b, readers), gatewayTarget(b, readers, 1)} {
			got := pace(b, t, rate, messages)
			p99[i] += percentile(got.deliveries, 99)
			b.ReportMetric(float64(percentile(got.deliveries, 50).Microseconds()), t.name+"-p50-µs")
		}
	}
	reportTail(b, p99)
}

func reportTail(b *testing.B, p99 [2]time.Duration) {
	b.ReportMetric(float64(p99[0].Microseconds())/float64(b.N), "floor-p99-µs")
	b.ReportMetric(float64(p99[1].Microseconds())/float64(b.N), "p99-µs")
	ratio := float64(p99[1]) / float64(p99[0])
	b.ReportMetric(ratio, "of-floor")
	if ratio > maxP99 {
		b.Errorf("p99 %v is %.2f times the floor's %v, at most %.2f is due", p99[1]/time.Duration(b.N), ratio, p99[0]/time.Duration(b.N), maxP99)
	}
}
