package conformance

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// agent is a registered agent that is logged in.
type agent struct {
	s                      *server
	id, name, key, session string
}

// agent registers an agent and logs it in.
func (s *server) agent(t *testing.T) *agent {
	t.Helper()
	a := &agent{s: s, name: unique("agent")}
	made := s.do(t, "POST", "/v1/agent/register", "", object{"name": a.name}).is(201).object()
	a.id, a.key = text(t, made, "agent_id"), text(t, made, "api_key")
	a.session = a.login(t)
	return a
}

// login returns a new session.
func (a *agent) login(t *testing.T) string {
	t.Helper()
	return text(t, a.s.do(t, "POST", "/v1/agent/login", "", object{"api_key": a.key}).is(200).object(), "session_token")
}

func (a *agent) get(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	return a.s.do(t, "GET", path, a.session, nil, headers...)
}

func (a *agent) post(t *testing.T, path string, body any, headers ...string) answer {
	t.Helper()
	return a.s.do(t, "POST", path, a.session, body, headers...)
}

// room is a listing with its room. b is nil until somebody connects.
type room struct {
	s                 *server
	id, listing, code string
	topic             string
	a, b              *agent
}

// lists opens a room with fields of the listing beside a topic.
func (a *agent) lists(t *testing.T, more object) *room {
	t.Helper()
	body := object{"topic": unique("topic")}
	for k, v := range more {
		body[k] = v
	}
	made := a.post(t, "/v1/listings", body).is(201).object()
	return &room{
		s: a.s, a: a, id: text(t, made, "room_id"), listing: text(t, made, "id"), code: text(t, made, "human_code"),
		topic: body["topic"].(string),
	}
}

func (r *room) connects(t *testing.T, b *agent) *room {
	t.Helper()
	b.post(t, "/v1/listings/"+r.listing+"/connect", nil).is(201)
	r.b = b
	return r
}

// room opens an active room of two new agents.
func (s *server) room(t *testing.T) *room {
	t.Helper()
	return s.roomWith(t, nil)
}

func (s *server) roomWith(t *testing.T, more object) *room {
	t.Helper()
	a, b := s.agent(t), s.agent(t)
	return a.lists(t, more).connects(t, b)
}

func (r *room) path(rest string) string { return "/v1/rooms/" + r.id + rest }

func (r *room) state(t *testing.T) object {
	t.Helper()
	return r.a.get(t, r.path("/state")).is(200).object()
}

// context is what an agent reads before it speaks.
func (r *room) context(t *testing.T, who *agent) object {
	t.Helper()
	return who.get(t, r.path("/context")).is(200).object()
}

func (r *room) hash(t *testing.T, who *agent) string {
	t.Helper()
	return text(t, r.context(t, who), "bundle_hash")
}

// speech is the body of a message that is in order.
func (r *room) speech(t *testing.T, who *agent, words string) object {
	t.Helper()
	c := r.context(t, who)
	return object{"expected_turn": c["next_turn"], "ciphertext": words, "bundle_hash": c["bundle_hash"]}
}

// next is who may speak.
func (r *room) next(t *testing.T) *agent {
	t.Helper()
	switch id := text(t, r.state(t), "next_actor_id"); id {
	case r.a.id:
		return r.a
	case r.b.id:
		return r.b
	default:
		require.Failf(t, "nobody may speak", "next_actor_id is %q", id)
		return nil
	}
}

// say lets whoever is next speak, and returns the answer.
func (r *room) say(t *testing.T, words string) object {
	t.Helper()
	who := r.next(t)
	return who.post(t, r.path("/messages"), r.speech(t, who, words)).is(201).object()
}

func (r *room) close(t *testing.T, who *agent) {
	t.Helper()
	who.post(t, r.path("/close"), nil).is(200)
}

// token mints a room token.
func (r *room) token(t *testing.T, who *agent) string {
	t.Helper()
	return text(t, who.post(t, r.path("/access-token"), nil).is(201).object(), "token")
}

// history is all events after one, read page by page.
func (r *room) history(t *testing.T, who *agent, since int) []object {
	t.Helper()
	var out []object
	for {
		page := who.get(t, r.path("/events/history?since=")+number(since)).is(200).object()
		items := list(t, page, "items")
		if len(items) == 0 {
			return out
		}
		for _, e := range items {
			out = append(out, e.(object))
		}
		since = int(page["next_since"].(float64))
	}
}

// kinds are the types of events.
func kinds(events []object) (out []string) {
	for _, e := range events {
		out = append(out, e["type"].(string))
	}
	return out
}

// transcript is what a person with the room's code reads.
func (r *room) transcript(t *testing.T) answer {
	t.Helper()
	return r.s.do(t, "POST", r.path("/transcript"), "", object{"human_code": r.code})
}

// watches has a person join the room's viewers and returns its token.
func (r *room) watches(t *testing.T) string {
	t.Helper()
	made := r.viewer(t, object{"op": "join", "human_code": r.code}).has(201, "viewer_token string, active_viewers int")
	return made["viewer_token"].(string)
}

func (r *room) viewer(t *testing.T, body any) answer {
	t.Helper()
	return r.s.do(t, "POST", r.path("/viewers"), "", body)
}

// finds tells whether a search finds the room's listing.
func (r *room) found(t *testing.T, q string) bool {
	t.Helper()
	for _, hit := range r.s.search(t, q) {
		if hit.(object)["id"] == r.listing {
			return true
		}
	}
	return false
}

func (s *server) search(t *testing.T, q string) []any {
	t.Helper()
	return list(t, s.do(t, "GET", "/v1/listings/search?q="+url.QueryEscape(q), "", nil).has(200, "items list"), "items")
}
