package agentswitch_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

type refusingTransport struct{ opens []time.Time }

func (r *refusingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r.opens = append(r.opens, time.Now())
	return &http.Response{StatusCode: 503, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
}

// The real clock is tested in a bubble of fake time.
func TestRealClockSpreadsTheWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &refusingTransport{}
		client, err := agentswitch.NewClient(agentswitch.Options{BaseURL: "http://h", HTTPClient: &http.Client{Transport: transport}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for _, err := range client.Events(ctx, agentswitch.StreamOptions{}) { // nobody beats without a stream
			require.Error(t, err)
		}
		require.Greater(t, len(transport.opens), 20)
		step, short := time.Second, 0
		for i := 1; i < len(transport.opens)-1; i++ {
			wait := transport.opens[i].Sub(transport.opens[i-1])
			require.LessOrEqual(t, wait, step)
			if wait < step/2 {
				short++
			}
			step = min(2*step, 30*time.Second)
		}
		// The chance of no short wait among so many is one in a million.
		require.Positive(t, short)
	})
}
