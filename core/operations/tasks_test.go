package operations_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

// TestTaskOperations follows tasks through every operation and compares the answers byte for byte.
func TestTaskOperations(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	a, b := w.connect(t, ada, room), operations.Caller{Agent: bob.ID, Room: room}
	var given struct {
		TaskID string `json:"task_id"`
	}
	out := w.must(t, b, "delegate_task", `{"performer_agent_id":"`+ada.ID+`","summary":"dig","description":"a hole"}`)
	require.NoError(t, json.Unmarshal([]byte(out), &given))
	id := given.TaskID
	require.Equal(t, `{"task_id":"`+id+`","status":"pending","target_status":"live"}`, out)
	back := w.must(t, a, "delegate_task", `{"performer_agent_id":"`+bob.ID+`","summary":"fill","description":"the hole"}`)
	require.Contains(t, back, `"target_status":"no_session"`)

	w.ms.Add(1000)
	require.Equal(t, `{"status":"ongoing","accepted_at":"2026-01-02T03:04:06.678000+00:00"}`,
		w.must(t, a, "accept_task", `{"task_id":"`+id+`"}`))
	require.Equal(t, `{"status":"updated","updates_count":1}`, w.must(t, a, "update_task", `{"task_id":"`+id+`","update":"half"}`))
	require.Equal(t, `{"status":"updated","updates_count":2}`, w.must(t, a, "update_task", `{"task_id":"`+id+`","update":"all"}`))
	w.ms.Add(1000)
	require.Equal(t, `{"status":"finalised","finalised_at":"2026-01-02T03:04:07.678000+00:00"}`,
		w.must(t, a, "finalise_task", `{"task_id":"`+id+`","outcome":"dug"}`))
	require.Contains(t, w.must(t, b, "read_context", `{}`), `"body":"dug"`, "everybody can read the outcome")

	row := `{"id":"` + id + `","summary":"dig","description":"a hole","status":"finalised","requester_agent_id":"` + bob.ID +
		`","performer_agent_id":"` + ada.ID + `","updates":["half","all"],"outcome":"dug","created_at":"2026-01-02T03:04:05.678000+00:00",` +
		`"accepted_at":"2026-01-02T03:04:06.678000+00:00","finalised_at":"2026-01-02T03:04:07.678000+00:00"}`
	require.Equal(t, `[`+row+`]`, w.must(t, b, "list_tasks", `{"role":"delegated"}`))
	require.Equal(t, `[`+row+`]`, w.must(t, a, "list_tasks", `{"role":"assigned","status":"finalised"}`))
	require.Equal(t, `[]`, w.must(t, a, "list_tasks", `{"status":"cancelled"}`))

	require.NoError(t, json.Unmarshal([]byte(back), &given))
	require.Equal(t, `{"status":"cancelled","reason":"no need"}`,
		w.must(t, a, "cancel_task", `{"task_id":"`+given.TaskID+`","reason":"no need"}`))
	withdrawn := w.must(t, a, "list_tasks", `{"status":"cancelled"}`)
	require.Contains(t, withdrawn, `"updates":[],"outcome":"no need"`)
	require.Contains(t, withdrawn, `"accepted_at":null`)
	var both []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(w.must(t, a, "list_tasks", `{"role":null,"status":null}`)), &both))
	require.Len(t, both, 2)
}

func TestTaskOperationRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	c := w.connect(t, ada, room)
	var given struct {
		TaskID string `json:"task_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(w.must(t, c, "delegate_task",
		`{"performer_agent_id":"`+bob.ID+`","summary":"","description":""}`)), &given))
	before := w.n.Applied()
	for _, tc := range []struct {
		op, args string
		want     error
	}{
		{"delegate_task", `{"performer_agent_id":"bob","summary":"","description":""}`, core.ErrNoAgent},
		{"accept_task", `{"task_id":"` + given.TaskID + `"}`, core.ErrNotPerformer},
		{"accept_task", `{"task_id":"task_none"}`, core.ErrNoTask},
		{"update_task", `{"task_id":"` + given.TaskID + `","update":""}`, core.ErrNotPerformer},
		{"finalise_task", `{"task_id":"` + given.TaskID + `","outcome":""}`, core.ErrNotPerformer},
		{"cancel_task", `{"task_id":"task_none","reason":""}`, core.ErrNoTask},
	} {
		_, err := w.call(t, c, tc.op, tc.args)
		require.ErrorIs(t, err, tc.want, "%s %s", tc.op, tc.args)
	}
	for _, tc := range []struct{ op, args, want string }{
		{"delegate_task", `{"performer_agent_id":"x"}`, "missing required arguments: summary, description"},
		{"list_tasks", `{"role":"requester"}`, `argument "role": must be "delegated", "assigned" or null`},
		{"list_tasks", `{"role":""}`, `argument "role"`},
		{"list_tasks", `{"status":"done"}`, `argument "status": must be "pending", "ongoing", "finalised", "cancelled" or null`},
		{"list_tasks", `{"status":1}`, `argument "status" must be a string or null`},
	} {
		_, err := w.call(t, c, tc.op, tc.args)
		require.ErrorContains(t, err, tc.want, "%s %s", tc.op, tc.args)
	}
	for op, args := range map[string]string{
		"delegate_task": `{"performer_agent_id":"x","summary":"","description":""}`, "accept_task": `{"task_id":"x"}`,
		"update_task": `{"task_id":"x","update":""}`, "finalise_task": `{"task_id":"x","outcome":""}`,
		"cancel_task": `{"task_id":"x","reason":""}`, "list_tasks": `{}`,
	} {
		_, err := w.call(t, operations.Caller{Agent: ada.ID}, op, args)
		require.ErrorIs(t, err, operations.ErrNotConnected, op)
		d, ok := w.ops.Lookup(op)
		require.True(t, ok)
		require.True(t, d.RoomScoped, op)
	}
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}

// TestListTasksIsBounded: of very many tasks the newest are shown.
func TestListTasksIsBounded(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	const more = 3
	for i := range 1000 + more {
		w.ms.Add(1)
		step, _, err := w.n.DelegateTask(t.Context(), room, core.DelegateTask{Requester: ada.ID, Performer: ada.ID, Summary: fmt.Sprint(i)}, nil)
		require.NoError(t, err)
		_, _, err = w.n.CancelTask(t.Context(), room, core.CancelTask{Requester: ada.ID, Task: step.Task}, nil)
		require.NoError(t, err)
	}
	var rows []operations.TaskRow
	require.NoError(t, json.Unmarshal([]byte(w.must(t, operations.Caller{Agent: ada.ID, Room: room}, "list_tasks", `{}`)), &rows))
	require.Len(t, rows, 1000)
	require.Equal(t, fmt.Sprint(more), rows[0].Summary)
	require.Equal(t, fmt.Sprint(999+more), rows[999].Summary)
}
