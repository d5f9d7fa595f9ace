package switchfront_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	agentswitch "stele/switch"
)

// TestConversation lets two clients of the wire package talk: every answer must decode, every frame must be understood,
// and a stream that is lost in the middle must cost nothing.
func TestConversation(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	g := newGateway(t, setup{node: core.Options{Now: time.Now}})
	anybody, err := agentswitch.NewClient(agentswitch.Options{BaseURL: g.url + "/", HTTPClient: g.http})
	require.NoError(t, err)
	require.NoError(t, anybody.Health(ctx))
	join := func(name string) *agentswitch.Client {
		made, err := anybody.Register(ctx, g.token, agentswitch.RegisterRequest{
			AgentType: agentswitch.AgentTypeCodex, Name: name, Description: "talks",
		})
		require.NoError(t, err)
		return anybody.WithAgent(made.ID, made.APIKey)
	}
	alice, bob := join("alice"), join("bob")
	catalog, err := alice.Operations(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, catalog)
	var room agentswitch.CreateRoomAnswer
	require.NoError(t, alice.Call(ctx, agentswitch.OpCreateRoom, map[string]any{
		"name": "talk", "description": "two clients", "agent_names": []string{"alice", "bob"},
		"roles": []map[string]any{{"name": "chair", "instructions": "Keep order.", "exclusive": true}},
	}, &room))

	const messages = 60
	heard := make(chan error, 1)
	connected := make(chan struct{})
	go func() { heard <- listen(ctx, bob, room.ID, messages, connected) }()
	select {
	case <-connected:
	case <-ctx.Done():
		t.Fatal("bob's stream did not open")
	}
	stream, err := alice.Open(ctx, agentswitch.StreamOptions{ConnectionID: "conn-alice"})
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	alice = alice.WithConnection(stream.ConnectionID())
	entered, err := alice.ConnectToRoom(ctx, room.ID)
	require.NoError(t, err)
	require.Equal(t, alice.AgentID(), entered.AgentID)
	require.Len(t, entered.Participants, 2)
	require.Equal(t, "chair", entered.Roles[0].Name)
	for i := range messages {
		_, err := alice.PostMessage(ctx, fmt.Sprint(i), "")
		require.NoError(t, err)
	}
	require.NoError(t, <-heard)

	history, err := alice.ReadContext(ctx, agentswitch.ContextQuery{Limit: 10})
	require.NoError(t, err)
	require.Len(t, history.Threads, 10)
	require.True(t, history.Truncated)
	require.Equal(t, "59", history.Threads[9].Root.Body)
	people, err := alice.ListParticipants(ctx)
	require.NoError(t, err)
	require.Len(t, people, 2)
}

// listen receives messages and gives its stream up several times on the way.
func listen(ctx context.Context, c *agentswitch.Client, room string, messages int, connected chan<- struct{}) error {
	next := 0
	var cursor *uint64
	for next < messages {
		opts := agentswitch.StreamOptions{ConnectionID: "conn-bob", Rooms: []string{room}, After: cursor}
		for frame, err := range c.Events(ctx, opts) {
			if err != nil {
				return err
			}
			switch f := frame.(type) {
			case agentswitch.ConnectionState:
				if connected != nil {
					close(connected)
					connected = nil
				}
			case agentswitch.Gap, agentswitch.Evicted:
				return fmt.Errorf("unexpected %T: %+v", f, f)
			case agentswitch.Event:
				m, ok := f.Payload.(agentswitch.Message)
				if !ok || m.Body != fmt.Sprint(next) {
					return fmt.Errorf("message %d is %+v", next, f)
				}
				next++
				cursor = &f.Sequence
			}
			if _, message := frame.(agentswitch.Event); message && next%20 == 0 {
				break
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
