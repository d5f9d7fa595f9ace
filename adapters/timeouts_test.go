package adapters_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
)

// TestConnectionsThatWaitAreCut: one whose header does not come to its end, and one that has no next request. The
// defaults would let both wait for seconds.
func TestConnectionsThatWaitAreCut(t *testing.T) {
	for name, tc := range map[string]struct {
		opts adapters.Options
		sent string
	}{
		"header": {adapters.Options{HeaderTimeout: 50 * time.Millisecond}, "GET /healthz HTTP/1.1\r\nHost: x\r\n"},
		"idle":   {adapters.Options{IdleTimeout: 50 * time.Millisecond}, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			addr, stop := running(t, newNode(t), tc.opts)
			conn, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			defer conn.Close()
			began := time.Now()
			require.NoError(t, conn.SetDeadline(began.Add(patience)))
			_, err = io.WriteString(conn, tc.sent)
			require.NoError(t, err)
			in := bufio.NewReader(conn)
			if name == "idle" {
				resp, err := http.ReadResponse(in, nil)
				require.NoError(t, err)
				require.Equal(t, 200, resp.StatusCode)
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
			}
			_, err = io.Copy(io.Discard, in)
			require.NoError(t, err)
			require.Less(t, time.Since(began), adapters.DefaultHeaderTimeout, "the default did not cut it")
			require.NoError(t, stop())
		})
	}
}
