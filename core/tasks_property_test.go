package core_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// TestTasksFollowTheirRules runs random commands about tasks, by members and others, against a model of the rules, and
// asserts that folding the log anew gives the state that was built live.
func TestTasksFollowTheirRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		now, log := newClock(), memlog.New()
		n, err := core.Open(ctx, log, core.Options{Now: now.Now})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, n.Close(ctx)) }()
		m := &taskMachine{n: n, members: map[string]bool{}}
		for i := range 4 {
			r, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "bot"}, DeriveHandle: true})
			require.NoError(rt, err)
			m.agents = append(m.agents, r.Agent)
			m.members[r.Agent.ID] = i < 3
		}
		made, _, err := n.CreateRoom(ctx, core.CreateRoom{
			Facts:   core.RoomFacts{Name: "open"},
			Members: []core.NewMember{member(m.agents[0]), member(m.agents[1]), member(m.agents[2])},
		}, nil)
		require.NoError(rt, err)
		m.room = made.Room
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			now.Advance(time.Duration(rapid.IntRange(0, 3).Draw(rt, "advance")) * time.Second)
			m.step(rt)
		}
		m.check(rt, log)
	})
}

type taskMachine struct {
	n       *core.Node
	room    string
	agents  []core.Agent
	members map[string]bool
	tasks   []*core.Task
	said    int
}

func (m *taskMachine) step(rt *rapid.T) {
	ctx := context.Background()
	agent := rapid.SampledFrom(m.agents).Draw(rt, "agent").ID
	command := rapid.SampledFrom([]string{"delegate", "accept", "update", "finalise", "cancel", "leave", "join"}).Draw(rt, "command")
	text := rapid.String().Draw(rt, "text")
	switch command {
	case "leave":
		err := m.n.LeaveRoom(ctx, m.room, core.LeaveRoom{Agent: agent})
		require.True(rt, err == nil || !m.members[agent], "%v", err)
		m.members[agent] = false
		return
	case "join":
		i := slices.IndexFunc(m.agents, func(a core.Agent) bool { return a.ID == agent })
		require.NoError(rt, m.n.JoinRoom(ctx, m.room, core.JoinRoom{Member: member(m.agents[i])}))
		m.members[agent] = true
		return
	case "delegate":
		to := rapid.SampledFrom(m.agents).Draw(rt, "performer").ID
		step, _, err := m.n.DelegateTask(ctx, m.room, core.DelegateTask{Requester: agent, Performer: to, Summary: text}, nil)
		require.Equal(rt, m.members[agent] && m.members[to], err == nil, "%v", err)
		if err == nil {
			m.tasks = append(m.tasks, &core.Task{
				ID: step.Task, Requester: agent, Performer: to, Summary: text, Status: core.TaskPending, CreatedAt: step.At,
			})
		}
		return
	}
	if len(m.tasks) == 0 {
		return
	}
	m.move(rt, command, agent, rapid.SampledFrom(m.tasks).Draw(rt, "task"), text)
}

// move takes a step with a task if the rules let the agent.
func (m *taskMachine) move(rt *rapid.T, command, agent string, task *core.Task, text string) {
	ctx := context.Background()
	allowed := m.members[agent] && !task.Ended()
	var step core.TaskStep
	var err error
	switch command {
	case "accept":
		allowed = allowed && task.Performer == agent && task.Status == core.TaskPending
		step, _, err = m.n.AcceptTask(ctx, m.room, core.AcceptTask{Performer: agent, Task: task.ID}, nil)
	case "update":
		allowed = allowed && task.Performer == agent
		step, _, err = m.n.UpdateTask(ctx, m.room, core.UpdateTask{Performer: agent, Task: task.ID, Note: text}, nil)
	case "finalise":
		allowed = allowed && task.Performer == agent
		step, _, err = m.n.FinaliseTask(ctx, m.room, core.FinaliseTask{Performer: agent, Task: task.ID, Outcome: fmt.Sprintf("%q", text)}, nil)
	case "cancel":
		allowed = allowed && task.Requester == agent
		step, _, err = m.n.CancelTask(ctx, m.room, core.CancelTask{Requester: agent, Task: task.ID, Reason: text}, nil)
	}
	require.Equal(rt, allowed, err == nil, "%s: %v", command, err)
	if err != nil {
		return
	}
	switch command {
	case "accept":
		task.AcceptedAt = step.At
	case "update":
		task.Updates = append(task.Updates, text)
	case "finalise":
		outcome := fmt.Sprintf("%q", text)
		task.Outcome, task.FinalisedAt = &outcome, step.At
		m.said++
	case "cancel":
		task.Outcome, task.FinalisedAt = &text, step.At
	}
	task.Status = step.Status
}

func (m *taskMachine) check(rt *rapid.T, log core.Log) {
	ctx := context.Background()
	var live []byte
	require.NoError(rt, m.n.ViewRoom(ctx, m.room, func(r *core.Room) {
		live = mustJSON(rt, r)
		require.Len(rt, r.Tasks, len(m.tasks))
		require.Equal(rt, m.said, r.Turn, "each outcome is said once")
		for _, want := range m.tasks {
			require.Equal(rt, want, r.Tasks[want.ID])
		}
	}))
	rebuilt := &core.Room{}
	for rec, err := range log.Read(ctx, core.RoomStream(m.room), 0) {
		require.NoError(rt, err)
		decodeAnew(rt, &rec)
		rebuilt.Apply(&rec)
	}
	require.Equal(rt, string(mustJSON(rt, rebuilt)), string(live))
}
