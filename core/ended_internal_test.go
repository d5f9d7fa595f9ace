package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingIsOpenedForAnAgentThatEnded: whoever was let in before the agent was deleted, on whatever node, is refused when
// its command is decided.
func TestNothingIsOpenedForAnAgentThatEnded(t *testing.T) {
	ended := &AgentState{}
	ended.Apply(&Recorded{Event: Event{Payload: &AgentEndedEvent{}}})
	for name, decide := range map[string]func(*AgentState, Env) error{
		"connection": func(a *AgentState, e Env) error { _, _, err := (openConnection{id: "c"}).decide(a, e); return err },
		"session":    func(a *AgentState, e Env) error { _, _, err := (openSession{}).decide(a, e); return err },
		"room token": func(a *AgentState, e Env) error { _, _, err := (mintRoomToken{}).decide(a, e); return err },
		"ack": func(a *AgentState, e Env) error {
			_, _, err := (AckContext{Room: "r", Turn: 1}).decide(a, e)
			return err
		},
		"poller": func(a *AgentState, e Env) error { _, _, err := (movePoller{name: "p", to: 1}).decide(a, e); return err },
		"report": func(a *AgentState, e Env) error {
			_, _, err := (ReportRuntime{Room: "r", State: "idle"}).decide(a, e)
			return err
		},
	} {
		require.NoError(t, decide(&AgentState{}, Env{}), name)
		require.ErrorIs(t, decide(ended, Env{}), ErrNoAgent, name)
	}
}
