package conformance

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rawStream is a stream as bytes on a socket.
type rawStream struct {
	conn net.Conn
	in   *bufio.Reader
	// id is the connection id of the protocol.
	id string
}

// rawOpen opens a stream over a socket of its own.
func (a *agent) rawOpen(t *testing.T, parameters ...string) *rawStream {
	t.Helper()
	base, err := url.Parse(a.s.url)
	require.NoError(t, err)
	if base.Scheme != "http" {
		t.Skip("bytes are looked at over plain HTTP only")
	}
	host := base.Host
	if base.Port() == "" {
		host += ":80"
	}
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(2*patience)))
	id := unique("conn")
	_, err = fmt.Fprintf(conn, "GET %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n",
		base.Path, a.path("/events")+query(append([]string{"connection_id=" + id}, parameters...)...), base.Host, a.key)
	require.NoError(t, err)
	return &rawStream{conn: conn, in: bufio.NewReader(conn), id: id}
}

// until returns everything up to and with a text.
func (r *rawStream) until(t *testing.T, end string) string {
	t.Helper()
	var out strings.Builder
	for !strings.HasSuffix(out.String(), end) {
		b, err := r.in.ReadByte()
		require.NoError(t, err, out.String())
		out.WriteByte(b)
	}
	return out.String()
}
