package transport_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// recycling serves a stream of one frame at /stream and a word at /word, on a server with a recycler.
func recycling(t *testing.T, gone chan<- struct{}) net.Conn {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/word", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "word") })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		defer es.Close()
		if err := es.Write([]byte("data: 1\n\n")); err != nil {
			t.Error(err)
		}
		if r.URL.RawQuery == "stay" {
			<-es.Context().Done()
			close(gone)
		}
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	recycler := transport.NewRecycler(ln.Addr())
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return recycler.Context(context.Background()) },
	}
	done := make(chan error, 2)
	for _, l := range []net.Listener{ln, recycler} {
		go func() { done <- srv.Serve(l) }()
	}
	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		require.NoError(t, srv.Close())
		for range 2 {
			require.True(t, errors.Is(<-done, http.ErrServerClosed))
		}
	})
	return conn
}

func ask(t *testing.T, conn net.Conn, from *bufio.Reader, path string) string {
	t.Helper()
	_, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(from, nil)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(body)
}

func TestConnectionServesOnAfterItsStream(t *testing.T) {
	conn := recycling(t, nil)
	from := bufio.NewReader(conn)
	for range 3 {
		require.Equal(t, "data: 1\n\n", ask(t, conn, from, "/stream"))
		require.Equal(t, "word", ask(t, conn, from, "/word"))
	}
}

func TestStreamSeesItsClientGo(t *testing.T) {
	gone := make(chan struct{})
	conn := recycling(t, gone)
	_, err := io.WriteString(conn, "GET /stream?stay HTTP/1.1\r\nHost: test\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	frame := make([]byte, len("data: 1\n\n"))
	_, err = io.ReadFull(res.Body, frame)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	<-gone
}

func TestConnectionOfATalkativeListenerIsClosed(t *testing.T) {
	gone := make(chan struct{})
	conn := recycling(t, gone)
	_, err := io.WriteString(conn, "GET /stream HTTP/1.1\r\nHost: test\r\n\r\nGET /word HTTP/1.1\r\nHost: test\r\n\r\n")
	require.NoError(t, err)
	from := bufio.NewReader(conn)
	res, err := http.ReadResponse(from, nil)
	require.NoError(t, err)
	_, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	_, err = from.ReadByte()
	require.Error(t, err)
}
