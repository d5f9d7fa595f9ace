package operations_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

// known registers an agent of a known type as its door does.
func (w *world) known(t *testing.T, handle, owner, knownType, options string) core.Agent {
	t.Helper()
	var given map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(options), &given))
	made, err := operations.RebuildKnown(knownType, given)
	require.NoError(t, err)
	r, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: handle, Handle: handle, Owner: owner, KnownType: knownType, Options: made.Options,
		Model: made.Profile.Model, Profile: made.Profile.JSON,
	}})
	require.NoError(t, err)
	return r.Agent
}

func TestUpdateAgentDetail(t *testing.T) {
	w := newWorld(t)
	ada := w.known(t, "ada", "olga", "claude-code", `{"repo_dir":"/r"}`)
	cox := w.known(t, "cox", "olga", "codex", `{}`)
	c := operations.Caller{Agent: ada.ID}
	update := func(c operations.Caller, args string) operations.AgentDetail {
		var out operations.AgentDetail
		require.NoError(t, json.Unmarshal([]byte(w.wire(t, c, "update_agent_detail", args)), &out))
		return out
	}
	got := update(c, `{"agent_id":"`+ada.ID+`","options":{"channels_enabled":false,"subagent_name":"s","nobody":1}}`)
	require.Equal(t, `{"channels_enabled":false,"auto_session":false,"repo_dir":"/r","subagent_name":"s"}`, string(*got.KnownAgentOptions))
	require.Equal(t, core.ModelPassive, *got.ConnectionModel)
	require.Equal(t, core.ModelSession, got.AgentType, "what it was at registration")
	require.JSONEq(t, `{"connection_model":"session_passive","message_exchange":true,
		"pre_invocation_mediation":["tool_calls"],"post_invocation_mediation":[],"event_reporting":["tool_calls"],
		"task_protocol":{"can_delegate":true,"can_accept":true},
		"command_capabilities":{"reset":"session_dependent","compact":"session_dependent","interrupt":"session_dependent"}}`,
		string(got.IntegrationProfile))

	got = update(c, `{"agent_id":"`+ada.ID+`","options":{"repo_dir":"","subagent_name":null}}`)
	require.Equal(t, `{"channels_enabled":false,"auto_session":false,"repo_dir":null,"subagent_name":null}`, string(*got.KnownAgentOptions))

	got = update(c, `{"agent_id":"`+cox.ID+`","options":{"auto_session":true,"channels_enabled":false},"parent_agent_id":"`+ada.ID+`"}`)
	require.Equal(t, `{"auto_session":true,"repo_dir":null}`, string(*got.KnownAgentOptions), "codex has no channels")
	require.Equal(t, core.ModelAutoStart, *got.ConnectionModel)
	require.Equal(t, ada.ID, *got.ParentAgentID)
	require.JSONEq(t, `{"pre_invocation_mediation":[],"event_reporting":[]}`, only(t, got.IntegrationProfile, "pre_invocation_mediation", "event_reporting"))
	got = update(c, `{"agent_id":"`+cox.ID+`","parent_agent_id":"`+cox.ID+`","clear_parent":true}`)
	require.Nil(t, got.ParentAgentID, "clear_parent beats parent_agent_id")
	require.Equal(t, core.ModelAutoStart, *got.ConnectionModel, "what was not named stays")
}

func only(t *testing.T, object json.RawMessage, names ...string) string {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &all))
	some := map[string]json.RawMessage{}
	for _, n := range names {
		some[n] = all[n]
	}
	b, err := json.Marshal(some)
	require.NoError(t, err)
	return string(b)
}

func TestUpdateAgentDetailRefuses(t *testing.T) {
	w := newWorld(t)
	ada, sub := w.known(t, "ada", "olga", "claude-code", `{}`), w.known(t, "sub", "olga", "opencode", `{}`)
	plain := w.known(t, "otto", "otto", "codex", `{}`)
	nobody := w.agent(t, "nobody")
	c := operations.Caller{Agent: ada.ID}
	w.wire(t, c, "update_agent_detail", `{"agent_id":"`+sub.ID+`","parent_agent_id":"`+ada.ID+`"}`)
	unknown, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "u", Handle: "u", Owner: "olga"}})
	require.NoError(t, err)
	before := w.n.Applied()
	for name, tc := range map[string]struct {
		caller  core.Agent
		args    string
		is      error
		invalid string
	}{
		"unknown agent":    {ada, `{"agent_id":"agt_none","options":{}}`, core.ErrNoAgent, ""},
		"another owner":    {plain, `{"agent_id":"` + ada.ID + `","options":{}}`, core.ErrNotOwner, ""},
		"no owner":         {nobody, `{"agent_id":"` + nobody.ID + `","clear_parent":true}`, core.ErrNotOwner, ""},
		"wrong flag":       {ada, `{"agent_id":"` + ada.ID + `","options":{"auto_session":"perhaps"}}`, nil, "options.auto_session"},
		"null flag":        {ada, `{"agent_id":"` + ada.ID + `","options":{"channels_enabled":null}}`, nil, "options.channels_enabled"},
		"wrong path":       {ada, `{"agent_id":"` + sub.ID + `","options":{"repo_dir":5}}`, nil, "options.repo_dir"},
		"no known type":    {ada, `{"agent_id":"` + unknown.Agent.ID + `","options":{}}`, nil, "options"},
		"unknown parent":   {ada, `{"agent_id":"` + ada.ID + `","parent_agent_id":"agt_none"}`, nil, "parent_agent_id"},
		"itself":           {ada, `{"agent_id":"` + ada.ID + `","parent_agent_id":"` + ada.ID + `"}`, nil, "parent_agent_id"},
		"its child":        {ada, `{"agent_id":"` + ada.ID + `","parent_agent_id":"` + sub.ID + `"}`, nil, "parent_agent_id"},
		"another's parent": {ada, `{"agent_id":"` + ada.ID + `","parent_agent_id":"` + plain.ID + `"}`, core.ErrNotOwner, ""},
		"half of it":       {ada, `{"agent_id":"` + ada.ID + `","options":{"auto_session":true},"parent_agent_id":"agt_none"}`, nil, "parent_agent_id"},
	} {
		_, err := w.call(t, operations.Caller{Agent: tc.caller.ID}, "update_agent_detail", tc.args)
		if tc.is != nil {
			require.ErrorIs(t, err, tc.is, name)
			continue
		}
		var invalid *core.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, tc.invalid, invalid.Field, name)
	}
	require.Equal(t, before, w.n.Applied(), "a refusal changes nothing")
	_, err = operations.RebuildKnown("toaster", nil)
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
}
