package adapters

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestSlowReadersKeepTheirAnswers: whoever takes an answer steadily gets the whole of it, though the kernel's buffers would
// hold more than it takes in the time for a piece.
func TestSlowReadersKeepTheirAnswers(t *testing.T) {
	t.Parallel()
	const (
		timeout = 2 * time.Second
		pause   = timeout / 8
		pauses  = 3 * timeout / pause
	)
	node, err := core.Open(t.Context(), memlog.New(), core.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, node.Close(context.Background())) }()
	body := bytes.Repeat([]byte("x"), 16<<20)
	g := New(node, Options{})
	g.handler = boundReply(timeout, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, ln) }()

	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(replyPiece))
	_, err = io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
	require.NoError(t, err)
	piece := make([]byte, replyPiece)
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for range pauses {
		<-ticks.C
		_, err = io.ReadFull(conn, piece)
		require.NoError(t, err)
	}
	rest, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Greater(t, len(rest)+int(pauses)*len(piece), len(body))
	stop()
	require.NoError(t, <-served)
}
