package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// task calls a route below …/tasks that succeeds, and returns the task in the answer.
func (a *agent) task(route, body string) map[string]any {
	a.g.t.Helper()
	r := a.g.do("POST", a.path("/tasks/"+route), a.key, body)
	require.Equal(a.g.t, 200, r.status, r.body)
	var out map[string]any
	require.NoError(a.g.t, json.Unmarshal([]byte(r.body), &out))
	if inner, ok := out["task"].(map[string]any); ok {
		return inner
	}
	return out
}

func (a *agent) delegate(room string, to *agent, summary string) (id string) {
	a.g.t.Helper()
	return a.task("delegate", fmt.Sprintf(`{"room_id":%q,"performer_agent_id":%q,"summary":%q,"description":"all"}`,
		room, to.id, summary))["id"].(string)
}

// frameOf is the frame of an event of an ordinary room, with whatever sequence.
func frameOf(t *testing.T, frame, kind, room, payload string) {
	t.Helper()
	var sequence int
	_, err := fmt.Sscanf(frame, "id: %d\n", &sequence)
	require.NoError(t, err, frame)
	require.Equal(t, fmt.Sprintf("id: %d\nevent: %s\ndata: "+
		`{"type":%q,"room_id":%q,"bridge_id":null,"channel_type":"channel_public","payload":%s,"sequence":%d}`+"\n\n",
		sequence, kind, kind, room, payload, sequence), frame)
}

// TestTaskEvents: each party is told what the other one did, always notified; nobody else is told anything, and nobody
// of what it did itself.
func TestTaskEvents(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, c := g.register("alice"), g.register("bob"), g.register("carol")
	room := a.room("", a, b, c)
	requester := a.open("c-a", "&rooms="+room).hello()
	performer := b.open("c-b", "&filter=addressed&rooms="+room).hello()
	other := c.open("c-c", "&rooms="+room).hello()
	id := a.delegate(room, b, "dig")
	ids := fmt.Sprintf(`{"task_id":%q,"requester_agent_id":%q,"performer_agent_id":%q`, id, a.id, b.id)
	frameOf(t, performer.next(), "task_delegate", room, ids+`,"summary":"dig","description":"all"}`)
	b.task("accept", `{"task_id":"`+id+`"}`)
	frameOf(t, requester.next(), "task_accept", room, ids+`}`)
	b.task("update", `{"task_id":"`+id+`","update":"half"}`)
	frameOf(t, requester.next(), "task_update", room, ids+`,"update":"half"}`)
	b.task("finalise", `{"task_id":"`+id+`","outcome":"dug"}`)
	frameOf(t, requester.next(), "task_finalise", room, ids+`,"outcome":"dug"}`)
	require.Equal(t, "dug", requester.body(), "the outcome is a message too")

	gone := a.delegate(room, b, "fill")
	a.task("cancel", `{"task_id":"`+gone+`","reason":"no need"}`)
	require.Contains(t, performer.next(), "event: task_delegate\n")
	frameOf(t, performer.next(), "task_cancel", room,
		strings.Replace(ids, id, gone, 1)+`,"reason":"no need"}`)

	own := a.delegate(room, a, "think")
	a.task("accept", `{"task_id":"`+own+`"}`)
	a.task("finalise", `{"task_id":"`+own+`","outcome":""}`)
	c.post(room, "@bob @alice last")
	require.Equal(t, "@bob @alice last", requester.body(), "a task of one's own is no news")
	require.Equal(t, "@bob @alice last", performer.body())
	require.Equal(t, "dug", other.body(), "all that the others hear of tasks is the outcome")
	b.post(room, "end")
	require.Equal(t, "end", other.body())
}

// TestTaskEventsNeedMembership: who has left the room is told nothing more.
func TestTaskEventsNeedMembership(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, other := a.room("", a, b), a.room("", a, b)
	s := b.open("c-b", "&scope=all").hello()
	id := a.delegate(room, b, "dig")
	require.Contains(t, s.next(), "event: task_delegate\n")
	require.NoError(t, g.node.LeaveRoom(context.Background(), room, core.LeaveRoom{Agent: b.id}))
	a.task("cancel", `{"task_id":"`+id+`","reason":""}`)
	a.post(other, "end")
	require.Equal(t, "end", s.body())
}

// TestTaskRoutes compares answers byte for byte.
func TestTaskRoutes(t *testing.T) {
	now := newClock()
	g := newGateway(t, setup{node: core.Options{Now: now.Now}})
	a, b, c := g.register("alice"), g.register("bob"), g.register("carol")
	room := a.room("", a, b, c)
	now.Advance(time.Millisecond)
	second := a.room("", a, b)
	const key = "Idempotency-Key: k-1"
	body := fmt.Sprintf(`{"room_id":%q,"performer_agent_id":%q,"summary":"dig","description":"all","extra":1}`, room, b.id)
	r := g.do("POST", a.path("/tasks/delegate"), a.key, body, key)
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	var made struct{ Task struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(r.body), &made))
	id := made.Task.ID
	task := func(status, updates, outcome, accepted, finalised string) string {
		return fmt.Sprintf(`{"id":%q,"room_id":%q,"requester_agent_id":%q,"performer_agent_id":%q,"summary":"dig","description":"all",`+
			`"status":%q,"updates":%s,"outcome":%s,"created_at":"2026-01-02 03:04:05.679000+00:00","accepted_at":%s,"finalised_at":%s}`,
			id, room, a.id, b.id, status, updates, outcome, accepted, finalised)
	}
	const at = `"2026-01-02 03:04:05.679000+00:00"`
	require.Equal(t, `{"task":`+task("pending", "[]", "null", "null", "null")+`,"target_status":"no_session"}`, r.body)
	require.Equal(t, r.body, g.do("POST", a.path("/tasks/delegate"), a.key, body, key).body, "the repetition delegates nothing")
	post := func(who *agent, route, more string) string {
		r := g.do("POST", who.path("/tasks/"+route), who.key, `{"task_id":"`+id+`"`+more+`}`)
		require.Equal(t, 200, r.status, r.body)
		return r.body
	}
	require.Equal(t, task("ongoing", "[]", "null", at, "null"), post(b, "accept", ""))
	require.Equal(t, task("ongoing", `["half"]`, "null", at, "null"), post(b, "update", `,"update":"half"`))
	done := task("finalised", `["half"]`, `"dug"`, at, at)
	require.Equal(t, done, post(b, "finalise", `,"outcome":"dug"`))
	for _, who := range []*agent{a, b} {
		require.Equal(t, done, g.do("GET", who.path("/tasks/"+id), who.key, "").body)
	}
	more := a.delegate(second, b, "fill")
	list := func(who *agent, query string) string {
		r := g.do("GET", who.path("/tasks"+query), who.key, "")
		require.Equal(t, 200, r.status, r.body)
		return r.body
	}
	require.Equal(t, `{"tasks":[`+done+`]}`, list(a, "?room_id="+room))
	require.Equal(t, `{"tasks":[`+done+`]}`, list(b, "?role=assigned&status=finalised"))
	for query, want := range map[string][]string{
		"": {id, more}, "?role=delegated": {id, more}, "?role=assigned": nil, "?status=pending": {more}, "?status=none": nil,
		"?room_id=" + second: {more}, "?room_id=" + room + "&status=pending": nil,
	} {
		var out struct{ Tasks []struct{ ID string } }
		require.NoError(t, json.Unmarshal([]byte(list(a, query)), &out))
		var ids []string
		for _, t := range out.Tasks {
			ids = append(ids, t.ID)
		}
		require.Equal(t, want, ids, query)
	}
	require.Equal(t, `{"tasks":[]}`, list(c, ""))
}

func TestTaskRouteRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, c := g.register("alice"), g.register("bob"), g.register("carol")
	stranger := g.register("stranger")
	room, foreign := a.room("", a, b, c), b.room("", b)
	id := a.delegate(room, b, "dig")
	by := func(more string) string { return `{"task_id":"` + id + `"` + more + `}` }
	give := func(room, to string) string {
		return fmt.Sprintf(`{"room_id":%q,"performer_agent_id":%q,"summary":"","description":""}`, room, to)
	}
	long := strings.Repeat("x", core.MaxTaskText+1)
	for _, tc := range []struct {
		name         string
		who          *agent
		method, path string
		body, header string
		status       int
		want         string
	}{
		{"unknown room", a, "POST", "/delegate", give("room_x", b.id), "", 404, "no such room"},
		{"not a member", a, "POST", "/delegate", give(foreign, b.id), "", 403, "not a member of this room"},
		{"unknown performer", a, "POST", "/delegate", give(room, "agt_x"), "", 404, "no such agent"},
		{"performer not here", a, "POST", "/delegate", give(room, stranger.id), "", 403, "that agent is not a member of this room"},
		{"no summary", a, "POST", "/delegate", `{"room_id":"r","performer_agent_id":"p","description":""}`, "", 422, ""},
		{"bad key", a, "POST", "/delegate", give(room, b.id), "Idempotency-Key: a b", 400, ""},
		{"bad key of a step", b, "POST", "/accept", by(""), "Idempotency-Key: a b", 400, ""},
		{"unknown task", b, "POST", "/accept", `{"task_id":"x"}`, "", 404, "no such task"},
		{"task of no room", b, "POST", "/accept", `{"task_id":"task_1_room_x"}`, "", 404, "no such task"},
		{"no such task here", b, "POST", "/accept", `{"task_id":"task_1_` + room + `"}`, "", 404, "no such task"},
		{"accept, requester", a, "POST", "/accept", by(""), "", 403, "only the agent that the task was given to may do that"},
		{"accept, stranger", stranger, "POST", "/accept", by(""), "", 403, "not a member of this room"},
		{"update, other", c, "POST", "/update", by(`,"update":"x"`), "", 403, "only the agent that the task was given to may do that"},
		{"update, too long", b, "POST", "/update", by(`,"update":"` + long + `"`), "", 400, "update has 32769 bytes, at most 32768 are accepted"},
		{"finalise, requester", a, "POST", "/finalise", by(`,"outcome":"x"`), "", 403, "only the agent that the task was given to may do that"},
		{"finalise, no outcome", b, "POST", "/finalise", by(""), "", 422, ""},
		{"cancel, performer", b, "POST", "/cancel", by(`,"reason":"x"`), "", 403, "only the agent that gave the task may do that"},
		{"get, other", c, "GET", "/" + id, "", "", 404, "no such task"},
		{"get, stranger", stranger, "GET", "/" + id, "", "", 404, "no such task"},
		{"get, shadowed", a, "GET", "/agents?room_id=" + room, "", "", 404, "no such task"},
		{"list, unknown room", a, "GET", "?room_id=room_x", "", "", 404, "no such room"},
		{"list, not a member", a, "GET", "?room_id=" + foreign, "", "", 403, "not a member of this room"},
		{"list, role", a, "GET", "?role=both", "", "", 422, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := g.node.Applied()
			var headers []string
			if tc.header != "" {
				headers = append(headers, tc.header)
			}
			r := g.do(tc.method, tc.who.path("/tasks"+tc.path), tc.who.key, tc.body, headers...)
			require.Equal(t, tc.status, r.status, r.body)
			if tc.want != "" {
				require.Equal(t, `{"detail":"`+tc.want+`"}`, r.body)
			}
			requireDetail(t, r)
			require.Equal(t, before, g.node.Applied(), "a refusal changes nothing")
		})
	}
	b.task("finalise", by(`,"outcome":""`))
	for route, who := range map[string]*agent{"accept": b, "update": b, "finalise": b, "cancel": a} {
		r := g.do("POST", who.path("/tasks/"+route), who.key, by(`,"update":"","outcome":"","reason":""`))
		require.Equal(t, 400, r.status, route)
		require.Equal(t, `{"detail":"task `+id+` is finalised"}`, r.body)
	}
	r := a.op("c-x", "accept_task", by(""))
	require.Equal(t, 409, r.status)
	a.open("c-a", "&rooms="+room).hello()
	require.Equal(t, 400, a.op("c-a", "accept_task", `{"task_id":"x"}`).status, "an unknown task of an operation is a 400")
	require.Equal(t, 400, a.op("c-a", "delegate_task", `{"performer_agent_id":"x","summary":"","description":""}`).status)
	require.Equal(t, 403, a.op("c-a", "delegate_task", `{"performer_agent_id":"`+stranger.id+`","summary":"","description":""}`).status)
	require.Equal(t, 403, a.op("c-a", "accept_task", by("")).status)
}

// TestCommandEvents: the agent that a command is for gets it, never as something that notifies, and nobody else does.
func TestCommandEvents(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	s := a.open("c-a", "&rooms="+room).hello()
	other := b.open("c-b", "&rooms="+room).hello()
	r := g.do("POST", a.path("/runtime-state"), a.key,
		`{"room_id":"`+room+`","state":"working","control_capabilities":{"interrupt":true,"reset":true}}`)
	require.Equal(t, 200, r.status, r.body)
	root, _ := b.post(room, "root")
	require.Equal(t, "root", s.body())
	send := func(cmd core.SendCommand) {
		t.Helper()
		cmd.By, cmd.Target = core.Person{ID: "u-1", Name: "Ada"}, a.id
		_, err := g.node.SendCommand(context.Background(), room, cmd)
		require.NoError(t, err)
	}
	send(core.SendCommand{Command: core.CommandInterrupt, Args: "stop it", Thread: root})
	frameOf(t, s.next(), "command", room,
		`{"command":"interrupt","args":"stop it","user_id":"u-1","user_name":"Ada","thread_id":"`+root+`"}`)
	send(core.SendCommand{Command: core.CommandReset})
	frameOf(t, s.next(), "command", room,
		`{"command":"reset","args":"","user_id":"u-1","user_name":"Ada","thread_id":null}`)
	b.post(room, "@alice end")
	a.post(room, "end")
	require.Equal(t, "@alice end", s.body())
	require.Equal(t, "end", other.body())

	filtered := a.open("c-f", "&filter=addressed&rooms="+room).hello()
	send(core.SendCommand{Command: core.CommandReset})
	b.post(room, "@alice there")
	require.Equal(t, "@alice there", filtered.body(), "a filtered stream is shown no command")
}
