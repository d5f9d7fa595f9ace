package conformance

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// detail is what get_agent_detail says about the agent.
func (a *agent) detail(t *testing.T) object {
	t.Helper()
	return a.call(t, "get_agent_detail", object{"agent_id": a.id}).(object)
}

func TestOverwrite(t *testing.T) {
	t.Parallel()
	s := shared(t)
	parent, b := s.agent(t), s.agent(t)
	a := s.known(t, "claude-code", object{"icon_url": "https://example.org/i.png", "parent_agent_id": parent.id})
	room := b.room(t, a, b)
	before := a.detail(t)
	body := fullProfile("always_on")
	body["name"], body["overwrite"], body["tools"] = a.name, true, []any{object{"name": "dig", "description": "digs"}}
	made := s.do(t, "POST", "/agents", s.token, body).is(200).object()
	a.key = text(t, made, "api_key")
	after := a.detail(t)
	t.Run("keeps", func(t *testing.T) {
		shows(t, "6.2-overwrite-keeps")
		for _, field := range []string{"id", "name", "owner_id", "owner_name", "icon_url", "created_at"} {
			require.Equal(t, before[field], after[field], field)
		}
		require.Equal(t, anys(room), column(t, list(t, after, "rooms"), "room_id"))
		b.say(t, room, "still here?")
		require.Equal(t, "still here?", text(t, a.within(t, room).call(t, "read_context", object{"limit": 1}), "threads", 0, "root", "body"))
		again := s.known(t, "codex", object{"name": a.name, "overwrite": true, "icon_url": "https://example.org/j.png"})
		a.key = again.key
		require.Equal(t, "https://example.org/j.png", a.detail(t)["icon_url"])
	})
	t.Run("replaces", func(t *testing.T) {
		shows(t, "6.2-overwrite-replaces")
		require.Equal(t, "claude-code", before["known_agent_type"])
		require.Equal(t, parent.id, before["parent_agent_id"])
		require.Equal(t, "has a profile", after["description"])
		require.Equal(t, "Test Connector", after["connector_type"])
		require.Equal(t, "always_on", after["connection_model"])
		require.Equal(t, "always_on", after["agent_type"])
		require.Nil(t, after["known_agent_type"])
		require.Nil(t, after["known_agent_options"])
		require.Equal(t, []any{object{"name": "dig", "description": "digs"}}, after["tools"])
		require.Nil(t, after["parent_agent_id"])
	})
}

func TestKnownAgentTypes(t *testing.T) {
	t.Parallel()
	s := shared(t)
	withOptions := func(t *testing.T, kind string, options object) object {
		more := object{}
		if options != nil {
			more["options"] = options
		}
		return s.known(t, kind, more).detail(t)
	}
	t.Run("claude-code", func(t *testing.T) {
		shows(t, "6.3-claude-code")
		d := withOptions(t, "claude-code", nil)
		require.Equal(t, "Claude Code", d["connector_type"])
		require.Equal(t, "claude-code", d["known_agent_type"])
		require.Equal(t, object{"channels_enabled": true, "auto_session": false, "repo_dir": nil, "subagent_name": nil}, d["known_agent_options"])
		d = withOptions(t, "claude-code", object{"channels_enabled": false, "auto_session": true, "repo_dir": "/r", "subagent_name": "s"})
		require.Equal(t, object{"channels_enabled": false, "auto_session": true, "repo_dir": "/r", "subagent_name": "s"}, d["known_agent_options"])
	})
	t.Run("claude-code model", func(t *testing.T) {
		shows(t, "6.3-claude-code-model")
		require.Equal(t, "session_addressable", withOptions(t, "claude-code", object{})["connection_model"])
		require.Equal(t, "session_passive", withOptions(t, "claude-code", object{"channels_enabled": false})["connection_model"])
		require.Equal(t, "auto_session", withOptions(t, "claude-code", object{"auto_session": true, "channels_enabled": false})["connection_model"])
	})
	for kind, connector := range map[string]string{"codex": "Codex CLI", "opencode": "OpenCode CLI"} {
		t.Run(kind, func(t *testing.T) {
			shows(t, "6.3-"+kind)
			d := withOptions(t, kind, nil)
			require.Equal(t, connector, d["connector_type"])
			require.Equal(t, "session_addressable", d["connection_model"])
			require.Equal(t, object{"auto_session": false, "repo_dir": nil}, d["known_agent_options"])
			d = withOptions(t, kind, object{"auto_session": true, "repo_dir": "/r"})
			require.Equal(t, "auto_session", d["connection_model"])
			require.Equal(t, object{"auto_session": true, "repo_dir": "/r"}, d["known_agent_options"])
		})
	}
	t.Run("options", func(t *testing.T) {
		shows(t, "6.3-options-unknown", "6.3-options-empty")
		d := withOptions(t, "claude-code", object{"unknown": object{"x": 1}, "repo_dir": "", "subagent_name": ""})
		require.Equal(t, object{"channels_enabled": true, "auto_session": false, "repo_dir": nil, "subagent_name": nil}, d["known_agent_options"])
		require.Equal(t, object{"auto_session": false, "repo_dir": nil},
			withOptions(t, "codex", object{"repo_dir": "", "channels_enabled": false})["known_agent_options"])
	})
	t.Run("profile", func(t *testing.T) {
		shows(t, "6.3-profile", "6.3-profile-mediation")
		for _, kind := range []string{"claude-code", "codex", "opencode"} {
			mediated := []any{}
			if kind == "claude-code" {
				mediated = anys("tool_calls")
			}
			require.Equal(t, object{
				"connection_model": "session_addressable", "message_exchange": true,
				"pre_invocation_mediation": mediated, "post_invocation_mediation": []any{}, "event_reporting": mediated,
				"task_protocol": object{"can_delegate": true, "can_accept": true},
				"command_capabilities": object{
					"reset": "session_dependent", "compact": "session_dependent", "interrupt": "session_dependent",
				},
			}, withOptions(t, kind, nil)["integration_profile"], kind)
		}
	})
	for kind, tools := range map[string]string{
		"claude-code": "Bash Edit Write Read Glob Grep NotebookEdit Agent WebFetch WebSearch Monitor Skill",
		"codex":       "Shell ApplyPatch Read",
		"opencode":    "Bash Edit Write Read Grep Glob List WebFetch Task",
	} {
		t.Run("tools of "+kind, func(t *testing.T) {
			shows(t, "6.3-tools-"+kind)
			d := withOptions(t, kind, nil)
			want := strings.Fields(tools)
			require.Equal(t, anys(want...), column(t, list(t, d, "tools"), "name"))
			require.Equal(t, float64(len(want)), d["tool_count"])
		})
	}
	t.Run("agent_type", func(t *testing.T) {
		shows(t, "6.3-agent-type", "6.3-agent-type-stays")
		a := s.known(t, "claude-code", object{"options": object{"channels_enabled": false}})
		d := a.detail(t)
		require.Equal(t, "session_passive", d["agent_type"])
		require.Equal(t, "claude-code", d["known_agent_type"])
		d = a.call(t, "update_agent_detail", object{"agent_id": a.id, "options": object{"channels_enabled": true}}).(object)
		require.Equal(t, "session_addressable", d["connection_model"])
		require.Equal(t, "session_addressable", at(t, d, "integration_profile", "connection_model"))
		require.Equal(t, "session_passive", d["agent_type"])
		entered := a.open(t).call(t, "connect_to_room", object{"room_id": a.room(t, a)})
		require.Equal(t, "session_passive", at(t, entered, "participants", 0, "agent_type"))
	})
}

// TestSecretsAtRest: what opens doors is nowhere in the data folder.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	s := own(t)
	shows(t, "6.1-hashed", "6.1-opaque", "0.1-port")
	a := s.agent(t)
	a.room(t, a)
	a.open(t).close()
	require.NoError(t, s.proc.Stop())
	s.proc = nil
	read := 0
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		read += len(data)
		for _, secret := range []string{a.key, s.token} {
			require.NotContains(t, string(data), secret, path)
			require.NotContains(t, string(data), hex.EncodeToString([]byte(secret)), path)
		}
		return err
	}))
	require.NotZero(t, read)
}
