package testsocket

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Socket is an open connection. One goroutine may read while another writes.
type Socket struct {
	t testing.TB
	net.Conn
	r *bufio.Reader
}

// Handshake are the headers of an upgrade request that is in order.
func Handshake() http.Header {
	return http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
}

// Dial opens a socket at an http URL, and sends early right behind the upgrade request, in the same write.
func Dial(t testing.TB, url string, patience time.Duration, early ...[]byte) *Socket {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header = Handshake()
	c, err := net.Dial("tcp", req.URL.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	var out bytes.Buffer
	require.NoError(t, req.Write(&out))
	_, err = c.Write(append(out.Bytes(), bytes.Join(early, nil)...))
	require.NoError(t, err)
	s := &Socket{t: t, Conn: c, r: bufio.NewReader(c)}
	resp, err := http.ReadResponse(s.r, req)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	return s
}

// Put sends bytes, each part in a write of its own. It does not fail when the server has hung up already, which is what the
// test is going to see.
func (s *Socket) Put(parts ...[]byte) {
	for _, p := range parts {
		if _, err := s.Write(p); err != nil {
			return
		}
	}
}

// Read returns the next frame's opcode and payload.
func (s *Socket) Read() (op byte, payload string, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(s.r, head); err != nil {
		return 0, "", err
	}
	n := uint64(head[1])
	switch n {
	case 126:
		b := make([]byte, 2)
		if _, err := io.ReadFull(s.r, b); err != nil {
			return 0, "", err
		}
		n = uint64(binary.BigEndian.Uint16(b))
	case 127:
		b := make([]byte, 8)
		if _, err := io.ReadFull(s.r, b); err != nil {
			return 0, "", err
		}
		n = binary.BigEndian.Uint64(b)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(s.r, body)
	return head[0] & 0x0f, string(body), err
}

// Await skips to a text that contains a part.
func (s *Socket) Await(part string) {
	s.t.Helper()
	for {
		op, payload, err := s.Read()
		require.NoError(s.t, err, "before %s", part)
		if op == OpText && strings.Contains(payload, part) {
			return
		}
	}
}

// CloseCode skips to the close frame and answers it. 1005 is one without a code, 0 a connection that ends without a close frame.
func (s *Socket) CloseCode() int {
	for {
		op, payload, err := s.Read()
		if err != nil {
			return 0
		}
		if op != OpClose {
			continue
		}
		s.Put(Frame(Fin|OpClose, payload))
		if payload == "" {
			return 1005
		}
		return int(binary.BigEndian.Uint16([]byte(payload)))
	}
}

// Gone waits until the server has closed the connection.
func (s *Socket) Gone() {
	s.t.Helper()
	_, err := io.Copy(io.Discard, s.r)
	if err != nil {
		require.NotErrorIs(s.t, err, os.ErrDeadlineExceeded)
	}
}
