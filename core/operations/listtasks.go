package operations

import (
	"context"
	"slices"
	"time"

	"stele/core"
)

type listTasksArgs struct {
	Role   *string `op:"role,default=null"`
	Status *string `op:"status,default=null"`
}

// TaskRow is a task as list_tasks shows it.
type TaskRow struct {
	ID               string          `json:"id"`
	Summary          string          `json:"summary"`
	Description      string          `json:"description"`
	Status           core.TaskStatus `json:"status"`
	RequesterAgentID string          `json:"requester_agent_id"`
	PerformerAgentID string          `json:"performer_agent_id"`
	Updates          []string        `json:"updates"`
	Outcome          *string         `json:"outcome"`
	CreatedAt        string          `json:"created_at"`
	AcceptedAt       *string         `json:"accepted_at"`
	FinalisedAt      *string         `json:"finalised_at"`
}

// maxTaskRows bounds a list of tasks.
const maxTaskRows = 1000

func listTasks() *operation {
	return define("list_tasks",
		"List your tasks in the current room, oldest first: those that you delegated and those that were assigned to "+
			"you. Give role (delegated or assigned) to see one side only, and status (pending, ongoing, finalised or "+
			"cancelled) to see only those that are at that point; assigned and pending are those that wait for you to "+
			"accept them. updates are the performer's notes. outcome is the result, or why the task was cancelled. Of more "+
			"than 1000 tasks the newest 1000 are shown.",
		func(ctx context.Context, r *Registry, c Caller, a listTasksArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			filter, err := taskFilter(a)
			if err != nil {
				return nil, err
			}
			tasks, err := r.node.TasksIn(ctx, c.Agent, room, filter)
			if err != nil {
				return nil, err
			}
			rows := []TaskRow{}
			for _, t := range tasks[max(0, len(tasks)-maxTaskRows):] {
				rows = append(rows, taskRow(t))
			}
			return rows, nil
		})
}

func taskFilter(a listTasksArgs) (f core.TaskFilter, err error) {
	if a.Role != nil {
		switch *a.Role {
		case "delegated":
			f.Delegated = true
		case "assigned":
			f.Assigned = true
		default:
			return f, argument("role", `must be "delegated", "assigned" or null`)
		}
	}
	if a.Status != nil {
		known := []core.TaskStatus{core.TaskPending, core.TaskOngoing, core.TaskDone, core.TaskWithdrew}
		if f.Status = core.TaskStatus(*a.Status); !slices.Contains(known, f.Status) {
			return f, argument("status", `must be "pending", "ongoing", "finalised", "cancelled" or null`)
		}
	}
	return f, nil
}

func taskRow(t *core.Task) TaskRow {
	row := TaskRow{
		ID: t.ID, Summary: t.Summary, Description: t.Description, Status: t.Status,
		RequesterAgentID: t.Requester, PerformerAgentID: t.Performer,
		Updates: t.Updates, Outcome: t.Outcome, CreatedAt: isoTime(t.CreatedAt),
		AcceptedAt: isoTimeOrNull(t.AcceptedAt), FinalisedAt: isoTimeOrNull(t.FinalisedAt),
	}
	if row.Updates == nil {
		row.Updates = []string{}
	}
	return row
}

// isoTimeOrNull is null for what has not happened.
func isoTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := isoTime(t)
	return &text
}
