package core

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// taskRoom is a room of two with that many tasks with texts of that many bytes.
func taskRoom(tasks, bytes int) *Room {
	r := &Room{
		RoomFacts: RoomFacts{ID: "room_1", Floor: FloorOpen, State: StateActive}, Version: 1,
		Members: map[string]*Member{"a": {Agent: "a"}, "b": {Agent: "b"}}, Tasks: map[string]*Task{},
	}
	for i := range tasks {
		id := fmt.Sprint(i)
		outcome := strings.Repeat("x", bytes)
		r.Tasks[id] = &Task{ID: id, Requester: "a", Performer: "b", Status: TaskDone, Outcome: &outcome}
	}
	return r
}

// TestTasksAreBounded: in number, in their texts together, and in their notes; and what was begun can always be ended.
func TestTasksAreBounded(t *testing.T) {
	env := Env{Now: time.UnixMilli(1).UTC()}
	give := DelegateTask{Requester: "a", Performer: "b", Description: strings.Repeat("x", MaxTaskText)}
	decide := func(r *Room) error {
		events, _, err := give.decide(r, env)
		for _, e := range events {
			r.Apply(&Recorded{Event: Event{Payload: e, At: env.Now, Version: r.Version + 1}})
		}
		return err
	}
	var full *InvalidError
	require.NoError(t, decide(taskRoom(MaxTasks-1, 1)))
	require.ErrorAs(t, decide(taskRoom(MaxTasks, 1)), &full)
	require.Contains(t, full.Reason, "10000 tasks")

	r := taskRoom(0, 0)
	for decide(r) == nil {
		require.Less(t, len(r.Tasks), MaxTasks)
	}
	require.Equal(t, MaxTaskTexts/(2*MaxTaskText+taskOverhead), len(r.Tasks), "an open task counts with the outcome it may get")
	require.ErrorAs(t, decide(r), &full)
	for id := range r.Tasks {
		end := FinaliseTask{Performer: "b", Task: id, Outcome: strings.Repeat("x", MaxTaskText)}
		events, _, err := end.decide(r, env)
		require.NoError(t, err)
		for _, e := range events {
			r.Apply(&Recorded{Event: Event{Payload: e, At: env.Now, Version: r.Version + 1}})
		}
	}

	r = taskRoom(0, 0)
	require.NoError(t, decide(r))
	var id string
	for id = range r.Tasks {
	}
	note := UpdateTask{Performer: "b", Task: id, Note: "n"}
	for range MaxTaskUpdates {
		events, _, err := note.decide(r, env)
		require.NoError(t, err)
		r.Apply(&Recorded{Event: Event{Payload: events[0], At: env.Now, Version: r.Version + 1}})
	}
	_, _, err := note.decide(r, env)
	require.ErrorAs(t, err, &full)
	require.Contains(t, full.Reason, "200 updates")
}
