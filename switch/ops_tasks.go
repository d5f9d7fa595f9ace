package agentswitch

import "context"

// DelegateTaskArgs are the arguments of delegate_task.
type DelegateTaskArgs struct {
	PerformerAgentID string `json:"performer_agent_id"`
	Summary          string `json:"summary"`
	Description      string `json:"description"`
}

// DelegateTask hands work to an agent in the current room.
func (c *Client) DelegateTask(ctx context.Context, args DelegateTaskArgs) (DelegateTaskAnswer, error) {
	return call[DelegateTaskAnswer](ctx, c, OpDelegateTask, args)
}

// AcceptTask starts a pending task.
func (c *Client) AcceptTask(ctx context.Context, taskID string) (AcceptTaskAnswer, error) {
	return call[AcceptTaskAnswer](ctx, c, OpAcceptTask, AcceptTaskRequest{TaskID: taskID})
}

// UpdateTask adds a note on the progress of a task.
func (c *Client) UpdateTask(ctx context.Context, taskID, update string) (UpdateTaskAnswer, error) {
	return call[UpdateTaskAnswer](ctx, c, OpUpdateTask, UpdateTaskRequest{TaskID: taskID, Update: update})
}

// FinaliseTask ends a task with its outcome.
func (c *Client) FinaliseTask(ctx context.Context, taskID, outcome string) (FinaliseTaskAnswer, error) {
	return call[FinaliseTaskAnswer](ctx, c, OpFinaliseTask, FinaliseTaskRequest{TaskID: taskID, Outcome: outcome})
}

// CancelTask withdraws a task that the agent delegated.
func (c *Client) CancelTask(ctx context.Context, taskID, reason string) (CancelTaskAnswer, error) {
	return call[CancelTaskAnswer](ctx, c, OpCancelTask, CancelTaskRequest{TaskID: taskID, Reason: reason})
}

// TaskFilter selects tasks of the current room. Empty fields do not restrict.
type TaskFilter struct {
	// Role is TaskDelegated, TaskAssigned or empty.
	Role   string `json:"role,omitempty"`
	Status string `json:"status,omitempty"`
}

// ListTasks returns the agent's tasks in the current room.
func (c *Client) ListTasks(ctx context.Context, filter TaskFilter) ([]TaskRow, error) {
	return call[[]TaskRow](ctx, c, OpListTasks, filter)
}
