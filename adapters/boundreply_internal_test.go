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
