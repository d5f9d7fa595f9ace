package adapters_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
)

// TestBodiesThatTrickleAreCut sends bodies a byte at a time, which would go on for ever: none is waited for longer than
// the timeout, and nothing comes of them.
func TestBodiesThatTrickleAreCut(t *testing.T) {
	n := newNode(t)
	require.NoError(t, n.AddRegistrationToken(t.Context(), "owner", "token"))
	addr, stop := running(t, n, adapters.Options{BodyTimeout: 100 * time.Millisecond})
	before := n.Applied()
	for _, path := range []string{"/agents/register-known", "/v1/agent/register", "/switch/agents/register-known"} {
		for _, framing := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
			t.Run(path+" "+framing, func(t *testing.T) {
				require.Equal(t, http.StatusBadRequest, trickle(t, addr, path, framing))
			})
		}
	}
	require.Equal(t, before, n.Applied())
	require.NoError(t, stop())
}

// trickle sends a request whose body has no end, and returns the status that it was answered with before the connection
// was cut.
func trickle(t *testing.T, addr, path, framing string) int {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n"+
		"Content-Type: application/json\r\n%s\r\n\r\n", path, framing)
	require.NoError(t, err)
	status, cut := 0, make(chan error, 1)
	go func() {
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err == nil {
			status = res.StatusCode
			// Whether the end is in order or a reset depends on what was still on its way; it must only come.
			if _, end := io.Copy(io.Discard, in); errors.Is(end, os.ErrDeadlineExceeded) {
				err = end
			}
		}
		cut <- err
	}()
	piece := " "
	if strings.Contains(framing, "chunked") {
		piece = "1\r\n \r\n"
	}
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for {
		select {
		case <-pace.C:
			// The gateway may have cut the connection by now; the other side of the loop tells.
			_, _ = io.WriteString(conn, piece)
		case err := <-cut:
			require.NoError(t, err)
			return status
		}
	}
}
