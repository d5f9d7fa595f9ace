package floor

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

// maxBody bounds a posted body, in bytes.
const maxBody = 1 << 20

// Server is the bare fan-out. POST /post publishes its JSON body, GET /sse streams what is published from then on, and so
// does GET /ws over WebSocket.
type Server struct {
	events, texts *hub
	echo          *echo.Echo
}

// New returns a server without readers.
func New() *Server {
	s := &Server{events: newHub(sseFrame), texts: newHub(plainText), echo: echo.New()}
	s.echo.POST("/post", s.post)
	s.echo.GET("/sse", s.sse)
	s.echo.GET("/ws", s.socket)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

func (s *Server) post(c echo.Context) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, maxBody))
	if err != nil {
		return err
	}
	body = bytes.TrimSpace(body)
	s.texts.publish(body)
	id := s.events.publish(body)
	return c.JSONBlob(http.StatusOK, []byte(`{"id":`+strconv.Itoa(id)+`}`))
}

func (s *Server) sse(c echo.Context) error {
	h := c.Response().Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	c.Response().WriteHeader(http.StatusOK)
	wake, cursor, cancel := s.events.subscribe()
	defer cancel()
	rc := http.NewResponseController(c.Response())
	if err := rc.Flush(); err != nil {
		return nil
	}
	var frames [][]byte
	var buf []byte
	for {
		frames, cursor = s.events.after(cursor, frames[:0])
		buf = buf[:0]
		for _, f := range frames {
			buf = append(buf, f...)
		}
		if len(buf) > 0 {
			if _, err := c.Response().Write(buf); err != nil {
				return nil
			}
			if err := rc.Flush(); err != nil {
				return nil
			}
		}
		select {
		case <-wake:
		case <-c.Request().Context().Done():
			return nil
		}
	}
}
