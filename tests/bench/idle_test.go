package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
	"stele/core/sqlitelog"
)

// Kinds of server processes.
const (
	kindBare  = "bare"
	kindIdle  = "idle"
	kindBeats = "beats"
	// The same two for sockets.
	kindBareSocket  = "bare-socket"
	kindIdleSockets = "idle-sockets"
)

// membersPerRoom is how many of the agents of a server process share a room.
const membersPerRoom = 100

// gatewayOf opens the gateway on the embedded log with a number of agents in rooms.
func gatewayOf(ctx context.Context, kind, dir string, agents int) (serve func(net.Listener) error, out []identity, err error) {
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	if err != nil {
		return nil, nil, err
	}
	opts := core.Options{}
	if kind == kindIdle {
		// Nobody beats: a stream that is beaten for is not idle.
		opts.LeaseTTL = time.Hour
	}
	n, err := core.Open(ctx, log, opts)
	if err != nil {
		return nil, nil, err
	}
	if out, err = populate(ctx, n, agents); err != nil {
		return nil, nil, err
	}
	g := adapters.New(n, adapters.Options{})
	return func(ln net.Listener) error {
		err := g.Serve(ctx, ln)
		return errors.Join(err, n.Close(context.WithoutCancel(ctx)), log.Close())
	}, out, nil
}

// populate registers agents, 64 at a time, and puts them into rooms.
func populate(ctx context.Context, n *core.Node, agents int) ([]identity, error) {
	out := make([]identity, agents)
	errs := make([]error, 64)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := w; i < agents && errs[w] == nil; i += len(errs) {
				name := fmt.Sprintf("agent-%d", i)
				var r core.Registered
				r, errs[w] = n.Register(ctx, core.Registration{Agent: core.Agent{Name: name, Handle: name, Model: core.ModelSession}})
				out[i] = identity{Agent: r.Agent.ID, Key: r.Key}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for from := 0; from < agents; from += membersPerRoom {
		members := out[from:min(from+membersPerRoom, agents)]
		cmd := core.CreateRoom{Facts: core.RoomFacts{Name: fmt.Sprintf("room-%d", from)}}
		for i, m := range members {
			name := fmt.Sprintf("agent-%d", from+i)
			cmd.Members = append(cmd.Members, core.NewMember{Agent: m.Agent, Name: name, Handle: name})
		}
		made, _, err := n.CreateRoom(ctx, cmd, nil)
		if err != nil {
			return nil, err
		}
		for i := range members {
			members[i].Room = made.Room
		}
	}
	return out, nil
}

// opening is the raw request that opens an agent's stream.
func (i identity) opening() string {
	return fmt.Sprintf("GET /agents/%s/events?connection_id=c-%s&rooms=%s HTTP/1.1\r\nHost: stele\r\nAccept: text/event-stream\r\n"+
		"Authorization: Bearer %s\r\n\r\n", i.Agent, i.Agent, i.Room, i.Key)
}

// openStreams opens the streams of a server process, a few at a time, and returns their connections once each has got
// its first frame. opened, if not nil, is called for each that has.
func openStreams(b testing.TB, s *served, opened func(stream int)) []net.Conn {
	b.Helper()
	conns := make([]net.Conn, len(s.hello.Streams))
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := w; i < len(conns) && !b.Failed(); i += 32 {
				conn, err := net.Dial("tcp", s.hello.Addr)
				if err != nil {
					b.Error(err)
					return
				}
				conns[i] = conn
				if _, err = conn.Write([]byte(s.hello.Streams[i].opening())); err == nil {
					err = awaitBytes(conn, []byte("\ndata: "))
				}
				if err != nil {
					b.Error(err)
				} else if opened != nil {
					opened(i)
				}
			}
		})
	}
	wg.Wait()
	b.Cleanup(func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	})
	if b.Failed() {
		b.FailNow()
	}
	return conns
}

// awaitBytes reads until some bytes came.
func awaitBytes(conn net.Conn, want []byte) error {
	var got []byte
	buf := make([]byte, 1<<10)
	for !bytes.Contains(got, want) {
		n, err := conn.Read(buf)
		if err != nil {
			return fmt.Errorf("%w after %q", err, got)
		}
		got = append(got, buf[:n]...)
	}
	return nil
}

// idleStreams is how many streams are held, if the system allows that many open files in a process.
const idleStreams = 8_000

// maxIdleBytes is the budget for one of them, in bytes of the server's resident memory.
const maxIdleBytes = 24 << 10

// BenchmarkIdleStreams holds 8,000 Switch event streams, each an agent of its own that has claimed a room, and tells what
// each adds to the resident memory of the server's process once it has written a keepalive, the connection included.
// Beside it a handler of the standard library that does nothing but its keepalives.
func BenchmarkIdleStreams(b *testing.B) {
	streams := min(idleStreams, openFiles(b)-1_000)
	if streams < idleStreams {
		b.Logf("the hard limit of open files allows %d streams", streams)
	}
	bare := bytesPerStream(b, kindBare, streams)
	ours := bytesPerStream(b, kindIdle, streams)
	b.ReportMetric(float64(ours)/1024, "KiB/stream")
	b.ReportMetric(float64(bare)/1024, "bare-KiB/stream")
	b.ReportMetric(float64(ours)/float64(bare), "of-bare")
	if ours > maxIdleBytes {
		b.Errorf("an idle stream holds %d bytes, at most %d are due", ours, maxIdleBytes)
	}
}

func bytesPerStream(b *testing.B, kind string, streams int) int64 {
	b.Helper()
	s := start(b, kind, streams)
	before := s.usage(b, true)
	conns := openStreams(b, s, nil)
	for _, c := range conns {
		require.NoError(b, awaitBytes(c, []byte(": keepalive\n")))
	}
	raw := s.usage(b, false)
	after := s.usage(b, true)
	count := int64(streams)
	b.Logf("%s: per stream %d bytes resident at rest (heap %d, stacks %d), %d before a collection, %.1f goroutines; %d MiB before",
		kind, (after.RSS-before.RSS)/count, (after.Heap-before.Heap)/count, (after.Stacks-before.Stacks)/count,
		(raw.RSS-before.RSS)/count, float64(after.Goroutines-before.Goroutines)/float64(count), before.RSS>>20)
	return (after.RSS - before.RSS) / count
}

// openFiles is how many files this process and its children may open, after raising the soft limit to the hard one.
func openFiles(b testing.TB) int {
	b.Helper()
	var limit syscall.Rlimit
	require.NoError(b, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		require.NoError(b, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	}
	return int(min(limit.Max, 1<<20))
}
