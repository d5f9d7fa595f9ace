package adapters_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/switchfront"
	"stele/core"
)

// TestStreamAsProxiesAskForIt: over HTTP/1.0, as reverse proxies talk to a server by default, over a connection that is
// to be closed, and by a client that would take compressed bytes. In each the first frame and every later one arrive at
// once, although nothing else is written, and the end is one in order.
func TestStreamAsProxiesAskForIt(t *testing.T) {
	for _, tc := range []struct {
		name, proto, header string
		chunked, kept       bool
	}{
		{"HTTP/1.1", "HTTP/1.1", "", true, true},
		{"compression is offered", "HTTP/1.1", "Accept-Encoding: gzip, deflate, br\r\n", true, true},
		{"Connection: close", "HTTP/1.1", "Connection: close\r\n", true, false},
		{"HTTP/1.0", "HTTP/1.0", "Connection: close\r\n", false, false},
		{"HTTP/1.0 and keep-alive", "HTTP/1.0", "Connection: keep-alive\r\nAccept-Encoding: gzip\r\n", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := newNode(t)
			addr, stop := running(t, n, adapters.Options{Switch: switchfront.Options{KeepAlive: time.Hour}})
			alice, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "alice", Handle: "alice"}})
			require.NoError(t, err)
			bob, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bob", Handle: "bob"}})
			require.NoError(t, err)
			made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{
				{Agent: alice.Agent.ID, Name: "alice", Handle: "alice"}, {Agent: bob.Agent.ID, Name: "bob", Handle: "bob"},
			}}, nil)
			require.NoError(t, err)

			conn, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
			_, err = fmt.Fprintf(conn, "GET /agents/%s/events?connection_id=c-1&rooms=%s %s\r\nHost: x\r\nAccept: text/event-stream\r\n"+
				"Authorization: Bearer %s\r\n%s\r\n", alice.Agent.ID, made.Room, tc.proto, alice.Key, tc.header)
			require.NoError(t, err)
			from := bufio.NewReader(conn)
			res, err := http.ReadResponse(from, nil)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, res.StatusCode)
			require.Empty(t, res.Header.Get("Content-Encoding"))
			require.Equal(t, "no", res.Header.Get("X-Accel-Buffering"))
			require.Equal(t, tc.chunked, len(res.TransferEncoding) == 1)
			require.Equal(t, tc.kept, !res.Close)

			frames := bufio.NewReader(res.Body)
			require.True(t, strings.HasPrefix(nextFrame(t, frames), "event: connection_state\ndata: {"))
			for i := range 3 {
				_, _, err = n.PostMessage(context.Background(), made.Room, core.PostMessage{Sender: bob.Agent.ID, Text: fmt.Sprint("message ", i)}, nil)
				require.NoError(t, err)
				require.Contains(t, nextFrame(t, frames), fmt.Sprintf(`"body":"message %d"`, i))
			}
			require.NoError(t, stop())
			rest, err := io.ReadAll(frames)
			require.NoError(t, err, "it ends in order")
			require.Empty(t, rest)
		})
	}
}

// nextFrame reads up to the empty line that ends a frame.
func nextFrame(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	var out strings.Builder
	for {
		line, err := from.ReadString('\n')
		require.NoError(t, err, "after %q", out.String())
		if line == "\n" {
			return out.String()
		}
		out.WriteString(line)
	}
}
