package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func delegate(t testing.TB, n *core.Node, room string, from, to core.Agent, summary string) string {
	t.Helper()
	step, _, err := n.DelegateTask(t.Context(), room, core.DelegateTask{
		Requester: from.ID, Performer: to.ID, Summary: summary, Description: "all of it",
	}, nil)
	require.NoError(t, err)
	require.Equal(t, core.TaskPending, step.Status)
	return step.Task
}

// TestTaskLife follows a task from its beginning to its end, and the same in a node that starts from the log alone.
func TestTaskLife(t *testing.T) {
	now, log := newClock(), memlog.New()
	n := openNode(t, log, core.Options{Now: now.Now})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	created := n.Now()
	id := delegate(t, n, room, alice, bob, "dig")
	at, ok := core.TaskRoom(id)
	require.True(t, ok)
	require.Equal(t, room, at, "a task is found by its id")

	now.Advance(time.Second)
	accepted, _, err := n.AcceptTask(t.Context(), room, core.AcceptTask{Performer: bob.ID, Task: id}, nil)
	require.NoError(t, err)
	for i, note := range []string{"half", "", "half"} {
		step, _, err := n.UpdateTask(t.Context(), room, core.UpdateTask{Performer: bob.ID, Task: id, Note: note}, nil)
		require.NoError(t, err)
		require.Equal(t, i+1, step.Updates)
		require.Equal(t, core.TaskOngoing, step.Status)
	}
	ended, placed, err := n.FinaliseTask(t.Context(), room, core.FinaliseTask{Performer: bob.ID, Task: id, Outcome: "@alice dug"}, nil)
	require.NoError(t, err)
	outcome := "@alice dug"
	want := core.Task{
		ID: id, Requester: alice.ID, Performer: bob.ID, Summary: "dig", Description: "all of it", Status: core.TaskDone,
		Updates: []string{"half", "", "half"}, Outcome: &outcome,
		CreatedAt: created, AcceptedAt: accepted.At, FinalisedAt: ended.At,
	}
	for _, who := range []core.Agent{alice, bob} {
		got, err := n.Task(t.Context(), who.ID, id)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	var last []*core.Entry
	for e, err := range n.HistoryOf(room).After(t.Context(), placed.Version-1) {
		require.NoError(t, err)
		last = append(last, e)
	}
	require.Len(t, last, 2, "the end of the task and its outcome are one unit")
	require.Equal(t, outcome, last[0].Payload.(*core.TaskFinalisedEvent).Text)
	said := last[1].Payload.(*core.MessagePostedEvent)
	require.Equal(t, outcome, said.Text)
	require.Equal(t, bob.ID, said.Sender)
	require.True(t, said.Addresses(alice.ID), "mentions in an outcome count")

	again := openNode(t, log, core.Options{NodeID: "again", Now: now.Now})
	got, err := again.Task(t.Context(), alice.ID, id)
	require.NoError(t, err)
	require.Equal(t, want, got, "what was noted survives a reload")
	sum, _ := again.Room(room)
	require.Equal(t, 1, sum.Tasks)
}

func TestTaskRefusals(t *testing.T) {
	n := newNode(t)
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	private, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "dora", Handle: "dora", Policy: &core.AddressingPolicy{Rules: []core.AddressingRule{{Rooms: []string{"*"}, Agents: []string{bob.ID}}}},
	}})
	require.NoError(t, err)
	dora := private.Agent
	room := openRoom(t, n, alice, bob, dora)
	turns := turnsRoom(t, n, alice, bob, 10)
	closed := openRoom(t, n, alice, bob)
	lost := delegate(t, n, closed, alice, bob, "too late")
	_, _, err = n.CloseRoom(t.Context(), closed, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	pending := delegate(t, n, room, alice, bob, "pending")
	delegate(t, n, room, dora, dora, "one may always ask oneself")
	delegate(t, n, room, bob, dora, "let in")

	over := map[core.TaskStatus]string{}
	for _, status := range []core.TaskStatus{core.TaskDone, core.TaskWithdrew} {
		over[status] = delegate(t, n, room, alice, bob, string(status))
	}
	_, _, err = n.FinaliseTask(t.Context(), room, core.FinaliseTask{Performer: bob.ID, Task: over[core.TaskDone]}, nil)
	require.NoError(t, err, "a task may be finished without having been accepted")
	_, _, err = n.CancelTask(t.Context(), room, core.CancelTask{Requester: alice.ID, Task: over[core.TaskWithdrew]}, nil)
	require.NoError(t, err)

	long := strings.Repeat("x", core.MaxTaskText+1)
	type ask func(room string) error
	give := func(from, to, summary, description string) ask {
		return func(room string) error {
			_, _, err := n.DelegateTask(t.Context(), room, core.DelegateTask{
				Requester: from, Performer: to, Summary: summary, Description: description,
			}, nil)
			return err
		}
	}
	accept := func(who core.Agent, id string) ask {
		return func(room string) error {
			_, _, err := n.AcceptTask(t.Context(), room, core.AcceptTask{Performer: who.ID, Task: id}, nil)
			return err
		}
	}
	note := func(who core.Agent, id, text string) ask {
		return func(room string) error {
			_, _, err := n.UpdateTask(t.Context(), room, core.UpdateTask{Performer: who.ID, Task: id, Note: text}, nil)
			return err
		}
	}
	finalise := func(who core.Agent, id, text string) ask {
		return func(room string) error {
			_, _, err := n.FinaliseTask(t.Context(), room, core.FinaliseTask{Performer: who.ID, Task: id, Outcome: text}, nil)
			return err
		}
	}
	cancel := func(who core.Agent, id, text string) ask {
		return func(room string) error {
			_, _, err := n.CancelTask(t.Context(), room, core.CancelTask{Requester: who.ID, Task: id, Reason: text}, nil)
			return err
		}
	}
	for name, tc := range map[string]struct {
		room string
		ask  ask
		want error
	}{
		"delegate: no room":            {"room_none", give(alice.ID, bob.ID, "", ""), core.ErrNoRoom},
		"delegate: not a member":       {room, give(carol.ID, bob.ID, "", ""), core.ErrNotMember},
		"delegate: unknown performer":  {room, give(alice.ID, "agt_none", "", ""), core.ErrNoAgent},
		"delegate: performer not here": {room, give(alice.ID, carol.ID, "", ""), core.ErrNotInRoom},
		"delegate: policy":             {room, give(alice.ID, dora.ID, "", ""), core.ErrNotPermitted},
		"delegate: summary too long":   {room, give(alice.ID, bob.ID, long[:core.MaxTaskSummary+1], ""), &core.TooLongError{Field: "summary", Unit: "bytes", Max: core.MaxTaskSummary, Got: core.MaxTaskSummary + 1}},
		"delegate: text too long":      {room, give(alice.ID, bob.ID, "", long), &core.TooLongError{Field: "description", Unit: "bytes", Max: core.MaxTaskText, Got: len(long)}},
		"delegate: closed room":        {closed, give(alice.ID, bob.ID, "", ""), &core.RoomNotActiveError{Room: closed, State: core.StateClosed}},
		"delegate: turns":              {turns, give(alice.ID, bob.ID, "", ""), &core.InvalidError{Field: "task", Reason: "this room belongs to two that speak in turns; it has no tasks"}},
		"accept: unknown":              {room, accept(bob, "task_none"), core.ErrNoTask},
		"accept: another room's":       {room, accept(bob, lost), core.ErrNoTask},
		"accept: not a member":         {room, accept(carol, pending), core.ErrNotMember},
		"accept: requester":            {room, accept(alice, pending), core.ErrNotPerformer},
		"accept: onlooker":             {room, accept(dora, pending), core.ErrNotPerformer},
		"accept: closed room":          {closed, accept(bob, lost), &core.RoomNotActiveError{Room: closed, State: core.StateClosed}},
		"accept: done":                 {room, accept(bob, over[core.TaskDone]), &core.TaskStateError{Task: over[core.TaskDone], Status: core.TaskDone}},
		"accept: withdrawn":            {room, accept(bob, over[core.TaskWithdrew]), &core.TaskStateError{Task: over[core.TaskWithdrew], Status: core.TaskWithdrew}},
		"update: unknown":              {room, note(bob, "", ""), core.ErrNoTask},
		"update: requester":            {room, note(alice, pending, ""), core.ErrNotPerformer},
		"update: done":                 {room, note(bob, over[core.TaskDone], ""), &core.TaskStateError{Task: over[core.TaskDone], Status: core.TaskDone}},
		"update: too long":             {room, note(bob, pending, long), &core.TooLongError{Field: "update", Unit: "bytes", Max: core.MaxTaskText, Got: len(long)}},
		"finalise: requester":          {room, finalise(alice, pending, ""), core.ErrNotPerformer},
		"finalise: twice":              {room, finalise(bob, over[core.TaskDone], "again"), &core.TaskStateError{Task: over[core.TaskDone], Status: core.TaskDone}},
		"finalise: withdrawn":          {room, finalise(bob, over[core.TaskWithdrew], ""), &core.TaskStateError{Task: over[core.TaskWithdrew], Status: core.TaskWithdrew}},
		"finalise: too long":           {room, finalise(bob, pending, long), &core.TooLongError{Field: "outcome", Unit: "bytes", Max: core.MaxTaskText, Got: len(long)}},
		"cancel: performer":            {room, cancel(bob, pending, ""), core.ErrNotRequester},
		"cancel: onlooker":             {room, cancel(dora, pending, ""), core.ErrNotRequester},
		"cancel: done":                 {room, cancel(alice, over[core.TaskDone], ""), &core.TaskStateError{Task: over[core.TaskDone], Status: core.TaskDone}},
		"cancel: too long":             {room, cancel(alice, pending, long), &core.TooLongError{Field: "reason", Unit: "bytes", Max: core.MaxTaskText, Got: len(long)}},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			require.Equal(t, tc.want, tc.ask(tc.room))
			require.Equal(t, before, n.Applied(), "a refusal changes nothing")
		})
	}
	for _, id := range []string{"", "task_", "task_x", "task_x_", "msg_x_" + room, pending + "x", lost} {
		_, err := n.Task(t.Context(), dora.ID, id)
		require.ErrorIs(t, err, core.ErrNoTask, id)
	}
	_, err = n.Task(t.Context(), dora.ID, pending)
	require.ErrorIs(t, err, core.ErrNoTask, "whom it does not concern is not told")
}

// TestTaskOutcomeIsAMessage, unless there is nothing to say.
func TestTaskOutcomeIsAMessage(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	for _, outcome := range []string{"done", " ", "", "done"} {
		id := delegate(t, n, room, alice, bob, "x")
		_, _, err := n.FinaliseTask(t.Context(), room, core.FinaliseTask{Performer: bob.ID, Task: id, Outcome: outcome}, nil)
		require.NoError(t, err)
	}
	r := n.NewRoomReader(room, 0)
	defer r.Close()
	require.Equal(t, []string{"done", "done"}, texts(take(t, r, 3+8+2)))
	nothingLeft(t, r)
}

func TestTaskLists(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	room := openRoom(t, n, alice, bob)
	var ids []string
	for _, pair := range [][2]core.Agent{{alice, bob}, {bob, alice}, {alice, alice}, {bob, bob}} {
		now.Advance(time.Second)
		ids = append(ids, delegate(t, n, room, pair[0], pair[1], "x"))
	}
	_, _, err := n.AcceptTask(t.Context(), room, core.AcceptTask{Performer: bob.ID, Task: ids[0]}, nil)
	require.NoError(t, err)
	for _, tc := range []struct {
		filter core.TaskFilter
		want   []int
	}{
		{core.TaskFilter{}, []int{0, 1, 2}},
		{core.TaskFilter{Delegated: true}, []int{0, 2}},
		{core.TaskFilter{Assigned: true}, []int{1, 2}},
		{core.TaskFilter{Status: core.TaskPending}, []int{1, 2}},
		{core.TaskFilter{Delegated: true, Status: core.TaskOngoing}, []int{0}},
		{core.TaskFilter{Status: core.TaskDone}, nil},
	} {
		got, err := n.TasksIn(t.Context(), alice.ID, room, tc.filter)
		require.NoError(t, err)
		var want, have []string
		for _, i := range tc.want {
			want = append(want, ids[i])
		}
		for _, task := range got {
			have = append(have, task.ID)
		}
		require.Equal(t, want, have, "%+v", tc.filter)
	}
	_, err = n.TasksIn(t.Context(), carol.ID, room, core.TaskFilter{})
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = n.TasksIn(t.Context(), carol.ID, "room_none", core.TaskFilter{})
	require.ErrorIs(t, err, core.ErrNoRoom)
}

// TestTaskCommandsAreIdempotent: the same key gets the same answer, and the second time nothing happens.
func TestTaskCommandsAreIdempotent(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	key := &core.Key{Agent: alice.ID, Value: "k", BodyHash: "h"}
	cmd := core.DelegateTask{Requester: alice.ID, Performer: bob.ID, Summary: "once"}
	first, _, err := n.DelegateTask(t.Context(), room, cmd, key)
	require.NoError(t, err)
	second, placed, err := n.DelegateTask(t.Context(), room, cmd, key)
	require.NoError(t, err)
	require.True(t, placed.Replayed)
	require.Equal(t, first, second)
	tasks, err := n.TasksIn(t.Context(), alice.ID, room, core.TaskFilter{})
	require.NoError(t, err)
	require.Len(t, tasks, 1)
}
