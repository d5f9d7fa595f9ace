package conformance

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// agent is a registered agent.
type agent struct {
	s             *server
	id, name, key string
}

// known registers an agent of a known type, with further fields of the body.
func (s *server) known(t *testing.T, kind string, more object) *agent {
	t.Helper()
	body := object{"agent_type": kind, "name": unique("agent"), "description": "takes part in tests"}
	for k, v := range more {
		body[k] = v
	}
	made := s.do(t, "POST", "/agents/register-known", s.token, body).is(200).object()
	return &agent{s: s, id: text(t, made, "id"), name: body["name"].(string), key: text(t, made, "api_key")}
}

// agent registers an agent of the kind that needs no settings.
func (s *server) agent(t *testing.T) *agent {
	t.Helper()
	return s.known(t, "codex", nil)
}

// agents registers several.
func (s *server) agents(t *testing.T) (a, b, c *agent) {
	t.Helper()
	return s.agent(t), s.agent(t), s.agent(t)
}

// profiled registers an agent with a whole profile.
func (s *server) profiled(t *testing.T, model string, more object) *agent {
	t.Helper()
	body := fullProfile(model)
	for k, v := range more {
		body[k] = v
	}
	made := s.do(t, "POST", "/agents", s.token, body).is(200).object()
	return &agent{s: s, id: text(t, made, "id"), name: body["name"].(string), key: text(t, made, "api_key")}
}

// fullProfile is the body of a full registration.
func fullProfile(model string) object {
	return object{
		"name": unique("profiled"), "description": "has a profile", "connector_type": "Test Connector",
		"integration_profile": object{
			"connection_model": model, "message_exchange": true, "pre_invocation_mediation": []string{},
			"post_invocation_mediation": []string{}, "event_reporting": []string{},
			"task_protocol": object{"can_delegate": true, "can_accept": true},
		},
	}
}

// stranger makes an agent that has no owner. Only the areyouai door of this project's server makes such agents, whose keys
// work here too.
func (s *server) stranger(t *testing.T) *agent {
	t.Helper()
	needsProcess(t)
	name := unique("stranger")
	made := s.do(t, "POST", "/v1/agent/register", "", object{"name": name}).object()
	return &agent{s: s, id: text(t, made, "agent_id"), name: name, key: text(t, made, "api_key")}
}

func (a *agent) path(rest string) string { return "/agents/" + a.id + rest }

// get reads a path below the agent's.
func (a *agent) get(t *testing.T, rest string, headers ...string) answer {
	t.Helper()
	return a.s.do(t, "GET", a.path(rest), a.key, nil, headers...)
}

// post posts to a path below the agent's.
func (a *agent) post(t *testing.T, rest string, body any, headers ...string) answer {
	t.Helper()
	return a.s.do(t, "POST", a.path(rest), a.key, body, headers...)
}

// try calls an operation without a connection.
func (a *agent) try(t *testing.T, operation string, args any) answer {
	t.Helper()
	if args == nil {
		args = object{}
	}
	return a.post(t, "/ops/"+operation, args)
}

// call calls an operation without a connection and returns its result.
func (a *agent) call(t *testing.T, operation string, args any) any {
	t.Helper()
	return result(a.try(t, operation, args))
}

// result expects a success and unwraps it.
func result(a answer) any {
	a.t.Helper()
	o := a.is(200).object()
	require.Len(a.t, o, 1, a.body)
	require.Contains(a.t, o, "result")
	return o["result"]
}

// names lists the names of agents.
func names(agents ...*agent) []string {
	out := []string{}
	for _, a := range agents {
		out = append(out, a.name)
	}
	return out
}

// room makes a room with these members.
func (a *agent) room(t *testing.T, members ...*agent) string {
	t.Helper()
	return a.roomWith(t, nil, members...)
}

// roomWith makes a room with further arguments.
func (a *agent) roomWith(t *testing.T, more object, members ...*agent) string {
	t.Helper()
	args := object{"name": unique("room"), "description": "where tests are", "agent_names": names(members...)}
	for k, v := range more {
		args[k] = v
	}
	return text(t, a.call(t, "create_room", args), "id")
}

// say posts a message without a connection and returns its id.
func (a *agent) say(t *testing.T, room, body string) string {
	t.Helper()
	sent := a.post(t, "/message", object{"room_id": room, "content": body}).is(200).object()
	return text(t, sent, "event_id")
}

// beat sends one beat.
func (a *agent) beat(t *testing.T, conn string, cursor int) answer {
	t.Helper()
	return a.post(t, "/connection/beat", object{"connection_id": conn, "cursor": cursor})
}

// subscribe claims a room for a connection.
func (a *agent) subscribe(t *testing.T, conn, room string, takeover bool) answer {
	t.Helper()
	return a.post(t, "/connection/subscribe", object{"connection_id": conn, "room_id": room, "takeover": takeover})
}

// unsubscribe gives a room up.
func (a *agent) unsubscribe(t *testing.T, conn, room string) answer {
	t.Helper()
	return a.post(t, "/connection/unsubscribe", object{"connection_id": conn, "room_id": room})
}

// isDead expects the refusal of a connection that is not open.
func isDead(t *testing.T, a answer, status int, conn string) {
	t.Helper()
	refusal := a.refused(status)
	require.Contains(t, refusal, conn)
	require.Contains(t, refusal, "is not open")
}

// query joins parameters of a URL, each "name=value" with a value that need not be escaped yet.
func query(parameters ...string) string {
	q := url.Values{}
	for _, p := range parameters {
		if name, value, ok := strings.Cut(p, "="); ok {
			q.Add(name, value)
		}
	}
	return "?" + q.Encode()
}
