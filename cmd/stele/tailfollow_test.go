package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/gatewayfront"
	"stele/adapters/scripts"
)

// cutting is a gateway whose streams break off: after whole events, within one, and with answers that are none.
func cutting(t *testing.T, count int, cuts *atomic.Int64) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer key" || !strings.HasPrefix(r.URL.Path, "/gateway/rooms/room_1/") {
			t.Errorf("asked for %s", r.URL)
		}
		n := cuts.Add(1)
		if n%3 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":{"code":"unavailable","message":"later"}}`)
			return
		}
		after, err := strconv.Atoi(r.URL.Query().Get("after"))
		if err != nil {
			t.Errorf("after: %v", err)
		}
		w.WriteHeader(http.StatusOK)
		// What was sent before comes once more, as from a gateway that resumes too early.
		for v := max(after, 1); v <= min(after+4, count); v++ {
			fmt.Fprintf(w, "id: %d\ndata: {\"version\":%d,\"frames\":{\"core\":[\"%d\\n\"]}}\n\n: keepalive\n\n", v, v, v)
		}
		if after+4 < count {
			fmt.Fprintf(w, "id: %d\ndata: {\"version\":%d,\"fra", after+5, after+5)
			return
		}
		if after == count {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestTailLosesAndRepeatsNothing(t *testing.T) {
	const count = 15
	var cuts atomic.Int64
	srv := cutting(t, count, &cuts)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []string
	var notes bytes.Buffer
	follow := &tailing{
		url: srv.URL, room: "room_1", token: "key", formats: []scripts.Script{scripts.Core}, note: &notes,
		show: func(item gatewayfront.Item) error {
			got = append(got, item.Frames[scripts.Core]...)
			if len(got) == count {
				cancel()
			}
			return nil
		},
	}
	require.ErrorIs(t, follow.run(ctx, 0), context.Canceled)
	var want []string
	for v := 1; v <= count; v++ {
		want = append(want, fmt.Sprintf("%d\n", v))
	}
	require.Equal(t, want, got)
	require.Contains(t, notes.String(), "trying again in")
	require.Contains(t, notes.String(), "later")
	require.NotContains(t, notes.String(), "key")
}

func TestTailEndsWhenItIsRefused(t *testing.T) {
	for status, want := range map[int]string{http.StatusForbidden: "the gateway refused: no", http.StatusGone: "the gateway refused: no"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"code":"x","message":"no"}}`)
		}))
		follow := &tailing{url: srv.URL, room: "room_1", formats: scripts.All(), note: io.Discard}
		require.ErrorContains(t, follow.run(t.Context(), 0), want)
		require.ErrorContains(t, follow.run(t.Context(), -1), want)
		srv.Close()
	}
}
