package adapters

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRepliesHaveTimeOfTheirOwn: neither what a handler waits for before it answers costs the client anything, nor what the
// answer before it left on the connection.
func TestRepliesHaveTimeOfTheirOwn(t *testing.T) {
	const timeout = time.Second
	body := bytes.Repeat([]byte("x"), 3*replyPiece/2)
	var peers []string
	srv := httptest.NewServer(boundReply(timeout, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peers = append(peers, r.RemoteAddr)
		wait := time.NewTimer(timeout + timeout/10)
		defer wait.Stop()
		<-wait.C
		_, _ = w.Write(body)
	})))
	defer srv.Close()
	for range 2 {
		resp, err := srv.Client().Get(srv.URL)
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, body, got)
	}
	require.Len(t, peers, 2)
	require.Equal(t, peers[0], peers[1], "both went over one connection")
}

// TestSmallWritesGetNewTimeToo: an answer in many small writes has as much time as one in a single write.
func TestSmallWritesGetNewTimeToo(t *testing.T) {
	const pieces = 5
	for _, size := range []int{replyPiece / 4, replyPiece, pieces * replyPiece} {
		w := &timedRecorder{ResponseRecorder: httptest.NewRecorder()}
		boundReply(time.Minute, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range pieces * replyPiece / size {
				n, err := w.Write(make([]byte, size))
				require.NoError(t, err)
				require.Equal(t, size, n)
			}
		})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		require.Equal(t, pieces, w.renewed, "writes of %d bytes", size)
		require.Equal(t, pieces*replyPiece, w.Body.Len())
	}
	w := &timedRecorder{ResponseRecorder: httptest.NewRecorder()}
	boundReply(time.Minute, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, err := w.Write(nil)
		require.NoError(t, err)
	})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, 1, w.renewed)
	require.Equal(t, http.StatusAccepted, w.Code)
}

// timedRecorder counts how often the time of an answer was moved.
type timedRecorder struct {
	*httptest.ResponseRecorder
	renewed int
}

func (r *timedRecorder) SetWriteDeadline(time.Time) error {
	r.renewed++
	return nil
}
