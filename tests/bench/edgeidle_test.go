package bench

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// maxSocketBytes is the budget for an idle socket, in bytes of the server's resident memory.
const maxSocketBytes = 28 << 10

const everyStream = `"state","messages","events"`

// BenchmarkIdleSockets holds 8,000 agent sockets, each of an agent of its own that follows every stream of its room, and
// tells what each adds to the resident memory of the server's process once it has answered a ping, the connection
// included. Beside it a handler of the WebSocket library that does nothing but answer.
func BenchmarkIdleSockets(b *testing.B) {
	sockets := min(idleStreams, openFiles(b)-1_000)
	if sockets < idleStreams {
		b.Logf("the hard limit of open files allows %d sockets", sockets)
	}
	bare := bytesPerSocket(b, kindBareSocket, sockets)
	ours := bytesPerSocket(b, kindIdleSockets, sockets)
	b.ReportMetric(float64(ours)/1024, "KiB/socket")
	b.ReportMetric(float64(bare)/1024, "bare-KiB/socket")
	b.ReportMetric(float64(ours)/float64(bare), "of-bare")
	if ours > maxSocketBytes {
		b.Errorf("an idle socket holds %d bytes, at most %d are due", ours, maxSocketBytes)
	}
}

func bytesPerSocket(b *testing.B, kind string, sockets int) int64 {
	b.Helper()
	s := start(b, kind, sockets)
	before := s.usage(b, true)
	conns := openSockets(b, s)
	defer closeConns(conns)
	for _, c := range conns {
		_, err := c.Write(clientText(`{"json":{"v":1,"kind":"ping"}}`))
		require.NoError(b, err)
		require.NoError(b, awaitBytes(c, []byte(`"kind":"pong"`)))
	}
	after := s.usage(b, true)
	count := int64(sockets)
	b.Logf("%s: per socket %d bytes resident at rest (heap %d, stacks %d), %.1f goroutines; %d MiB before",
		kind, (after.RSS-before.RSS)/count, (after.Heap-before.Heap)/count, (after.Stacks-before.Stacks)/count,
		float64(after.Goroutines-before.Goroutines)/float64(count), before.RSS>>20)
	return (after.RSS - before.RSS) / count
}

// openSockets opens the sockets of a server process, a few at a time, and returns them once each has got its hello.
func openSockets(b *testing.B, s *served) []net.Conn {
	b.Helper()
	conns := make([]net.Conn, len(s.hello.Streams))
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := w; i < len(conns) && !b.Failed(); i += 32 {
				conn, err := openSocket(s.hello.Addr, s.hello.Streams[i])
				if err != nil {
					b.Error(err)
					return
				}
				conns[i] = conn
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		closeConns(conns)
		b.FailNow()
	}
	return conns
}

func closeConns(conns []net.Conn) {
	for _, c := range conns {
		if c != nil {
			_ = c.Close()
		}
	}
}

func openSocket(addr string, i identity) (net.Conn, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintf(conn, upgrade, "/agents/"+i.Agent+"/"+i.Room); err != nil {
		return conn, err
	}
	from := bufio.NewReader(conn)
	for line := ""; strings.TrimSpace(line) != "" || line == ""; {
		if line, err = from.ReadString('\n'); err != nil {
			return conn, err
		}
	}
	return conn, attachSocket(conn, from, i.Key, everyStream)
}

// bareSocket is what the WebSocket library makes of a socket: a handler that reads and answers.
func bareSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	for answer := `{"json":{"v":1,"kind":"hello"}}`; ; answer = `{"json":{"v":1,"kind":"pong"}}` {
		if _, _, err := conn.Read(context.Background()); err != nil {
			return
		}
		if err := conn.Write(context.Background(), websocket.MessageText, []byte(answer)); err != nil {
			return
		}
	}
}
