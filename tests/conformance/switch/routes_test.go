package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// route is a route below an agent's path.
type route struct {
	row, method, path string
	body              any
}

// agentRoutes lists every route that has an agent in its path.
func agentRoutes(room string) []route {
	return []route{
		{"1.2-patch-delete", "PATCH", "", object{"description": "again"}},
		{"1.2-events", "GET", "/events?timeout=0", nil},
		{"1.2-notifications", "GET", "/notifications?timeout=0", nil},
		{"1.2-room-events", "GET", "/rooms/" + room + "/events?timeout=0", nil},
		{"1.2-beat", "POST", "/connection/beat", object{"connection_id": "c"}},
		{"1.2-subscribe", "POST", "/connection/subscribe", object{"connection_id": "c", "room_id": room}},
		{"1.2-unsubscribe", "POST", "/connection/unsubscribe", object{"connection_id": "c", "room_id": room}},
		{"1.2-ops", "GET", "/ops", nil},
		{"1.2-ops", "POST", "/ops/list_rooms", object{}},
		{"1.2-message", "POST", "/message", object{"room_id": room, "content": "hello"}},
		{"1.2-media", "GET", "/rooms/" + room + "/media?mxc=mxc://x/y", nil},
		{"1.2-media", "POST", "/rooms/" + room + "/media", nil},
		{"1.2-typing", "POST", "/typing", object{"room_id": room, "is_typing": true}},
		{"1.2-runtime-state", "POST", "/runtime-state", object{"room_id": room, "state": "idle"}},
		{"1.2-status", "POST", "/status", object{"room_id": room}},
		{"1.2-leases-renew", "POST", "/leases/renew", nil},
		{"1.2-legacy", "POST", "/connection/renew", object{"room_id": room}},
		{"1.2-legacy", "POST", "/watch/heartbeat", nil},
		{"1.2-history", "GET", "/rooms/" + room + "/history", nil},
		{"1.2-report", "POST", "/events/report", object{"room_id": room, "events": []any{}}},
		{"1.2-mediation", "POST", "/mediation/pre-tool-call", object{"room_id": room, "tool_name": "Read", "arguments": object{}, "request_id": "r"}},
		{"1.2-mediation", "POST", "/mediation/pre-llm-request", object{"room_id": room, "model": "m", "messages": []any{}, "request_id": "r"}},
		{"1.2-mediation", "POST", "/mediation/post-tool-result", object{"room_id": room, "tool_name": "Read", "result": 1, "request_id": "r"}},
		{"1.2-mediation", "POST", "/mediation/post-llm-response", object{"room_id": room, "model": "m", "response": 1, "request_id": "r"}},
		{"1.2-tasks", "GET", "/tasks?room_id=" + room, nil},
		{"1.2-tasks", "GET", "/tasks/none", nil},
		{"1.2-tasks", "POST", "/tasks/delegate", object{"room_id": room, "performer_agent_id": "x", "summary": "s", "description": "d"}},
		{"1.2-tasks", "POST", "/tasks/accept", object{"task_id": "x"}},
		{"1.2-tasks", "POST", "/tasks/update", object{"task_id": "x", "update": "u"}},
		{"1.2-tasks", "POST", "/tasks/finalise", object{"task_id": "x", "outcome": "o"}},
		{"1.2-tasks", "POST", "/tasks/cancel", object{"task_id": "x", "reason": "r"}},
	}
}

// TestAgentRoutes: each route exists for the agent itself and for nobody else.
func TestAgentRoutes(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a, b)
	for _, r := range agentRoutes(room) {
		name, _, _ := strings.Cut(strings.ReplaceAll(r.path, room, "room"), "?")
		t.Run(r.method+strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			shows(t, r.row)
			answered := s.do(t, r.method, a.path(r.path), a.key, r.body)
			require.NotEqual(t, 405, answered.status)
			require.NotEqual(t, notFound, answered.body, "there is no such route")
			require.NotEqual(t, 401, answered.status)
			plain401(t, s.do(t, r.method, a.path(r.path), "", r.body), missingAuthorization)
			s.do(t, r.method, a.path(r.path), s.token, r.body).is(401).exactly(`{"detail":"Not authenticated"}`)
		})
	}
	t.Run("another agent", func(t *testing.T) {
		shows(t, "1.1-agent-segment", "1.9-errors")
		for _, r := range append(agentRoutes(room), route{"", "DELETE", "", nil}) {
			s.do(t, r.method, a.path(r.path), b.key, r.body).is(403).exactly(`{"detail":"Not authorized for this agent"}`)
			s.do(t, r.method, "/agents/no-such-agent"+r.path, b.key, r.body).is(403).exactly(`{"detail":"Not authorized for this agent"}`)
		}
		_, refusal := (&agent{s: s, id: a.id, key: b.key}).tryOpen(t, opening{})
		refusal.is(403).exactly(`{"detail":"Not authorized for this agent"}`)
		a.get(t, "/ops").is(200)
	})
	t.Run("participants", func(t *testing.T) {
		shows(t, "1.2-participants")
		s.do(t, "GET", "/agents/rooms/"+room+"/participants", a.key, nil).is(200)
		s.do(t, "GET", "/agents/rooms/"+room+"/participants", s.token, nil).is(401)
	})
	t.Run("stream", func(t *testing.T) {
		shows(t, "1.2-events")
		a.open(t)
	})
	t.Run("registration", func(t *testing.T) {
		shows(t, "1.2-register-known", "1.2-register", "1.2-register-bulk")
		for _, path := range []string{"/agents/register-known", "/agents", "/agents/register-known-bulk"} {
			s.do(t, "POST", path, s.token, object{}).invalid(422)
			plain401(t, s.do(t, "POST", path, "", object{}), missingAuthorization)
		}
	})
	t.Run("no body", func(t *testing.T) {
		shows(t, "1.1-no-body")
		for _, path := range []string{"/leases/renew", "/watch/heartbeat"} {
			a.post(t, path, nil).is(200)
			a.post(t, path, "").is(200)
		}
	})
}

// TestBodies is about bodies of ordinary routes.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	room := a.room(t, a)
	t.Run("unknown fields", func(t *testing.T) {
		shows(t, "1.1-unknown-fields", "1.1-content-type")
		s.known(t, "codex", object{"something": "else", "more": object{"x": 1}})
		a.post(t, "/typing", object{"room_id": room, "is_typing": false, "why": "x"}).is(200).exactly(`{"ok":true}`)
		a.post(t, "/message", object{"room_id": room, "content": "hello", "urgent": true}).is(200)
		conn := a.open(t).conn
		a.post(t, "/connection/beat", object{"connection_id": conn, "x": 1}).is(200)
		a.post(t, "/typing", `{"room_id":"`+room+`","is_typing":true}`, "Content-Type: application/json; charset=utf-8").is(200)
	})
	t.Run("refusal", func(t *testing.T) {
		shows(t, "1.1-error-handler")
		a.post(t, "/message", object{"room_id": "none", "content": "x"}).refused(404)
		a.try(t, "get_room_detail", object{"room_id": "none"}).refused(400)
		a.try(t, "no_such_operation", nil).refused(404)
		s.do(t, "POST", "/agents/register-known", s.token, object{"agent_type": "codex", "name": a.name, "description": "x"}).refused(409)
	})
	t.Run("missing", func(t *testing.T) {
		shows(t, "1.1-error-validation", "1.1-error-missing")
		list := a.post(t, "/connection/subscribe", object{}).invalid(422)
		require.Len(t, list, 2)
		for i, name := range []string{"connection_id", "room_id"} {
			require.Equal(t, "missing", list[i]["type"])
			require.Equal(t, anys("body", name), list[i]["loc"])
			require.NotContains(t, list[i], "url")
		}
		body := a.post(t, "/connection/beat", nil).invalid(422)
		require.Equal(t, "missing", body[0]["type"])
		require.Equal(t, anys("body"), body[0]["loc"])
	})
	for _, c := range []struct {
		row, kind string
		loc       []any
		ask       func(t *testing.T) answer
	}{
		{"1.1-error-string", "string_type", anys("body", "connection_id"), func(t *testing.T) answer {
			return a.post(t, "/connection/beat", object{"connection_id": 5})
		}},
		{"1.1-error-bool", "bool_parsing", anys("query", "spawn_capable"), func(t *testing.T) answer {
			return a.get(t, "/events?connection_id=c&spawn_capable=perhaps", "Accept: text/event-stream")
		}},
		{"1.1-error-bool", "bool_parsing", anys("body", "is_typing"), func(t *testing.T) answer {
			return a.post(t, "/typing", object{"room_id": room, "is_typing": "perhaps"})
		}},
		{"1.1-error-int", "int_parsing", anys("query", "protocol"), func(t *testing.T) answer {
			return a.get(t, "/events?connection_id=c&protocol=one", "Accept: text/event-stream")
		}},
		{"1.1-error-int", "int_parsing", anys("body", "cursor"), func(t *testing.T) answer {
			return a.post(t, "/connection/beat", object{"connection_id": "c", "cursor": "x"})
		}},
		{"1.1-error-float", "float_parsing", anys("query", "timeout"), func(t *testing.T) answer {
			return a.get(t, "/events?timeout=soon")
		}},
		{"1.1-error-dict", "dict_type", anys("body", "options"), func(t *testing.T) answer {
			return s.do(t, "POST", "/agents/register-known", s.token, object{
				"agent_type": "codex", "name": unique("x"), "description": "x", "options": "none",
			})
		}},
		{"1.1-error-literal", "literal_error", anys("body", "state"), func(t *testing.T) answer {
			return a.post(t, "/runtime-state", object{"room_id": room, "state": "asleep"})
		}},
	} {
		t.Run(c.row[len("1.1-error-"):]+" "+c.loc[1].(string), func(t *testing.T) {
			shows(t, c.row)
			list := c.ask(t).invalid(422)
			require.Equal(t, c.kind, list[0]["type"])
			require.Equal(t, c.loc, list[0]["loc"])
		})
	}
	t.Run("no JSON", func(t *testing.T) {
		shows(t, "1.1-error-json")
		for _, body := range []string{`{"connection_id":`, `{]`, `nothing`, `{"a":1} x`} {
			list := a.post(t, "/connection/beat", body).invalid(422)
			require.Equal(t, "json_invalid", list[0]["type"], body)
			require.Equal(t, "body", list[0]["loc"].([]any)[0])
		}
	})
	t.Run("never 500", func(t *testing.T) {
		shows(t, "1.1-error-500")
		// do fails on any 500, here and in all other tests.
		for _, body := range []string{"", "null", "[]", "5", `"x"`, "{}", "{", "\xff\xfe", `{"room_id":null}`, `{"room_id":{"a":[]}}`} {
			for _, r := range agentRoutes(room) {
				if r.method == "POST" {
					a.post(t, r.path, body)
				}
			}
			s.do(t, "POST", "/agents", s.token, body)
			s.do(t, "POST", "/agents/register-known", s.token, body)
			s.do(t, "POST", "/agents/register-known-bulk", s.token, body)
		}
	})
}
