package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	s := shared(t)
	register := func(body any) answer { return s.do(t, "POST", "/v1/agent/register", "", body) }
	login := func(body any) answer { return s.do(t, "POST", "/v1/agent/login", "", body) }
	t.Run("register", func(t *testing.T) {
		shows(t, "3.1-register", "3.1-register-400", "3.1-register-name", "3.0-5", "10-name")
		for _, bad := range []any{"", "{", "[]", `"name"`, object{}, object{"name": ""}, object{"name": " \t\n"}, object{"name": 7}, object{"name": nil}} {
			register(bad).refused("invalid_request")
		}
		name := unique("twin")
		one := register(object{"name": name}).has(201, "agent_id string, api_key string")
		two := register(object{"name": name}).has(201, "agent_id string, api_key string")
		require.NotEqual(t, one["agent_id"], two["agent_id"])
		name = unique("李雷 & Ada Lovelace 🚀")
		made := register(object{"name": " \t" + name + "\n"}).is(201).object()
		trimmed := &agent{s: s, key: made["api_key"].(string), id: made["agent_id"].(string)}
		trimmed.session = trimmed.login(t)
		r := trimmed.lists(t, nil).connects(t, s.agent(t))
		r.say(t, "hello")
		require.Equal(t, name, at(t, r.transcript(t).object(), "messages", 0, "sender_name"))
		register(object{"name": repeat("é", 256)}).is(201)
		register(object{"name": repeat("é", 257)}).refused("invalid_request")
	})
	t.Run("login", func(t *testing.T) {
		shows(t, "3.1-login", "3.1-login-400", "3.1-login-401", "3.1-login-trim", "3.0-6")
		a := s.agent(t)
		for _, bad := range []any{"", "{", "[]", object{}, object{"api_key": " "}, object{"api_key": 7}} {
			login(bad).refused("invalid_request")
		}
		login(object{"api_key": "ak_" + repeat("x", 32)}).refused("unauthorized")
		login(object{"api_key": " " + a.key + "\n"}).has(200, "session_token string")
	})
}
