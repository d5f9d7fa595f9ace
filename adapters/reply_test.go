package adapters_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/areyouai"
)

// TestAnswersThatNobodyTakesAreCut: a client that asks again and again and never reads is cut. It needs no credential for
// that.
func TestAnswersThatNobodyTakesAreCut(t *testing.T) {
	addr, stop := running(t, newNode(t), adapters.Options{ReplyTimeout: 100 * time.Millisecond})
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	ask := strings.Repeat("GET "+areyouai.PathCapabilities+" HTTP/1.1\r\nHost: x\r\n\r\n", 100)
	for err == nil {
		_, err = io.WriteString(conn, ask)
	}
	require.False(t, errors.Is(err, os.ErrDeadlineExceeded), "the gateway still waits for its client")
	require.NoError(t, stop())
}
