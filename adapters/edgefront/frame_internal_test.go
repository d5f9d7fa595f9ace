package edgefront

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
	"stele/internal/testsocket"
)

// Another program's reader must find each message whole, where the form of its length changes too.
func TestMessagesOfEachLengthArrive(t *testing.T) {
	lengths := []int{0, 1, 125, 126, 127, 255, 256, 65535, 65536, 200_000}
	front := &Front{opts: Options{ProgressTimeout: 5 * time.Second}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, network, err := front.accept(w, r)
		if err != nil {
			return
		}
		out := &socket{gatherConn: network, conn: conn}
		for _, hold := range []bool{true, false} {
			if hold {
				out.hold()
			}
			for _, n := range lengths {
				if out.send([]byte(strings.Repeat("x", n)), mark{}) != nil {
					return
				}
			}
			if out.flush() != nil {
				return
			}
		}
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client, _, err := websocket.Dial(ctx, server.URL, nil)
	require.NoError(t, err)
	defer func() { _ = client.CloseNow() }()
	client.SetReadLimit(-1)
	for range 2 {
		for _, n := range lengths {
			typ, text, err := client.Read(ctx)
			require.NoError(t, err)
			require.Equal(t, websocket.MessageText, typ)
			require.Len(t, text, n)
			require.Empty(t, strings.Trim(string(text), "x"))
		}
	}
	_, _, err = client.Read(ctx)
	require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err))
}

// The library answers a close frame by itself, maybe in the middle of a batch.
func TestNoMessageFollowsACloseFrame(t *testing.T) {
	c := &recordingConn{}
	g := newGatherConn(c, time.Second, &transport.Buffers{})
	g.hold()
	require.NoError(t, g.writeText([]byte("a")))
	pong := []byte{finBit | 0xA, 0}
	_, err := g.Write(pong)
	require.NoError(t, err)
	require.NoError(t, g.writeText([]byte("b")))
	closing := []byte{finBit | testsocket.OpClose, 2, 0x03, 0xE8}
	_, err = g.Write(closing)
	require.NoError(t, err)
	require.ErrorIs(t, g.writeText([]byte("c")), net.ErrClosed)
	require.NoError(t, g.flush())
	require.ErrorIs(t, g.writeText([]byte("d")), net.ErrClosed)
	require.Equal(t, "\x81\x01a"+string(pong)+"\x81\x01b"+string(closing), c.String())
}

// recordingConn keeps what reaches the network.
type recordingConn struct {
	net.Conn
	bytes.Buffer
}

func (c *recordingConn) Write(p []byte) (int, error)      { return c.Buffer.Write(p) }
func (c *recordingConn) Read(p []byte) (int, error)       { return c.Buffer.Read(p) }
func (c *recordingConn) SetWriteDeadline(time.Time) error { return nil }
