package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
	"stele/core/sqlitelog"
)

// missed is how many events the reader is behind.
const missed = 10_000

// minCatchUp is a budget, as a ratio to what reading and decoding the same events alone takes; minPerWrite is one in
// events per write.
const (
	minCatchUp  = 0.25
	minPerWrite = 20
)

// BenchmarkCatchUp opens a Switch event stream that is 10,000 events behind in a room that nobody has read yet, and tells
// how fast they come and how many of them a write carries. A write is a chunk of the response. Beside it the node alone
// reads as many events of another room.
func BenchmarkCatchUp(b *testing.B) {
	var alone, whole time.Duration
	var writes int
	for range b.N {
		c := newCatchUp(b)
		alone += c.readAlone(b)
		took, chunks := c.stream(b)
		whole, writes = whole+took, writes+chunks
		c.close(b)
	}
	ratio, perWrite := float64(alone)/float64(whole), float64(b.N*missed)/float64(writes)
	b.ReportMetric(float64(b.N*missed)/alone.Seconds(), "alone-events/s")
	b.ReportMetric(float64(b.N*missed)/whole.Seconds(), "events/s")
	b.ReportMetric(ratio, "of-alone")
	b.ReportMetric(perWrite, "events/write")
	if ratio < minCatchUp || perWrite < minPerWrite {
		b.Errorf("%.2f of reading alone, in writes of %.0f: at least %.2f and %d are due", ratio, perWrite, minCatchUp, minPerWrite)
	}
}

// catchUp is a node on the embedded log with two rooms of as many events.
type catchUp struct {
	log    *sqlitelog.Log
	node   *core.Node
	agents []identity
	// from is the position before all messages, rooms are where they are.
	from  core.Position
	rooms []string
}

func newCatchUp(b *testing.B) *catchUp {
	b.Helper()
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	// More than a room's messages lie behind the cursor, and nobody beats.
	n, err := core.Open(b.Context(), log, core.Options{LeaseTTL: time.Hour, RetainEvents: 10 * missed})
	require.NoError(b, err)
	agents, err := populate(b.Context(), n, 2)
	require.NoError(b, err)
	other, _, err := n.CreateRoom(b.Context(), core.CreateRoom{Facts: core.RoomFacts{Name: "other"}, Members: []core.NewMember{
		{Agent: agents[1].Agent, Name: "agent-1", Handle: "agent-1"},
	}}, nil)
	require.NoError(b, err)
	c := &catchUp{log: log, node: n, agents: agents, from: n.Applied(), rooms: []string{agents[0].Room, other.Room}}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1); i <= 2*missed; i = next.Add(1) {
				_, _, err := n.PostMessage(context.Background(), c.rooms[i%2], core.PostMessage{Sender: agents[1].Agent, Text: body}, nil)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return c
}

func (c *catchUp) close(b *testing.B) {
	b.Helper()
	require.NoError(b, c.node.Close(context.Background()))
	require.NoError(b, c.log.Close())
}

// readAlone reads the other room without a stream.
func (c *catchUp) readAlone(b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	r := c.node.NewRoomReader(c.rooms[1], c.from)
	defer r.Close()
	read := 0
	for entries := []*core.Entry(nil); read < missed; read += len(entries) {
		var err error
		entries, err = r.Read(b.Context(), 256, entries[:0])
		require.NoError(b, err)
		require.NotEmpty(b, entries)
	}
	return time.Since(began)
}

// stream reads the first room through an event stream, and tells in how many chunks it came.
func (c *catchUp) stream(b *testing.B) (took time.Duration, chunks int) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- adapters.New(c.node, adapters.Options{}).Serve(ctx, ln) }()
	defer func() {
		stop()
		require.NoError(b, <-ended)
	}()
	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(b, err)
	defer func() { _ = conn.Close() }()
	began := time.Now()
	request := strings.Replace(c.agents[0].opening(), " HTTP/1.1", fmt.Sprintf("&start_from=%d HTTP/1.1", c.from), 1)
	_, err = io.WriteString(conn, request)
	require.NoError(b, err)
	chunks = readChunks(b, conn, missed)
	return time.Since(began), chunks
}

// readChunks reads a chunked response until a number of events have come, and returns in how many chunks they did.
func readChunks(b *testing.B, conn net.Conn, events int) int {
	b.Helper()
	counted := &chunks{from: bufio.NewReaderSize(conn, 64<<10)}
	res, err := http.ReadResponse(counted.from, nil)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, res.StatusCode)
	r := &reader{got: make(chan struct{}, 1)}
	go r.run(counted, false)
	r.await(int64(events))
	return int(counted.count.Load())
}
