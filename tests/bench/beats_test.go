package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// maxBeatCPU is what a beat may cost the server, in user and system mode: with it, 5,000 connections that beat every two
// seconds take half a core.
const maxBeatCPU = 200 * time.Microsecond

// beater beats for one connection over a kept HTTP connection of its own.
type beater struct {
	conn    net.Conn
	from    *bufio.Reader
	request []byte
}

func newBeater(addr string, i identity) (*beater, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"connection_id":"c-%s","cursor":0}`, i.Agent)
	return &beater{conn: conn, from: bufio.NewReaderSize(conn, 1<<10), request: fmt.Appendf(nil,
		"POST /agents/%s/connection/beat HTTP/1.1\r\nHost: stele\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n"+
			"Content-Length: %d\r\n\r\n%s", i.Agent, i.Key, len(body), body)}, nil
}

func (b *beater) beat() error {
	if _, err := b.conn.Write(b.request); err != nil {
		return err
	}
	res, err := http.ReadResponse(b.from, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, text)
	}
	return err
}

// beating keeps the connections of a server process alive: each beats every so often from the moment it is open.
type beating struct {
	tb    testing.TB
	s     *served
	every time.Duration
	beats atomic.Int64
	work  sync.WaitGroup
}

func (r *beating) run(ctx context.Context, stream int) {
	b, err := newBeater(r.s.hello.Addr, r.s.hello.Streams[stream])
	if err != nil {
		r.tb.Error(err)
		return
	}
	defer func() { _ = b.conn.Close() }()
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for {
		if err := b.beat(); err != nil {
			r.tb.Errorf("connection %d: %v", stream, err)
			return
		}
		r.beats.Add(1)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// measure opens a stream for each of a number of connections, lets them beat, and tells what that costs the server.
func measure(tb testing.TB, connections int, every, during time.Duration) (beats int64, cpu, took time.Duration) {
	tb.Helper()
	s := start(tb, kindBeats, connections)
	r := &beating{tb: tb, s: s, every: every}
	ctx, stop := context.WithCancel(context.Background())
	defer r.work.Wait()
	defer stop()
	openStreams(tb, s, func(stream int) { r.work.Go(func() { r.run(ctx, stream) }) })
	from, before, began := r.beats.Load(), s.usage(tb, false), time.Now()
	time.Sleep(during)
	after := s.usage(tb, false)
	return r.beats.Load() - from, after.CPU - before.CPU, time.Since(began)
}

// BenchmarkBeatRoute tells what a beat costs the server's process, everything included that it does meanwhile: 500
// connections with a stream each beat over HTTP connections of their own, ten times as often as clients do.
func BenchmarkBeatRoute(b *testing.B) {
	var beats int64
	var cpu, took time.Duration
	for range b.N {
		n, c, d := measure(b, 500, 200*time.Millisecond, 4*time.Second)
		beats, cpu, took = beats+n, cpu+c, took+d
	}
	each := cpu / time.Duration(max(beats, 1))
	b.ReportMetric(float64(each.Nanoseconds())/1000, "cpu-µs/beat")
	b.ReportMetric(float64(beats)/took.Seconds(), "beats/s")
	if each > maxBeatCPU {
		b.Errorf("a beat costs %v, at most %v is due", each, maxBeatCPU)
	}
}

// beatLoadEnv asks for the long run, see make beatload.
const beatLoadEnv = "STELE_BEATLOAD"

// TestBeatLoad lets 5,000 connections beat every two seconds for a minute, which must cost the server less than half a
// core, and loses none of them.
func TestBeatLoad(t *testing.T) {
	if os.Getenv(beatLoadEnv) == "" {
		t.Skip("this takes a minute and is asked for with make beatload")
	}
	const connections, every, during = 5_000, 2 * time.Second, time.Minute
	require.Greater(t, openFiles(t), 2*connections+1_000, "open files")
	beats, cpu, took := measure(t, connections, every, during)
	cores := cpu.Seconds() / took.Seconds()
	t.Logf("%d beats in %v took %v of a processor: %.2f cores, %v a beat", beats, took, cpu, cores, cpu/time.Duration(beats))
	require.GreaterOrEqual(t, beats, int64(connections)*int64(during/every)*9/10)
	require.Less(t, cores, 0.5)
}
