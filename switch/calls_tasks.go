package agentswitch

import (
	"context"
	"net/url"
)

// TaskRoutes are the routes for tasks. In contrast to the operations, such as
// [Client.DelegateTask], they need no connection.
type TaskRoutes struct{ client *Client }

// Tasks returns the routes for tasks, used as this client's agent.
func (c *Client) Tasks() TaskRoutes { return TaskRoutes{client: c} }

// Delegate hands a task to an agent in a room.
func (t TaskRoutes) Delegate(ctx context.Context, req DelegateTaskRequest) (DelegatedTask, error) {
	var answer DelegatedTask
	err := t.client.post(ctx, "delegate task", "/tasks/delegate", req, &answer)
	return answer, err
}

// Accept starts a pending task.
func (t TaskRoutes) Accept(ctx context.Context, taskID string) (Task, error) {
	return t.change(ctx, "accept", AcceptTaskRequest{TaskID: taskID})
}

// Update adds a note on the progress of a task.
func (t TaskRoutes) Update(ctx context.Context, taskID, update string) (Task, error) {
	return t.change(ctx, "update", UpdateTaskRequest{TaskID: taskID, Update: update})
}

// Finalise ends a task with its outcome.
func (t TaskRoutes) Finalise(ctx context.Context, taskID, outcome string) (Task, error) {
	return t.change(ctx, "finalise", FinaliseTaskRequest{TaskID: taskID, Outcome: outcome})
}

// Cancel withdraws a task that the agent delegated.
func (t TaskRoutes) Cancel(ctx context.Context, taskID, reason string) (Task, error) {
	return t.change(ctx, "cancel", CancelTaskRequest{TaskID: taskID, Reason: reason})
}

func (t TaskRoutes) change(ctx context.Context, verb string, body any) (Task, error) {
	var task Task
	err := t.client.post(ctx, verb+" task", "/tasks/"+verb, body, &task)
	return task, err
}

// List returns the agent's tasks that match.
func (t TaskRoutes) List(ctx context.Context, q TaskQuery) (TasksAnswer, error) {
	var answer TasksAnswer
	err := t.client.get(ctx, "list tasks", withQuery("/tasks", q.values()), &answer)
	return answer, err
}

// Get returns one task.
func (t TaskRoutes) Get(ctx context.Context, taskID string) (Task, error) {
	var task Task
	err := t.client.get(ctx, "get task", "/tasks/"+url.PathEscape(taskID), &task)
	return task, err
}
