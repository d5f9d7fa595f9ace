package operations_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

// What connect_to_room shows of members is what they registered with, also after their options have changed.
func TestParticipantsShowWhatWasRegistered(t *testing.T) {
	w := newWorld(t)
	ada := w.known(t, "ada", "olga", "claude-code", `{}`)
	idle, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "idle", Handle: "idle", Model: core.ModelAlwaysOn,
		Profile: json.RawMessage(`{"connection_model":"always_on","task_protocol":{"can_delegate":true,"can_accept":false}}`),
	}})
	require.NoError(t, err)
	bare, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "Ann", Handle: "ann"}})
	require.NoError(t, err)
	w.must(t, operations.Caller{Agent: ada.ID}, "update_agent_detail", `{"agent_id":"`+ada.ID+`","options":{"auto_session":true}}`)

	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","idle","ann"]}`)
	var out struct {
		Participants []struct {
			Name        string
			AgentType   *string `json:"agent_type"`
			CanDelegate bool    `json:"can_delegate"`
			CanAccept   bool    `json:"can_accept"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(w.must(t, w.connect(t, ada), "connect_to_room", `{"room_id":"`+room+`"}`)), &out))
	require.Len(t, out.Participants, 3)
	session, alwaysOn := core.ModelSession, core.ModelAlwaysOn
	for _, p := range out.Participants {
		switch p.Name {
		case ada.Handle:
			require.Equal(t, &session, p.AgentType, "what it was at registration")
			require.True(t, p.CanDelegate && p.CanAccept)
		case idle.Agent.Handle:
			require.Equal(t, &alwaysOn, p.AgentType)
			require.True(t, p.CanDelegate)
			require.False(t, p.CanAccept, "its profile says so")
		case bare.Agent.Handle:
			require.Nil(t, p.AgentType)
			require.True(t, p.CanDelegate && p.CanAccept, "it said nothing of tasks")
		}
	}
}
