package conformance

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

// Opcodes of RFC 6455, and the bit of a frame that ends its message.
const (
	opContinue = 0x0
	opText     = 0x1
	opBinary   = 0x2
	opClose    = 0x8
	opPing     = 0x9
	opPong     = 0xa
	fin        = 0x80
)

// rawSocket is a WebSocket client without manners: it sends whatever bytes a test wants.
type rawSocket struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

// raw opens a socket, and sends early right behind the upgrade request, in the same write.
func (s *server) raw(t *testing.T, path string, early ...[]byte) *rawSocket {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	req.Header = upgradeHeaders()
	var out bytes.Buffer
	require.NoError(t, req.Write(&out))
	_, err = c.Write(append(out.Bytes(), bytes.Join(early, nil)...))
	require.NoError(t, err)
	raw := &rawSocket{t: t, Conn: c, r: bufio.NewReader(c)}
	resp, err := http.ReadResponse(raw.r, req)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	return raw
}

// frame is one masked frame; first is opcode and bits.
func frame(first byte, payload string) []byte {
	out := []byte{first}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	// A mask of zeros is a mask.
	return append(append(out, 0, 0, 0, 0), payload...)
}

func unmasked(first byte, payload string) []byte {
	return append([]byte{first, byte(len(payload))}, payload...)
}

func message(payload string) []byte { return frame(fin|opText, payload) }

func (s *rawSocket) put(parts ...[]byte) {
	for _, p := range parts {
		// The gateway may have hung up already, which is what the test is going to see.
		if _, err := s.Write(p); err != nil {
			return
		}
	}
}

// read returns the next frame's opcode and payload.
func (s *rawSocket) read() (byte, string, error) {
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
	payload := make([]byte, n)
	_, err := io.ReadFull(s.r, payload)
	return head[0] & 0x0f, string(payload), err
}

// await skips to a text that contains a part.
func (s *rawSocket) await(part string) {
	s.t.Helper()
	for {
		op, payload, err := s.read()
		require.NoError(s.t, err, "before %s", part)
		if op == opText && strings.Contains(payload, part) {
			return
		}
	}
}

// closeCode skips to the close frame and answers it. 1005 is one without a code, 0 a connection that ends without a close frame.
func (s *rawSocket) closeCode() int {
	for {
		op, payload, err := s.read()
		if err != nil {
			return 0
		}
		if op != opClose {
			continue
		}
		s.put(frame(fin|opClose, payload))
		if payload == "" {
			return 1005
		}
		return int(binary.BigEndian.Uint16([]byte(payload)))
	}
}

// gone waits until the connection is closed by the gateway.
func (s *rawSocket) gone() {
	s.t.Helper()
	_, err := io.Copy(io.Discard, s.r)
	if err != nil {
		require.NotErrorIs(s.t, err, os.ErrDeadlineExceeded)
	}
}

// upgradeHeaders are those of a handshake that is in order.
func upgradeHeaders() http.Header {
	return http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
}
