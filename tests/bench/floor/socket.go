package floor

import (
	"bufio"
	"context"
	"net"
	"net/http"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"
)

// socket streams what is published over WebSocket, one text message per body. The library flushes after each message, so
// a connection below it gathers what one round writes.
func (s *Server) socket(c echo.Context) error {
	h := &hijacker{ResponseWriter: c.Response()}
	conn, err := websocket.Accept(h, c.Request(), &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil
	}
	defer func() { _ = conn.CloseNow() }()
	wake, cursor, cancel := s.texts.subscribe()
	defer cancel()
	gone := conn.CloseRead(c.Request().Context())
	var frames [][]byte
	for {
		frames, cursor = s.texts.after(cursor, frames[:0])
		h.gathered.hold()
		for _, f := range frames {
			if err := conn.Write(context.Background(), websocket.MessageText, f); err != nil {
				return nil
			}
		}
		if err := h.gathered.flush(); err != nil {
			return nil
		}
		select {
		case <-wake:
		case <-gone.Done():
			return nil
		}
	}
}

// hijacker puts a gathering connection below the library.
type hijacker struct {
	http.ResponseWriter
	gathered *gathered
}

// Hijack implements [http.Hijacker].
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.gathered = &gathered{Conn: conn}
	return h.gathered, bufio.NewReadWriter(rw.Reader, bufio.NewWriterSize(h.gathered, 256)), nil
}

// gathered keeps what is written between hold and flush. Only the goroutine that streams writes: no client pings here.
type gathered struct {
	net.Conn
	held bool
	buf  []byte
}

func (g *gathered) Write(p []byte) (int, error) {
	if !g.held {
		return g.Conn.Write(p)
	}
	g.buf = append(g.buf, p...)
	return len(p), nil
}

func (g *gathered) hold() { g.held = true }

func (g *gathered) flush() error {
	g.held = false
	_, err := g.Conn.Write(g.buf)
	g.buf = g.buf[:0]
	return err
}
