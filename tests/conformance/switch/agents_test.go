package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	shapeAgent = "id string, name string, description string, icon_url string?, connector_type string, connection_model string?, tool_count int, " +
		"model_count int, owner_id string?, owner_name string?, oauth_client_id string?, created_at string, parent_agent_id string?, " +
		"known_agent_type string?, known_agent_options object?, addressing_policy object?"
	shapeAgentDetail = shapeAgent + ", agent_type string, integration_profile object, tools list, models list, rooms list, sessions list, children list"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.known(t, "claude-code", nil)
	t.Run("list", func(t *testing.T) {
		shows(t, "4.9-list_agents", "4.3-AGENT", "4.9-list_agents.filters")
		agents := list(t, a.call(t, "list_agents", nil))
		o := shape(t, find(t, agents, "id", a.id), shapeAgent)
		require.Equal(t, a.name, o["name"])
		require.Regexp(t, spacedDate, o["created_at"])
		require.Equal(t, "claude-code", o["known_agent_type"])
		names := column(t, agents, "name")
		for i := 1; i < len(names); i++ {
			require.Less(t, names[i-1], names[i])
		}
		part := unique("needle")
		b := s.known(t, "codex", object{"name": "x" + part + "-y"})
		filtered := func(args object) []any { return column(t, list(t, a.call(t, "list_agents", args)), "name") }
		require.Equal(t, anys(b.name), filtered(object{"name_contains": part + "-"}))
		require.Equal(t, anys(b.name), filtered(object{"name_contains": "NEEDLE" + part[len("needle"):] + "-"}))
		require.Equal(t, anys(b.name), filtered(object{"name_contains": part + "-", "known_agent_type": "codex"}))
		require.Empty(t, filtered(object{"name_contains": part + "-", "known_agent_type": "claude-code"}))
		require.Empty(t, filtered(object{"known_agent_type": "Codex"}))
		if owner, ok := o["owner_name"].(string); ok {
			require.Equal(t, anys(b.name), filtered(object{"name_contains": part + "-", "owner_name": owner}))
			require.Empty(t, filtered(object{"name_contains": part + "-", "owner_name": owner + "x"}))
		}
	})
	t.Run("detail", func(t *testing.T) {
		shows(t, "4.9-get_agent_detail", "4.3-AGENTDETAIL", "4.9-get_agent_detail.rooms", "4.9-get_agent_detail.sessions", "4.9-get_agent_detail.children", "4.3-dates-spaced")
		b := s.agent(t)
		child := s.known(t, "codex", object{"parent_agent_id": b.id})
		room, archived := a.withRoles(t, a, b), a.room(t, a, b)
		a.call(t, "archive_room", object{"room_id": archived})
		stream := b.within(t, room)
		stream.call(t, "assume_role", object{"role": "chair"})
		watcher := b.open(t, "scope=all")
		o := shape(t, a.call(t, "get_agent_detail", object{"agent_id": b.id}), shapeAgentDetail)
		rooms := list(t, o, "rooms")
		require.Len(t, rooms, 2)
		r := shape(t, find(t, rooms, "room_id", room), "room_id string, room_name string, archived bool, status string, room_role string?")
		require.Equal(t, "live", r["status"])
		require.Equal(t, "chair", r["room_role"])
		r = find(t, rooms, "room_id", archived)
		require.Equal(t, true, r["archived"])
		require.Nil(t, r["room_role"])
		c := shape(t, at(t, o, "children", 0), shapeAgent)
		require.Equal(t, child.id, c["id"])
		sessions := list(t, o, "sessions")
		require.Len(t, sessions, 2)
		for _, session := range sessions {
			e := shape(t, session, "room_id string?, room_name string?, lifecycle string, state string, last_seen_at string")
			require.Equal(t, "connection", e["lifecycle"])
			require.Equal(t, "live", e["state"])
			require.Regexp(t, spacedDate, e["last_seen_at"])
		}
		require.ElementsMatch(t, []any{room, nil}, column(t, sessions, "room_id"), "the watcher is in no room")
		b.beat(t, watcher.conn, 0).is(200)
		c2 := s.agent(t)
		c2.post(t, "/watch/heartbeat", nil).is(200)
		told := list(t, a.call(t, "get_agent_detail", object{"agent_id": c2.id}), "sessions")
		require.Len(t, told, 1)
		require.Equal(t, "heartbeat", at(t, told, 0, "lifecycle"))
		require.Nil(t, at(t, told, 0, "room_id"))
		a.try(t, "get_agent_detail", object{"agent_id": "none"}).refused(400)
	})
	t.Run("update", func(t *testing.T) {
		shows(t, "4.9-update_agent_detail", "6.3-agent-type-stays")
		b := s.known(t, "claude-code", object{"options": object{"repo_dir": "/one", "channels_enabled": false}})
		o := shape(t, a.call(t, "update_agent_detail", object{"agent_id": b.id, "options": object{"channels_enabled": true}}), shapeAgentDetail)
		require.Equal(t, object{"channels_enabled": true, "auto_session": false, "repo_dir": "/one", "subagent_name": nil}, o["known_agent_options"])
		require.Equal(t, "session_addressable", o["connection_model"])
		require.Equal(t, "session_addressable", at(t, o, "integration_profile", "connection_model"))
		require.Equal(t, "session_passive", o["agent_type"])
		require.Equal(t, o["known_agent_options"], b.detail(t)["known_agent_options"])
	})
	t.Run("parent", func(t *testing.T) {
		shows(t, "4.9-update_agent_detail.parent")
		b, c := s.agent(t), s.agent(t)
		set := func(more object) object {
			args := object{"agent_id": b.id}
			for k, v := range more {
				args[k] = v
			}
			return a.call(t, "update_agent_detail", args).(object)
		}
		require.Equal(t, c.id, set(object{"parent_agent_id": c.id})["parent_agent_id"])
		require.Equal(t, c.id, set(object{})["parent_agent_id"])
		require.Nil(t, set(object{"parent_agent_id": c.id, "clear_parent": true})["parent_agent_id"])
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "4.9-update_agent_detail.errors")
		b, c := s.agent(t), s.agent(t)
		a.call(t, "update_agent_detail", object{"agent_id": b.id, "parent_agent_id": c.id})
		plain := s.profiled(t, "always_on", nil)
		for _, bad := range []object{
			{"agent_id": b.id, "options": object{"auto_session": "perhaps"}},
			{"agent_id": b.id, "parent_agent_id": "no-such-agent"},
			{"agent_id": b.id, "parent_agent_id": b.id},
			{"agent_id": c.id, "parent_agent_id": b.id},
			{"agent_id": "no-such-agent", "options": object{}},
			{"agent_id": plain.id, "options": object{"auto_session": true}},
		} {
			a.try(t, "update_agent_detail", bad).refused(400)
		}
	})
	t.Run("owner", func(t *testing.T) {
		shows(t, "4.9-update_agent_detail.owner")
		outsider := s.stranger(t)
		outsider.try(t, "update_agent_detail", object{"agent_id": a.id, "options": object{"auto_session": true}}).refused(403)
		a.try(t, "update_agent_detail", object{"agent_id": outsider.id, "clear_parent": true}).refused(403)
	})
	t.Run("bridges", func(t *testing.T) {
		shows(t, "4.9-list_bridges")
		for _, bridge := range list(t, a.call(t, "list_bridges", nil)) {
			shape(t, bridge, "id string, type string, display_name string, status string, is_default bool, can_create_channels bool")
		}
	})
}
