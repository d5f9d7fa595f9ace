package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// TestRetainedEventsAreWhatTheFlagsSay: an agent that comes back after more events than are kept is told of a gap.
func TestRetainedEventsAreWhatTheFlagsSay(t *testing.T) {
	for name, tc := range map[string]struct {
		flags []string
		gap   bool
	}{
		"few":     {[]string{"--retain-events", "5"}, true},
		"enough":  {[]string{"--retain-events", "5000"}, false},
		"by time": {[]string{"--retain-age", "1s"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := startServe(t, append([]string{"--registration-token", "let-me-in"}, tc.flags...)...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			anyone, err := agentswitch.NewClient(agentswitch.Options{BaseURL: url})
			require.NoError(t, err)
			agents := map[string]*agentswitch.Client{}
			for _, who := range []string{"ada", "bob"} {
				made, err := anyone.Register(ctx, "let-me-in", agentswitch.RegisterRequest{AgentType: "codex", Name: who, Description: "d"})
				require.NoError(t, err)
				agents[who] = anyone.WithAgent(made.ID, made.APIKey)
			}
			var room agentswitch.CreateRoomAnswer
			require.NoError(t, agents["ada"].Call(ctx, agentswitch.OpCreateRoom, map[string]any{
				"name": "ops", "description": "", "agent_names": []string{"ada", "bob"},
			}, &room))
			stream, err := agents["ada"].Open(ctx, agentswitch.StreamOptions{ConnectionID: "ada", Rooms: []string{room.ID}})
			require.NoError(t, err)
			defer func() { require.NoError(t, stream.Close()) }()
			ada := agents["ada"].WithConnection("ada")
			for i := range 50 {
				_, err := ada.PostMessage(ctx, fmt.Sprint(i), "")
				require.NoError(t, err)
			}
			require.Eventually(t, func() bool { return startsWithGap(ctx, t, agents["bob"], room.ID) == tc.gap }, time.Minute, 100*time.Millisecond)
		})
	}
}

// startsWithGap opens a stream from the beginning and tells whether a gap comes before the first event.
func startsWithGap(ctx context.Context, t *testing.T, c *agentswitch.Client, room string) bool {
	t.Helper()
	var start uint64
	for frame, err := range c.OpenOnce(ctx, agentswitch.StreamOptions{ConnectionID: "bob", Rooms: []string{room}, After: &start}) {
		require.NoError(t, err)
		switch frame.(type) {
		case agentswitch.Gap:
			return true
		case agentswitch.Event:
			return false
		}
	}
	return false
}
