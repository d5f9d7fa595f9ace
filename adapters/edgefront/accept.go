package edgefront

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// accept upgrades a request whose handshake was checked. The library answers by itself when that fails.
func (f *Front) accept(w http.ResponseWriter, r *http.Request) (*websocket.Conn, *gatherConn, error) {
	h := &hijacker{ResponseWriter: w, front: f}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		Subprotocols: firstOffered(r.Header),
		// The origin was checked, with an answer in the protocol's shape.
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, nil, err
	}
	// The session counts bytes itself, to close with a reason from its own table.
	conn.SetReadLimit(-1)
	return conn, h.conn, nil
}

// hijacker puts a gathering connection between the library and the network.
type hijacker struct {
	http.ResponseWriter
	front *Front
	conn  *gatherConn
}

// Hijack implements [http.Hijacker].
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = newGatherConn(c, h.front.opts.ProgressTimeout, &h.front.buffers)
	// The library keeps the two for the life of the socket; they need not be as large as the server makes them.
	reader, err := readerBehind(rw.Reader, h.conn)
	if err != nil {
		_ = c.Close()
		return nil, nil, err
	}
	return h.conn, bufio.NewReadWriter(reader, bufio.NewWriterSize(h.conn, writeBuffer)), nil
}

// readerBehind is a reader that holds what the server has read ahead, as the library expects to find it, and goes on with
// the connection.
func readerBehind(server *bufio.Reader, conn net.Conn) (*bufio.Reader, error) {
	ahead, err := server.Peek(server.Buffered())
	if err != nil {
		return nil, fmt.Errorf("read ahead: %w", err)
	}
	reader := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(ahead), conn), max(readBuffer, len(ahead)))
	if _, err := reader.Peek(len(ahead)); err != nil {
		return nil, fmt.Errorf("read ahead: %w", err)
	}
	return reader, nil
}

// readBuffer is for the frames that come together, in bytes; larger payloads are read past it.
const readBuffer = 256

// writeBuffer holds a control frame, in bytes; larger payloads go to the gathering connection past it.
const writeBuffer = 256

// firstOffered is the subprotocol to echo (docs, Connection Lifecycle & Limits).
func firstOffered(h http.Header) []string {
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for offer := range strings.SplitSeq(line, ",") {
			if offer = strings.TrimSpace(offer); offer != "" {
				return []string{offer}
			}
		}
	}
	return nil
}
