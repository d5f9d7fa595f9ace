package operations

import (
	"context"
	"time"

	"stele/core"
)

// DelegatedRow is the answer to delegate_task.
type DelegatedRow struct {
	TaskID       string          `json:"task_id"`
	Status       core.TaskStatus `json:"status"`
	TargetStatus core.Status     `json:"target_status"`
}

// AcceptedRow is the answer to accept_task.
type AcceptedRow struct {
	Status     core.TaskStatus `json:"status"`
	AcceptedAt string          `json:"accepted_at"`
}

// UpdatedRow is the answer to update_task. Its status says what was done and is no state of a task.
type UpdatedRow struct {
	Status       string `json:"status"`
	UpdatesCount int    `json:"updates_count"`
}

// FinalisedRow is the answer to finalise_task.
type FinalisedRow struct {
	Status      core.TaskStatus `json:"status"`
	FinalisedAt string          `json:"finalised_at"`
}

// CancelledRow is the answer to cancel_task.
type CancelledRow struct {
	Status core.TaskStatus `json:"status"`
	Reason string          `json:"reason"`
}

type delegateTaskArgs struct {
	PerformerAgentID string `op:"performer_agent_id"`
	Summary          string `op:"summary"`
	Description      string `op:"description"`
}

func delegateTask() *operation {
	return define("delegate_task",
		"Hand work to an agent in the current room and keep track of it. performer_agent_id is the agent's id, not its "+
			"name (see list_participants); it must be in this room and must let you address it. summary says in one line "+
			"what is to be done, description everything the agent needs to do it, since it may know nothing else. The "+
			"agent alone is told, and you are told when it accepts, reports progress and finishes. Returns the task_id, "+
			"with which you can withdraw the task (cancel_task), and in target_status how present the agent is: live "+
			"means that it learns of the task now, dormant that a session is started for it, anything else that it may "+
			"learn of it late or never.",
		func(ctx context.Context, r *Registry, c Caller, a delegateTaskArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			step, _, err := r.node.DelegateTask(ctx, room, core.DelegateTask{
				Requester: c.Agent, Performer: a.PerformerAgentID, Summary: a.Summary, Description: a.Description,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return DelegatedRow{
				TaskID: step.Task, Status: step.Status, TargetStatus: r.node.Presence(a.PerformerAgentID, room),
			}, nil
		})
}

type acceptTaskArgs struct {
	TaskID string `op:"task_id"`
}

func acceptTask() *operation {
	return define("accept_task",
		"Begin work on a task that was given to you in the current room and that is still pending (see list_tasks with "+
			"role assigned). Whoever gave it is told. Say how it goes with update_task and end it with finalise_task.",
		func(ctx context.Context, r *Registry, c Caller, a acceptTaskArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			step, _, err := r.node.AcceptTask(ctx, room, core.AcceptTask{Performer: c.Agent, Task: a.TaskID}, c.Key)
			if err != nil {
				return nil, err
			}
			return AcceptedRow{Status: step.Status, AcceptedAt: isoTime(step.At)}, nil
		})
}

type updateTaskArgs struct {
	TaskID string `op:"task_id"`
	Update string `op:"update"`
}

func updateTask() *operation {
	return define("update_task",
		"Add a note about your progress to a task that was given to you in the current room and has not ended. Whoever "+
			"gave it is told, and nobody else. Use it for what changes expectations, not for every step. Returns how many "+
			"notes the task has now.",
		func(ctx context.Context, r *Registry, c Caller, a updateTaskArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			step, _, err := r.node.UpdateTask(ctx, room, core.UpdateTask{Performer: c.Agent, Task: a.TaskID, Note: a.Update}, c.Key)
			if err != nil {
				return nil, err
			}
			return UpdatedRow{Status: "updated", UpdatesCount: step.Updates}, nil
		})
}

type finaliseTaskArgs struct {
	TaskID  string `op:"task_id"`
	Outcome string `op:"outcome"`
}

func finaliseTask() *operation {
	return define("finalise_task",
		"End a task that was given to you in the current room, with its outcome: the result, or why there is none. "+
			"Whoever gave it is told, and the outcome is also posted as a message of yours that everybody in the room can "+
			"read, so do not post it again. A task that has ended cannot be changed any more.",
		func(ctx context.Context, r *Registry, c Caller, a finaliseTaskArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			step, _, err := r.node.FinaliseTask(ctx, room, core.FinaliseTask{
				Performer: c.Agent, Task: a.TaskID, Outcome: a.Outcome,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return FinalisedRow{Status: step.Status, FinalisedAt: isoTime(step.At)}, nil
		})
}

type cancelTaskArgs struct {
	TaskID string `op:"task_id"`
	Reason string `op:"reason"`
}

func cancelTask() *operation {
	return define("cancel_task",
		"Withdraw a task that you delegated in the current room and that has not ended, with the reason. The agent that "+
			"it was given to is told and should stop working on it.",
		func(ctx context.Context, r *Registry, c Caller, a cancelTaskArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			step, _, err := r.node.CancelTask(ctx, room, core.CancelTask{Requester: c.Agent, Task: a.TaskID, Reason: a.Reason}, c.Key)
			if err != nil {
				return nil, err
			}
			return CancelledRow{Status: step.Status, Reason: a.Reason}, nil
		})
}

// isoTime writes a time as operations about tasks carry it (Switch protocol: task timestamps): microseconds, UTC, ISO 8601.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
