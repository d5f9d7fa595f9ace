package transport_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// serve runs handler for one client and returns the raw connection to it, the request already sent.
func serve(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
	require.NoError(t, err)
	return conn
}

func response(t *testing.T, conn net.Conn) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestEventStreamFlushesHeadersAndEachWrite(t *testing.T) {
	next := make(chan string)
	conn := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		defer es.Close()
		for frame := range next {
			if err := es.Write([]byte(frame)); err != nil {
				t.Error(err)
			}
		}
	})
	res := response(t, conn)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	large := "data: " + strings.Repeat("x", 100<<10) + "\n\n"
	for _, frame := range []string{"data: 1\n\n", "data: 2\n\ndata: 3\n\n", large} {
		next <- frame
		got := make([]byte, len(frame))
		_, err := io.ReadFull(res.Body, got)
		require.NoError(t, err)
		require.Equal(t, frame, string(got))
	}
	close(next)
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Empty(t, rest)
}

func TestEventStreamKeepsAliveInSilenceOnly(t *testing.T) {
	conn := serve(t, func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{KeepAlive: time.Millisecond, Comment: "still here"})
		if err != nil {
			t.Error(err)
			return
		}
		defer es.Close()
		for range 2 {
			<-es.Idle()
			if err := es.KeepAlive(); err != nil {
				t.Error(err)
			}
		}
		select {
		case <-es.Idle():
		case <-r.Context().Done():
			t.Error("a write must begin the silence anew")
		}
	})
	body, err := io.ReadAll(response(t, conn).Body)
	require.NoError(t, err)
	require.Equal(t, ": still here\n\n: still here\n\n", string(body))
}

// TestEventStreamLosesAClientThatReadsNothing: the write of a stream ends in time although the client keeps its
// connection open, and what had been written is no more than the buffers between hold.
func TestEventStreamLosesAClientThatReadsNothing(t *testing.T) {
	failed := make(chan error, 1)
	serve(t, func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{ProgressTimeout: 50 * time.Millisecond})
		if err != nil {
			failed <- err
			return
		}
		defer es.Close()
		frame := []byte("data: " + strings.Repeat("x", 1<<20) + "\n\n")
		for {
			if err := es.Write(frame); err != nil {
				failed <- err
				return
			}
		}
	})
	select {
	case err := <-failed:
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	case <-time.After(30 * time.Second):
		t.Fatal("the write did not end")
	}
}

// TestEventStreamEndsInOrderAfterItsDeadline: a deadline that passed while the stream was idle must not turn its end
// into a broken connection.
func TestEventStreamEndsInOrderAfterItsDeadline(t *testing.T) {
	conn := serve(t, func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{
			ProgressTimeout: 300 * time.Millisecond, KeepAlive: time.Second,
		})
		if err != nil {
			t.Error(err)
			return
		}
		defer es.Close()
		if err := es.Write([]byte("data: 1\n\n")); err != nil {
			t.Error(err)
		}
		<-es.Idle()
	})
	body, err := io.ReadAll(response(t, conn).Body)
	require.NoError(t, err)
	require.Equal(t, "data: 1\n\n", string(body))
}

// bare can neither flush nor set deadlines.
type bare struct{ http.ResponseWriter }

func TestEventStreamNeedsAFlusher(t *testing.T) {
	_, err := transport.NewEventStream(bare{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil), transport.EventStreamOptions{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	recorder := httptest.NewRecorder()
	es, err := transport.NewEventStream(recorder, httptest.NewRequest(http.MethodGet, "/", nil), transport.EventStreamOptions{})
	require.NoError(t, err)
	require.NoError(t, es.KeepAlive())
	es.Close()
	require.Equal(t, ": keepalive\n\n", recorder.Body.String())
}

func TestBuffersForgetsLargeOnes(t *testing.T) {
	var pool transport.Buffers
	b := pool.Get()
	*b = append(*b, "left over"...)
	pool.Put(b)
	for range 10 {
		require.Empty(t, *pool.Get())
	}
	large := make([]byte, 0, 1<<20)
	pool.Put(&large)
	for range 10 {
		require.Less(t, cap(*pool.Get()), 1<<20)
	}
}
