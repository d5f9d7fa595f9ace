package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func knownBody(more object) object {
	body := object{"agent_type": "codex", "name": unique("reg"), "description": "is registered"}
	for k, v := range more {
		if v == absent {
			delete(body, k)
			continue
		}
		body[k] = v
	}
	return body
}

// absent takes a field out of a body.
const absent = "<absent>"

func TestRegisterKnown(t *testing.T) {
	t.Parallel()
	s := shared(t)
	register := func(t *testing.T, more object) answer {
		return s.do(t, "POST", "/agents/register-known", s.token, knownBody(more))
	}
	t.Run("200", func(t *testing.T) {
		shows(t, "1.4-known-200", "1.4-known-options-default", "D10")
		for range 2 {
			made := shape(t, register(t, nil).is(200).json(), "id string, api_key string")
			a := &agent{s: s, id: text(t, made, "id"), key: text(t, made, "api_key")}
			a.get(t, "/ops").is(200)
		}
	})
	t.Run("types", func(t *testing.T) {
		shows(t, "1.4-known-types")
		for _, kind := range []string{"claude-code", "codex", "opencode"} {
			register(t, object{"agent_type": kind}).is(200)
		}
	})
	t.Run("unknown type", func(t *testing.T) {
		shows(t, "1.4-known-type-unknown")
		for _, kind := range []string{"cursor", "", "Claude-Code", "codex "} {
			require.Contains(t, register(t, object{"agent_type": kind}).refused(400), "Unknown agent type: "+kind)
		}
	})
	t.Run("names", func(t *testing.T) {
		shows(t, "1.4-known-name", "6.2-pattern", "6.2-newline")
		for _, name := range []string{"", "Ann", "-a", ".a", "_a", "a b", "a/b", "ä", "a\n", "a\x00", "@a"} {
			register(t, object{"name": name}).refused(400)
		}
		for _, name := range []string{"0", "a", "a.b-c_d", "9-9"} {
			register(t, object{"name": unique(name)}).is(200)
		}
	})
	t.Run("bad icons", func(t *testing.T) {
		shows(t, "1.4-known-icon")
		for _, icon := range []string{
			"http://example.org/a.png", "//example.org/a.png", "/a.png", "https://user:pw@example.org/a.png", "https://user@example.org/",
			"https://localhost/a.png", "https://127.0.0.1/a.png", "https://10.1.2.3/a.png", "https://192.168.0.1/a", "https://[::1]/a",
			"https://169.254.1.1/a", "https://0.0.0.0/a", "ftp://example.org/a", "https:///a.png", "data:image/png;base64,AA",
			"https://example.org/" + strings.Repeat("a", 2030), "x", "",
		} {
			register(t, object{"icon_url": icon}).refused(400)
		}
		register(t, object{"icon_url": 5}).invalid(422)
	})
	t.Run("icons", func(t *testing.T) {
		shows(t, "1.4-known-icon-ok")
		for _, icon := range []any{"https://example.org/a.png?x=1", nil, "https://example.org/" + strings.Repeat("a", 2048-20)} {
			a := s.known(t, "codex", object{"icon_url": icon})
			require.Equal(t, icon, at(t, a.call(t, "get_agent_detail", object{"agent_id": a.id}), "icon_url"))
		}
	})
	t.Run("bad options", func(t *testing.T) {
		shows(t, "1.4-known-options", "1.1-error-options")
		for _, c := range []struct {
			kind    string
			options object
			name    string
		}{
			{"claude-code", object{"channels_enabled": "perhaps"}, "channels_enabled"},
			{"claude-code", object{"repo_dir": 5}, "repo_dir"},
			{"claude-code", object{"subagent_name": []any{}}, "subagent_name"},
			{"codex", object{"auto_session": object{}}, "auto_session"},
			{"opencode", object{"auto_session": nil}, "auto_session"},
		} {
			list := register(t, object{"agent_type": c.kind, "options": c.options}).invalid(400)
			require.Len(t, list, 1)
			shape(t, list[0], "type string, loc list, msg string, input any, url string")
			require.Equal(t, anys(c.name), list[0]["loc"])
		}
		require.Len(t, register(t, object{"agent_type": "claude-code", "options": object{"auto_session": 7, "repo_dir": 7}}).invalid(400), 2)
	})
	t.Run("taken", func(t *testing.T) {
		shows(t, "1.4-known-taken", "1.4-known-overwrite", "6.2-lost-answer", "8-30")
		a := s.agent(t)
		require.Contains(t, register(t, object{"name": a.name}).refused(409), "overwrite")
		require.Contains(t, register(t, object{"name": a.name, "overwrite": false}).refused(409), "overwrite")
		a.get(t, "/ops").is(200)
		again := register(t, object{"name": a.name, "overwrite": true}).is(200).object()
		require.Equal(t, a.id, again["id"])
		require.NotEqual(t, a.key, again["api_key"])
		a.get(t, "/ops").is(401)
		(&agent{s: s, id: a.id, key: text(t, again, "api_key")}).get(t, "/ops").is(200)
		register(t, object{"overwrite": true}).is(200)
	})
	t.Run("missing", func(t *testing.T) {
		shows(t, "1.4-known-missing")
		for _, name := range []string{"agent_type", "name", "description"} {
			list := register(t, object{name: absent}).invalid(422)
			require.Len(t, list, 1)
			require.Equal(t, "missing", list[0]["type"])
			require.Equal(t, anys("body", name), list[0]["loc"])
		}
		require.Len(t, s.do(t, "POST", "/agents/register-known", s.token, object{}).invalid(422), 3)
	})
	t.Run("mistyped", func(t *testing.T) {
		shows(t, "1.4-known-mistyped")
		for name, value := range map[string]any{
			"agent_type": 1, "name": nil, "description": []any{}, "options": "x", "overwrite": "perhaps", "icon_url": 1, "parent_agent_id": 1,
		} {
			list := register(t, object{name: value}).invalid(422)
			require.Len(t, list, 1)
			require.Equal(t, anys("body", name), list[0]["loc"])
		}
	})
	t.Run("parent", func(t *testing.T) {
		shows(t, "1.4-known-parent", "1.4-known-parent-unknown")
		parent := s.agent(t)
		child := s.known(t, "codex", object{"parent_agent_id": parent.id})
		require.Equal(t, parent.id, at(t, child.call(t, "get_agent_detail", object{"agent_id": child.id}), "parent_agent_id"))
		children := list(t, child.call(t, "get_agent_detail", object{"agent_id": parent.id}), "children")
		require.Equal(t, anys(child.id), column(t, children, "id"))
		refused := register(t, object{"parent_agent_id": "no-such-agent"})
		require.Contains(t, []int{400, 404}, refused.status, refused.body)
	})
	t.Run("another owner", func(t *testing.T) {
		shows(t, "D11")
		b := s.stranger(t)
		register(t, object{"name": b.name}).refused(409)
		register(t, object{"name": b.name, "overwrite": true}).refused(403)
		b.get(t, "/ops").is(200)
	})
}

func TestRegisterFull(t *testing.T) {
	t.Parallel()
	s := shared(t)
	register := func(t *testing.T, change func(body, profile object)) answer {
		body := fullProfile("always_on")
		change(body, body["integration_profile"].(object))
		return s.do(t, "POST", "/agents", s.token, body)
	}
	t.Run("200", func(t *testing.T) {
		shows(t, "1.4-full-200", "1.4-full-defaults")
		made := shape(t, register(t, func(object, object) {}).is(200).json(), "id string, api_key string")
		a := &agent{s: s, id: text(t, made, "id"), key: text(t, made, "api_key")}
		detail := a.call(t, "get_agent_detail", object{"agent_id": a.id}).(object)
		require.Equal(t, "Test Connector", detail["connector_type"])
		require.Equal(t, "always_on", detail["connection_model"])
		require.Equal(t, "always_on", detail["agent_type"])
		require.Nil(t, detail["known_agent_type"])
		require.Nil(t, detail["known_agent_options"])
		require.Equal(t, 0.0, detail["tool_count"])
	})
	t.Run("required", func(t *testing.T) {
		shows(t, "1.4-full-required")
		for _, name := range []string{"name", "description", "connector_type", "integration_profile"} {
			list := register(t, func(body, _ object) { delete(body, name) }).invalid(422)
			require.Len(t, list, 1)
			require.Equal(t, anys("body", name), list[0]["loc"])
			require.Equal(t, "missing", list[0]["type"])
		}
	})
	t.Run("shown", func(t *testing.T) {
		shows(t, "1.4-full-profile-shown")
		a := s.profiled(t, "session_addressable", object{
			"tools":  []any{object{"name": "dig", "description": "digs"}, object{"name": "fill", "description": "fills", "parameters": object{"type": "object"}}},
			"models": []any{object{"name": "big", "description": "thinks"}},
		})
		detail := a.call(t, "get_agent_detail", object{"agent_id": a.id}).(object)
		require.Equal(t, []any{
			object{"name": "dig", "description": "digs"}, object{"name": "fill", "description": "fills"},
		}, detail["tools"])
		require.Equal(t, []any{object{"name": "big", "description": "thinks"}}, detail["models"])
		require.Equal(t, 2.0, detail["tool_count"])
		require.Equal(t, 1.0, detail["model_count"])
		require.Equal(t, object{
			"connection_model": "session_addressable", "message_exchange": true, "pre_invocation_mediation": []any{},
			"post_invocation_mediation": []any{}, "event_reporting": []any{},
			"task_protocol":        object{"can_delegate": true, "can_accept": true},
			"command_capabilities": object{"reset": "unsupported", "compact": "unsupported", "interrupt": "unsupported"},
		}, detail["integration_profile"])
	})
	t.Run("tools", func(t *testing.T) {
		shows(t, "1.4-full-tools")
		for _, bad := range []any{"x", []any{"x"}, []any{object{"name": "x"}}, []any{object{"name": "x", "description": 5}}, []any{object{"name": "x", "description": "x", "parameters": 5}}} {
			register(t, func(body, _ object) { body["tools"] = bad }).invalid(422)
		}
		register(t, func(body, _ object) {
			body["tools"] = []any{object{"name": "x", "description": "x", "parameters": nil}}
		}).is(200)
	})
	t.Run("models", func(t *testing.T) {
		shows(t, "1.4-full-models")
		for _, bad := range []any{"x", []any{5}, []any{object{"description": "x"}}} {
			register(t, func(body, _ object) { body["models"] = bad }).invalid(422)
		}
	})
	t.Run("metadata", func(t *testing.T) {
		shows(t, "1.4-full-metadata")
		list := register(t, func(body, _ object) { body["metadata"] = "x" }).invalid(422)
		require.Equal(t, "dict_type", list[0]["type"])
		register(t, func(body, _ object) { body["metadata"] = object{"a": []any{1}} }).is(200)
		register(t, func(body, _ object) { body["metadata"] = object{} }).is(200)
	})
	t.Run("name", func(t *testing.T) {
		shows(t, "1.4-full-name")
		register(t, func(body, _ object) { body["name"] = "Not This" }).refused(400)
		a := s.profiled(t, "always_on", nil)
		require.Contains(t, register(t, func(body, _ object) { body["name"] = a.name }).refused(409), "overwrite")
		again := register(t, func(body, _ object) { body["name"], body["overwrite"] = a.name, true }).is(200).object()
		require.Equal(t, a.id, again["id"])
	})
	t.Run("icon", func(t *testing.T) {
		shows(t, "1.4-full-icon")
		register(t, func(body, _ object) { body["icon_url"] = "http://example.org" }).refused(400)
		register(t, func(body, _ object) { body["icon_url"] = "https://example.org/i.svg" }).is(200)
	})
	t.Run("model", func(t *testing.T) {
		shows(t, "1.4-profile-model")
		for _, model := range []string{"always_on", "session_addressable", "session_passive", "auto_session"} {
			register(t, func(_, profile object) { profile["connection_model"] = model }).is(200)
		}
		list := register(t, func(_, profile object) { profile["connection_model"] = "sometimes" }).invalid(422)
		require.Equal(t, anys("body", "integration_profile", "connection_model"), list[0]["loc"])
	})
	t.Run("profile", func(t *testing.T) {
		shows(t, "1.4-profile-required")
		for _, name := range []string{
			"connection_model", "message_exchange", "pre_invocation_mediation", "post_invocation_mediation", "event_reporting", "task_protocol",
		} {
			list := register(t, func(_, profile object) { delete(profile, name) }).invalid(422)
			require.Equal(t, anys("body", "integration_profile", name), list[0]["loc"])
		}
		for _, name := range []string{"can_delegate", "can_accept"} {
			list := register(t, func(_, profile object) { delete(profile["task_protocol"].(object), name) }).invalid(422)
			require.Equal(t, anys("body", "integration_profile", "task_protocol", name), list[0]["loc"])
		}
		register(t, func(_, profile object) { profile["message_exchange"] = "perhaps" }).invalid(422)
		register(t, func(_, profile object) { profile["event_reporting"] = []any{5} }).invalid(422)
		register(t, func(_, profile object) { profile["task_protocol"] = true }).invalid(422)
	})
	t.Run("capabilities", func(t *testing.T) {
		shows(t, "1.4-profile-capabilities", "3.4-preconditions")
		a := s.profiled(t, "always_on", nil)
		body := fullProfile("always_on")
		body["integration_profile"].(object)["command_capabilities"] = object{"reset": "always", "interrupt": "session_dependent"}
		body["name"], body["overwrite"] = a.name, true
		made := s.do(t, "POST", "/agents", s.token, body).is(200).object()
		a.key = text(t, made, "api_key")
		require.Equal(t, object{"reset": "always", "compact": "unsupported", "interrupt": "session_dependent"},
			at(t, a.call(t, "get_agent_detail", object{"agent_id": a.id}), "integration_profile", "command_capabilities"))
		list := register(t, func(_, profile object) { profile["command_capabilities"] = object{"reset": "sometimes"} }).invalid(422)
		require.Equal(t, anys("body", "integration_profile", "command_capabilities", "reset"), list[0]["loc"])
	})
}

func TestRegisterBulk(t *testing.T) {
	t.Parallel()
	s := shared(t)
	parent := s.known(t, "claude-code", object{"options": object{"channels_enabled": false, "repo_dir": "/src", "auto_session": false}})
	register := func(t *testing.T, more object) answer {
		body := object{"agent_type": "claude-code", "parent_agent_id": parent.id, "subagents": []any{}}
		for k, v := range more {
			body[k] = v
		}
		return s.do(t, "POST", "/agents/register-known-bulk", s.token, body)
	}
	sub := func(names ...string) []any {
		out := []any{}
		for _, n := range names {
			out = append(out, object{"subagent_name": n, "description": "helps as " + n})
		}
		return out
	}
	detail := func(t *testing.T, id any) object {
		return parent.call(t, "get_agent_detail", object{"agent_id": id}).(object)
	}
	t.Run("200", func(t *testing.T) {
		shows(t, "1.4-bulk-200", "1.4-bulk-names", "1.4-bulk-inherits")
		o := shape(t, register(t, object{"subagents": sub("two", "one")}).is(200).json(), "results list")
		results := list(t, o, "results")
		require.Len(t, results, 2)
		for i, name := range []string{"two", "one"} {
			r := shape(t, results[i], "subagent_name string, name string, id string, api_key string")
			require.Equal(t, name, r["subagent_name"])
			require.Equal(t, parent.name+"."+name, r["name"])
			(&agent{s: s, id: text(t, r, "id"), key: text(t, r, "api_key")}).get(t, "/ops").is(200)
			d := detail(t, r["id"])
			require.Equal(t, parent.id, d["parent_agent_id"])
			require.Equal(t, "helps as "+name, d["description"])
			require.Equal(t, false, at(t, d, "known_agent_options", "channels_enabled"))
			require.Equal(t, "/src", at(t, d, "known_agent_options", "repo_dir"))
			require.Equal(t, "session_passive", d["connection_model"])
		}
		own := register(t, object{"subagents": sub("own"), "options": object{"channels_enabled": true, "repo_dir": "/else"}}).is(200).object()
		d := detail(t, at(t, own, "results", 0, "id"))
		require.Equal(t, true, at(t, d, "known_agent_options", "channels_enabled"))
		require.Equal(t, "/else", at(t, d, "known_agent_options", "repo_dir"))
	})
	t.Run("400", func(t *testing.T) {
		shows(t, "1.4-bulk-400")
		register(t, nil).refused(400)
		register(t, object{"subagents": sub("same", "other", "same")}).refused(400)
		register(t, object{"subagents": sub("fine", "Not Fine")}).refused(400)
		register(t, object{"agent_type": "none", "subagents": sub("x")}).refused(400)
		register(t, object{"subagents": "x"}).invalid(422)
		register(t, object{"subagents": []any{object{"subagent_name": "x"}}}).invalid(422)
	})
	t.Run("404", func(t *testing.T) {
		shows(t, "1.4-bulk-404")
		register(t, object{"parent_agent_id": "no-such-agent", "subagents": sub("x")}).refused(404)
	})
	t.Run("409", func(t *testing.T) {
		shows(t, "1.4-bulk-409", "1.4-bulk-overwrite")
		first := register(t, object{"subagents": sub("taken")}).is(200).object()
		register(t, object{"subagents": sub("untouched", "taken")}).refused(409)
		agents := list(t, parent.call(t, "list_agents", object{"name_contains": parent.name + ".untouched"}))
		require.Empty(t, agents)
		again := register(t, object{"subagents": sub("untouched", "taken"), "overwrite": true}).is(200).object()
		require.Equal(t, at(t, first, "results", 0, "id"), at(t, again, "results", 1, "id"))
		require.NotEqual(t, at(t, first, "results", 0, "api_key"), at(t, again, "results", 1, "api_key"))
	})
}

func TestChangeAgent(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("patch", func(t *testing.T) {
		shows(t, "1.4-patch", "1.2-patch-delete")
		a := s.profiled(t, "always_on", nil)
		patch := func(body any) answer { return s.do(t, "PATCH", a.path(""), a.key, body) }
		patch(object{"description": "new words"}).is(200).exactly(`{"ok":true}`)
		profile := fullProfile("session_addressable")["integration_profile"]
		patch(object{"integration_profile": profile, "metadata": object{"x": 1}}).is(200).exactly(`{"ok":true}`)
		patch(object{}).is(200)
		detail := a.call(t, "get_agent_detail", object{"agent_id": a.id}).(object)
		require.Equal(t, "new words", detail["description"])
		require.Equal(t, "session_addressable", detail["connection_model"])
		patch(object{"description": 5}).invalid(422)
		patch(object{"integration_profile": object{}}).invalid(422)
	})
	t.Run("delete", func(t *testing.T) {
		shows(t, "1.4-delete", "1.4-delete-streams")
		a, b, _ := s.agents(t)
		room := b.room(t, a, b)
		stream := a.openAs(t, opening{silent: true}, "rooms="+room)
		a.beat(t, stream.conn, 0).is(200)
		s.do(t, "DELETE", a.path(""), a.key, nil).is(200).exactly(`{"ok":true}`)
		plain401(t, a.beat(t, stream.conn, 0), invalidCredentials)
		s.do(t, "DELETE", a.path(""), a.key, nil).is(401)
		require.Empty(t, list(t, b.call(t, "list_agents", object{"name_contains": a.name})))
		b.try(t, "get_agent_detail", object{"agent_id": a.id}).refused(400)
		require.NotEqual(t, a.id, s.known(t, "codex", object{"name": a.name}).id, "the name is free again")
	})
}
