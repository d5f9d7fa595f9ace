package switchfront_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// doors are the two ways in which streams are written: the server writes them, or they take their connection over, as they
// do in the program. Clients must not see the difference.
var doors = map[string]func(*gateway) string{
	"written by the server": func(g *gateway) string { return g.door(false) },
	"taken over":            func(g *gateway) string { return g.door(true) },
}

// door serves the gateway's front on one more address, straight from the front to the socket.
func (g *gateway) door(takeOver bool) (address string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(g.t, err)
	// A recycler is waited for when no handler runs any more, and closing the server waits for none.
	var handling sync.RWMutex
	closed := false
	srv := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handling.RLock()
		defer handling.RUnlock()
		if !closed {
			g.front.Handler().ServeHTTP(w, r)
		}
	})}
	recycler := transport.NewRecycler(ln.Addr())
	if takeOver {
		srv.BaseContext = func(net.Listener) context.Context { return recycler.Context(context.Background()) }
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(ln) })
	serving.Go(func() { _ = srv.Serve(recycler) })
	g.t.Cleanup(func() {
		g.front.Drain()
		require.NoError(g.t, srv.Close())
		serving.Wait()
		handling.Lock()
		closed = true
		handling.Unlock()
		recycler.Wait()
	})
	return ln.Addr().String()
}

// socket is a TCP connection of a client that writes its requests and reads the answers byte by byte.
type socket struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
	// host is what the client calls the gateway.
	host string
	// left is what was decoded of a chunked body and not read yet; over: the body has ended.
	left string
	over bool
}

func dial(t testing.TB, address string) *socket {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &socket{t: t, conn: conn, r: bufio.NewReader(conn), host: address}
}

// fetch is a request with the headers that the reference client's HTTP library adds, in its order.
func (s *socket) fetch(method, path, key, body string, headers ...string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("%s %s HTTP/1.1", method, path)
	line("host: %s", s.host)
	line("connection: keep-alive")
	line("authorization: Bearer %s", key)
	accepts := false
	for _, h := range headers {
		line("%s", h)
		accepts = accepts || strings.HasPrefix(strings.ToLower(h), "accept: ")
	}
	if !accepts {
		line("accept: */*")
	}
	line("accept-language: *")
	line("sec-fetch-mode: cors")
	line("user-agent: node")
	line("accept-encoding: gzip, deflate")
	if method != http.MethodGet {
		line("content-length: %d", len(body))
	}
	line("")
	return b.String() + body
}

func (s *socket) send(request string) {
	s.t.Helper()
	_, err := io.WriteString(s.conn, request)
	require.NoError(s.t, err)
}

// head reads the head of an answer, with the empty line that ends it.
func (s *socket) head() string {
	s.t.Helper()
	head, err := s.tryHead()
	require.NoError(s.t, err)
	return head
}

func (s *socket) tryHead() (string, error) {
	s.left, s.over = "", false
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	var b strings.Builder
	for {
		line, err := s.r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String(), err
		}
	}
}

// header finds a header in the head of an answer.
func header(head, name string) string {
	for line := range strings.SplitSeq(head, "\r\n") {
		if n, value, ok := strings.Cut(line, ": "); ok && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

func status(head string) int {
	var code int
	_, _ = fmt.Sscanf(head, "HTTP/1.1 %d ", &code)
	return code
}

// body reads a body whose length the head told.
func (s *socket) body(head string) string {
	s.t.Helper()
	n, err := strconv.Atoi(header(head, "Content-Length"))
	require.NoError(s.t, err, head)
	b := make([]byte, n)
	_, err = io.ReadFull(s.r, b)
	require.NoError(s.t, err)
	return string(b)
}

// ask sends a request and reads the whole answer.
func (s *socket) ask(request string) (head, body string) {
	s.t.Helper()
	s.send(request)
	head = s.head()
	return head, s.body(head)
}

var chunkSize = regexp.MustCompile(`\A[1-9a-f][0-9a-f]*\r\n\z`)

// chunk reads one chunk of a chunked body (RFC 9112, section 7.1). Its framing is the only place in a stream with a CR.
func (s *socket) chunk() (string, error) {
	size, err := s.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	if size == "0\r\n" {
		if end, err := s.r.ReadString('\n'); err != nil || end != "\r\n" {
			return "", fmt.Errorf("end of the body is %q: %w", end, errors.Join(err, io.ErrUnexpectedEOF))
		}
		s.over = true
		return "", nil
	}
	if !chunkSize.MatchString(size) {
		return "", fmt.Errorf("size of a chunk is %q", size)
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(size, "\r\n"), 16, 32)
	if err != nil {
		return "", err
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(s.r, b); err != nil {
		return "", err
	}
	if string(b[n:]) != "\r\n" {
		return "", fmt.Errorf("chunk ends with %q", b[n:])
	}
	return string(b[:n]), nil
}

// eventForm is every frame that there is: an event, a control frame, a keepalive. A line has one space after its name and
// ends with LF alone.
var eventForm = regexp.MustCompile(`\A(id: [1-9][0-9]*\nevent: [a-z_]+\ndata: \{[^\r\n]*\}\n\n|` +
	`event: (connection_state|subscription_changed|evicted|gap)\ndata: \{[^\r\n]*\}\n\n|: keepalive\n\n)\z`)

// frame reads the next frame of a stream. At the end of the body it is "".
func (s *socket) frame() (string, error) {
	for {
		if frame, rest, ok := strings.Cut(s.left, "\n\n"); ok {
			s.left = rest
			frame += "\n\n"
			if !eventForm.MatchString(frame) {
				return frame, fmt.Errorf("no frame of the protocol: %q", frame)
			}
			return frame, nil
		}
		if s.over {
			if s.left != "" {
				return "", fmt.Errorf("body ends within a frame: %q", s.left)
			}
			return "", nil
		}
		more, err := s.chunk()
		if err != nil {
			return "", err
		}
		s.left += more
	}
}

// next reads a frame that must come.
func (s *socket) next() string {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	frame, err := s.frame()
	require.NoError(s.t, err)
	require.NotEmpty(s.t, frame, "the stream ended")
	return frame
}

// await waits until more of the stream has come, and leaves it unread.
func (s *socket) await() {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	if s.left == "" {
		_, err := s.r.Peek(1)
		require.NoError(s.t, err)
	}
}

// ended makes sure that the body ends in order, with nothing before its end.
func (s *socket) ended() {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	frame, err := s.frame()
	require.NoError(s.t, err)
	require.Empty(s.t, frame)
}

// hangUp closes the socket as a client does that aborts: nothing that comes is read any more.
func (s *socket) hangUp() { _ = s.conn.Close() }
