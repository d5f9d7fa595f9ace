package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	shapeTask = "id string, room_id string, requester_agent_id string, performer_agent_id string, summary string, description string, status string, " +
		"updates list, outcome string?, created_at string, accepted_at string?, finalised_at string?"
	shapeListedTask = "id string, summary string, description string, status string, requester_agent_id string, performer_agent_id string, updates list, " +
		"outcome string?, created_at string, accepted_at string?, finalised_at string?"
	isoDate = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`
)

// work is a room with a requester and a performer, each with a session and a watcher that hears only what concerns it.
type work struct {
	room                 string
	a, b                 *agent
	requester, performer *stream
}

func newWork(t *testing.T, s *server) work {
	t.Helper()
	a, b, c := s.agents(t)
	room := a.room(t, a, b, c)
	return work{room: room, a: a, b: b, requester: a.within(t, room, "filter=addressed"), performer: b.within(t, room, "filter=addressed")}
}

func (w work) delegate(t *testing.T) string {
	t.Helper()
	o := w.requester.call(t, "delegate_task", object{"performer_agent_id": w.b.id, "summary": "dig", "description": "a hole"})
	return text(t, o, "task_id")
}

// ids expects the ids that every task event carries.
func (w work) ids(t *testing.T, e event, task string) {
	t.Helper()
	require.Equal(t, task, e.payload["task_id"])
	require.Equal(t, w.a.id, e.payload["requester_agent_id"])
	require.Equal(t, w.b.id, e.payload["performer_agent_id"])
	require.Equal(t, w.room, e.envelope["room_id"])
}

func TestTasks(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const idsOf = "task_id string, requester_agent_id string, performer_agent_id string"
	t.Run("life", func(t *testing.T) {
		shows(t, "4.10-delegate_task", "4.10-accept_task", "4.10-update_task", "4.10-finalise_task", "4.10-states", "4.3-dates-iso",
			"3.2-task_delegate", "3.2-task_accept", "3.2-task_update", "3.2-task_finalise", "3.2-task-ids", "3.3-delegate-cancel", "3.3-accept-update-finalise")
		w := newWork(t, s)
		o := shape(t, w.requester.call(t, "delegate_task", object{"performer_agent_id": w.b.id, "summary": "dig", "description": "a hole"}),
			"task_id string, status string, target_status string")
		require.Equal(t, "pending", o["status"])
		require.Equal(t, "live", o["target_status"])
		task := text(t, o, "task_id")
		e := w.performer.event(t, "task_delegate")
		shape(t, e.payload, idsOf+", summary string, description string")
		w.ids(t, e, task)
		require.Equal(t, "dig", e.payload["summary"])

		o = shape(t, w.performer.call(t, "accept_task", object{"task_id": task}), "status string, accepted_at string")
		require.Equal(t, "ongoing", o["status"])
		require.Regexp(t, isoDate, o["accepted_at"])
		e = w.requester.event(t, "task_accept")
		shape(t, e.payload, idsOf)
		w.ids(t, e, task)

		for i, note := range []string{"begun", "half"} {
			o = shape(t, w.performer.call(t, "update_task", object{"task_id": task, "update": note}), "status string, updates_count int")
			require.Equal(t, object{"status": "updated", "updates_count": float64(i + 1)}, o)
			e = w.requester.event(t, "task_update")
			shape(t, e.payload, idsOf+", update string")
			w.ids(t, e, task)
			require.Equal(t, note, e.payload["update"])
		}

		o = shape(t, w.performer.call(t, "finalise_task", object{"task_id": task, "outcome": "a deep hole"}), "status string, finalised_at string")
		require.Equal(t, "finalised", o["status"])
		require.Regexp(t, isoDate, o["finalised_at"])
		e = w.requester.event(t, "task_finalise")
		shape(t, e.payload, idsOf+", outcome string")
		w.ids(t, e, task)
		require.Equal(t, "a deep hole", e.payload["outcome"])
		// The outcome is said in the room too, and nothing came twice or to the wrong side.
		shown := w.performer.call(t, "read_context", object{"limit": 1})
		require.Contains(t, text(t, shown, "threads", 0, "root", "body"), "a deep hole")
		w.a.say(t, w.room, "@"+w.b.name+" done")
		w.performer.hears(t, "@"+w.b.name+" done")
		w.b.say(t, w.room, "@"+w.a.name+" yes")
		w.requester.hears(t, "@"+w.a.name+" yes")
	})
	t.Run("cancel", func(t *testing.T) {
		shows(t, "4.10-cancel_task", "3.2-task_cancel", "3.3-delegate-cancel", "4.10-cancel_task.errors", "4.10-states")
		w := newWork(t, s)
		task := w.delegate(t)
		w.performer.event(t, "task_delegate")
		w.performer.try(t, "cancel_task", object{"task_id": task, "reason": "x"}).refused(403)
		require.Equal(t, object{"status": "cancelled", "reason": "no need"}, w.requester.call(t, "cancel_task", object{"task_id": task, "reason": "no need"}))
		e := w.performer.event(t, "task_cancel")
		shape(t, e.payload, idsOf+", reason string")
		w.ids(t, e, task)
		require.Equal(t, "no need", e.payload["reason"])
		listed := find(t, list(t, w.requester.call(t, "list_tasks", nil)), "id", task)
		require.Equal(t, "cancelled", listed["status"])
		require.Equal(t, "no need", listed["outcome"])
		w.performer.try(t, "accept_task", object{"task_id": task}).refused(400)
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "4.10-delegate_task.errors", "4.10-accept_task.errors", "4.10-update_task.errors", "4.10-finalise_task.errors")
		w := newWork(t, s)
		delegate := func(performer string) answer {
			return w.requester.try(t, "delegate_task", object{"performer_agent_id": performer, "summary": "s", "description": "d"})
		}
		delegate("no-such-agent").refused(400)
		delegate(s.agent(t).id).refused(403)
		task := w.delegate(t)
		w.requester.try(t, "accept_task", object{"task_id": task}).refused(403)
		w.requester.try(t, "update_task", object{"task_id": task, "update": "x"}).refused(403)
		w.requester.try(t, "finalise_task", object{"task_id": task, "outcome": "x"}).refused(403)
		w.performer.call(t, "accept_task", object{"task_id": task})
		w.performer.try(t, "accept_task", object{"task_id": task}).refused(400)
		for _, op := range []string{"accept_task", "update_task", "finalise_task", "cancel_task"} {
			args := object{"task_id": "no-such-task"}
			for k, v := range needRoom[op] {
				if k != "task_id" {
					args[k] = v
				}
			}
			w.performer.try(t, op, args).refused(400)
		}
	})
	t.Run("list", func(t *testing.T) {
		shows(t, "4.10-list_tasks", "4.3-dates-iso")
		w := newWork(t, s)
		one, two := w.delegate(t), w.delegate(t)
		w.performer.call(t, "accept_task", object{"task_id": two})
		ids := func(stream *stream, args object) []any {
			tasks := list(t, stream.call(t, "list_tasks", args))
			for _, task := range tasks {
				o := shape(t, task, shapeListedTask)
				require.Regexp(t, isoDate, o["created_at"])
			}
			return column(t, tasks, "id")
		}
		require.ElementsMatch(t, anys(one, two), ids(w.requester, object{}))
		require.ElementsMatch(t, anys(one, two), ids(w.performer, object{"role": "assigned"}))
		require.Empty(t, ids(w.performer, object{"role": "delegated"}))
		require.Equal(t, anys(one), ids(w.requester, object{"role": "delegated", "status": "pending"}))
		require.Equal(t, anys(two), ids(w.requester, object{"status": "ongoing"}))
		other := w.a.within(t, w.a.room(t, w.a, w.b))
		require.Empty(t, ids(other, object{}))
	})
	t.Run("self", func(t *testing.T) {
		shows(t, "3.3-self-task", "4.10-unenforced")
		body := fullProfile("always_on")
		body["integration_profile"].(object)["task_protocol"] = object{"can_delegate": false, "can_accept": false}
		made := s.do(t, "POST", "/agents", s.token, body).is(200).object()
		a := &agent{s: s, id: text(t, made, "id"), name: body["name"].(string), key: text(t, made, "api_key")}
		b := s.agent(t)
		room := a.room(t, a, b)
		stream := a.within(t, room)
		told := list(t, stream.call(t, "connect_to_room", object{"room_id": room}), "participants")
		for name, advertised := range map[string]bool{a.name: false, b.name: true} {
			require.Equal(t, advertised, find(t, told, "name", name)["can_delegate"], name)
			require.Equal(t, advertised, find(t, told, "name", name)["can_accept"], name)
		}
		o := stream.call(t, "delegate_task", object{"performer_agent_id": a.id, "summary": "s", "description": "d"})
		stream.call(t, "accept_task", object{"task_id": at(t, o, "task_id")})
		b.say(t, room, "no event before this")
		stream.hears(t, "no event before this")
	})
}

func TestTaskRoutes(t *testing.T) {
	t.Parallel()
	s := shared(t)
	w := newWork(t, s)
	isTask := func(t *testing.T, v any) object {
		t.Helper()
		o := shape(t, v, shapeTask)
		require.Regexp(t, spacedDate, o["created_at"])
		return o
	}
	delegate := func(t *testing.T) string {
		o := shape(t, w.a.post(t, "/tasks/delegate", object{
			"room_id": w.room, "performer_agent_id": w.b.id, "summary": "dig", "description": "a hole",
		}).is(200).json(), "task object, target_status string")
		require.Equal(t, "live", o["target_status"])
		return text(t, isTask(t, o["task"]), "id")
	}
	t.Run("life", func(t *testing.T) {
		shows(t, "1.10-delegate", "1.10-accept", "1.10-update", "1.10-finalise", "1.10-task-shape", "1.10-get", "4.3-dates-iso")
		task := delegate(t)
		o := isTask(t, w.b.post(t, "/tasks/accept", object{"task_id": task}).is(200).json())
		require.Equal(t, "ongoing", o["status"])
		require.Regexp(t, spacedDate, o["accepted_at"])
		o = isTask(t, w.b.post(t, "/tasks/update", object{"task_id": task, "update": "begun"}).is(200).json())
		require.Equal(t, anys("begun"), o["updates"])
		o = isTask(t, w.b.post(t, "/tasks/finalise", object{"task_id": task, "outcome": "deep"}).is(200).json())
		require.Equal(t, "finalised", o["status"])
		require.Equal(t, "deep", o["outcome"])
		require.Regexp(t, spacedDate, o["finalised_at"])
		require.Equal(t, o, isTask(t, w.a.get(t, "/tasks/"+task).is(200).json()))
	})
	t.Run("cancel", func(t *testing.T) {
		shows(t, "1.10-cancel")
		o := isTask(t, w.a.post(t, "/tasks/cancel", object{"task_id": delegate(t), "reason": "no need"}).is(200).json())
		require.Equal(t, "cancelled", o["status"])
	})
	t.Run("list", func(t *testing.T) {
		shows(t, "1.10-list")
		task := delegate(t)
		o := shape(t, w.a.get(t, "/tasks"+query("room_id="+w.room, "role=delegated", "status=pending")).is(200).json(), "tasks list")
		isTask(t, find(t, list(t, o, "tasks"), "id", task))
		require.Empty(t, list(t, w.b.get(t, "/tasks"+query("room_id="+w.room, "role=delegated")).is(200).object(), "tasks"))
		require.NotEmpty(t, list(t, w.b.get(t, "/tasks"+query("room_id="+w.room, "role=assigned")).is(200).object(), "tasks"))
	})
	t.Run("agents", func(t *testing.T) {
		shows(t, "1.10-agents")
		w.a.get(t, "/tasks/agents?room_id="+w.room).refused(404)
	})
}
