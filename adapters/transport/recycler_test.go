package transport_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
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
	_, addr := serveRecycling(t, mux)
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// serveRecycling serves a handler on a server with a recycler.
func serveRecycling(t *testing.T, handler http.Handler) (recycler *transport.Recycler, addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	recycler = transport.NewRecycler(ln.Addr())
	var handlers sync.WaitGroup
	counted := func(w http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		handler.ServeHTTP(w, r)
	}
	srv := &http.Server{
		Handler: http.HandlerFunc(counted), ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return recycler.Context(context.Background()) },
	}
	done := make(chan error, 2)
	for _, l := range []net.Listener{ln, recycler} {
		go func() { done <- srv.Serve(l) }()
	}
	t.Cleanup(func() {
		require.NoError(t, srv.Close())
		for range 2 {
			require.True(t, errors.Is(<-done, http.ErrServerClosed))
		}
		handlers.Wait()
		recycler.Wait()
	})
	return recycler, ln.Addr().String()
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
