package agentswitch_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

type fastClock struct{}

func (fastClock) Now() time.Time { return time.Now() }
func (fastClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d / 1000):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestAwaitAfterALongOutage: a caller that waits for the stream and takes nothing meanwhile does not keep it shut.
func TestAwaitAfterALongOutage(t *testing.T) {
	for _, failures := range []int32{20, 60} {
		var opens atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				_, _ = w.Write([]byte(`{"ok":true,"rooms":[],"cursor":0}`))
				return
			}
			if opens.Add(1) <= failures {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			w.Header().Set("Content-Type", agentswitch.ContentTypeStream)
			_, _ = w.Write(agentswitch.AppendConnectionStateFrame(nil, agentswitch.ConnectionState{}))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: srv.URL, AgentID: "a", APIKey: "k", Clock: fastClock{}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		s, err := client.Connect(ctx, agentswitch.StreamOptions{})
		require.NoError(t, err)
		require.NoError(t, s.Await(ctx), "after %d failures", failures)
		cancel()
		s.Close()
		srv.CloseClientConnections()
		srv.Close()
	}
}

// TestAwaitTellsOfADeadKey: nobody waits for ever on a server that does not accept the key.
func TestAwaitTellsOfADeadKey(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refusal := agentswitch.InvalidCredentials()
		w.WriteHeader(refusal.Status())
		_, _ = w.Write(refusal.AppendBody(nil))
	}))
	defer srv.Close()
	client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: srv.URL, AgentID: "a", APIKey: "dead", Clock: fastClock{}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := client.Connect(ctx, agentswitch.StreamOptions{})
	require.NoError(t, err)
	defer s.Close()
	require.True(t, agentswitch.IsUnauthorized(s.Await(ctx)))
}
