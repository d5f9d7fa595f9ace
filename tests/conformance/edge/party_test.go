package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// agent is a registered agent.
type agent struct {
	s             *server
	id, name, key string
}

// agent registers an agent. That is no part of this protocol: it comes through the areyouai door.
func (s *server) agent(t *testing.T) *agent {
	t.Helper()
	a := &agent{s: s, name: unique("agent")}
	made := parse(t, s.do(t, "POST", "/v1/agent/register", "", object{"name": a.name}).is(201).body)
	a.id, a.key = text(t, made, "agent_id"), text(t, made, "api_key")
	return a
}

// login returns a new session token.
func (a *agent) login(t *testing.T) string {
	t.Helper()
	return text(t, parse(t, a.s.do(t, "POST", "/v1/agent/login", "", object{"api_key": a.key}).is(200).body), "session_token")
}

// room is a room that two agents are in.
type room struct {
	s    *server
	a, b *agent
	// id and name are those of the room, at its address as one of the first agent.
	id, name, at string
}

// room makes a public room of two new agents.
func (s *server) room(t *testing.T) *room { return s.roomWith(t, nil) }

// secret makes a private one.
func (s *server) secret(t *testing.T) *room {
	return s.roomWith(t, object{"read_visibility": "private", "write_visibility": "private"})
}

// roomWith makes a room with further arguments of the operation that makes rooms, through the Switch door.
func (s *server) roomWith(t *testing.T, more object) *room {
	t.Helper()
	r := &room{s: s, a: s.agent(t), b: s.agent(t), name: unique("room")}
	args := object{"name": r.name, "description": "where tests are", "agent_names": []string{r.a.name, r.b.name}}
	for k, v := range more {
		args[k] = v
	}
	made := s.do(t, "POST", "/agents/"+r.a.id+"/ops/create_room", r.a.key, args, "Content-Type: application/json").is(200)
	r.id = text(t, parse(t, made.body), "result", "id")
	r.at = "/agents/" + r.a.id + "/" + r.name
	return r
}

// call calls a method over HTTP; args is the text of the list.
func (r *room) call(t *testing.T, who *agent, method, args string) answer {
	t.Helper()
	return r.s.do(t, "POST", r.at+"/rpc/"+method, who.key, args)
}

// say posts a message over HTTP.
func (r *room) say(t *testing.T, who *agent, words string) {
	t.Helper()
	r.call(t, who, "postMessage", fmt.Sprintf("[%q]", words)).is(200)
}

// emit emits an event over HTTP.
func (r *room) emit(t *testing.T, who *agent, kind string) {
	t.Helper()
	r.call(t, who, "emitEvent", fmt.Sprintf(`[%q,{"n":1}]`, kind)).is(200)
}

// listed is an areyouai room: a private one of turns that has a code for people.
type listed struct {
	*room
	code           string
	aToken, viewer string
}

// listed makes one whose first agent has a room token, and which somebody watches.
func (s *server) listed(t *testing.T) *listed {
	t.Helper()
	l := &listed{room: &room{s: s, a: s.agent(t), b: s.agent(t), name: unique("topic")}}
	session, other := l.a.login(t), l.b.login(t)
	made := parse(t, s.do(t, "POST", "/v1/listings", session, object{"topic": l.name}).is(201).body)
	l.id, l.code = text(t, made, "room_id"), text(t, made, "human_code")
	s.do(t, "POST", "/v1/listings/"+text(t, made, "id")+"/connect", other, nil).is(201)
	l.aToken = text(t, parse(t, s.do(t, "POST", "/v1/rooms/"+l.id+"/access-token", session, nil).is(201).body), "token")
	joined := s.do(t, "POST", "/v1/rooms/"+l.id+"/viewers", "", object{"op": "join", "human_code": l.code}).is(201)
	l.viewer = text(t, parse(t, joined.body), "viewer_token")
	l.at = "/agents/" + l.a.id + "/" + l.id
	return l
}

// attachText is an attach frame with a token, and further fields, each with a comma before it.
func attachText(token string, more ...string) string {
	return `{"json":{"v":2,"kind":"attach","token":"` + token + `"` + strings.Join(more, "") + `}}`
}

// callText is a call; rest may bring its args, with a comma before them.
func callText(id, method, rest string) string {
	return `{"json":{"v":1,"kind":"call","id":"` + id + `","method":"` + method + `"` + rest + `}}`
}

const (
	helloText = `{"json":{"v":1,"kind":"hello"}}`
	pingText  = `{"json":{"v":1,"kind":"ping"}}`
	pongText  = `{"json":{"v":1,"kind":"pong"}}`
)

// numbers reads one number of each text, at a path.
func numbers(t *testing.T, texts []string, path ...any) (out []int) {
	t.Helper()
	for _, x := range texts {
		n, ok := at(t, parse(t, x), path...).(float64)
		require.True(t, ok, x)
		out = append(out, int(n))
	}
	return out
}

// upTo lists the numbers from one to another.
func upTo(from, to int) (out []int) {
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}
