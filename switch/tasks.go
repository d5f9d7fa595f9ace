package agentswitch

import "net/url"

// Task is a task as the routes below …/tasks answer it. Its times are written
// as SpacedTime formats them, in contrast to those of TaskRow.
type Task struct {
	ID               string `json:"id"`
	RoomID           string `json:"room_id"`
	RequesterAgentID string `json:"requester_agent_id"`
	PerformerAgentID string `json:"performer_agent_id"`
	Summary          string `json:"summary"`
	Description      string `json:"description"`
	// Status is TaskPending, TaskOngoing, TaskFinalised or TaskCancelled.
	Status      string       `json:"status"`
	Updates     List[string] `json:"updates"`
	Outcome     *string      `json:"outcome"`
	CreatedAt   string       `json:"created_at"`
	AcceptedAt  *string      `json:"accepted_at"`
	FinalisedAt *string      `json:"finalised_at"`
}

// DelegatedTask is the answer of POST …/tasks/delegate.
type DelegatedTask struct {
	Task         Task   `json:"task"`
	TargetStatus Status `json:"target_status"`
}

// TasksAnswer is the answer of GET …/tasks.
type TasksAnswer struct {
	Tasks List[Task] `json:"tasks"`
}

// DelegateTaskRequest is the body of POST …/tasks/delegate.
type DelegateTaskRequest struct {
	RoomID           string `json:"room_id"`
	PerformerAgentID string `json:"performer_agent_id"`
	Summary          string `json:"summary"`
	Description      string `json:"description"`
}

// AcceptTaskRequest is the body of POST …/tasks/accept.
type AcceptTaskRequest struct {
	TaskID string `json:"task_id"`
}

// UpdateTaskRequest is the body of POST …/tasks/update.
type UpdateTaskRequest struct {
	TaskID string `json:"task_id"`
	Update string `json:"update"`
}

// FinaliseTaskRequest is the body of POST …/tasks/finalise.
type FinaliseTaskRequest struct {
	TaskID  string `json:"task_id"`
	Outcome string `json:"outcome"`
}

// CancelTaskRequest is the body of POST …/tasks/cancel.
type CancelTaskRequest struct {
	TaskID string `json:"task_id"`
	Reason string `json:"reason"`
}

// ParseDelegateTask reads the body of …/tasks/delegate. Errors are an Error.
func ParseDelegateTask(body []byte) (DelegateTaskRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return DelegateTaskRequest{}, err
	}
	req := DelegateTaskRequest{
		RoomID:           f.requiredString("room_id"),
		PerformerAgentID: f.requiredString("performer_agent_id"),
		Summary:          f.requiredString("summary"),
		Description:      f.requiredString("description"),
	}
	return req, f.err()
}

// ParseAcceptTask reads the body of …/tasks/accept. Errors are an Error.
func ParseAcceptTask(body []byte) (AcceptTaskRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return AcceptTaskRequest{}, err
	}
	req := AcceptTaskRequest{TaskID: f.requiredString("task_id")}
	return req, f.err()
}

// ParseUpdateTask reads the body of …/tasks/update. Errors are an Error.
func ParseUpdateTask(body []byte) (UpdateTaskRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return UpdateTaskRequest{}, err
	}
	req := UpdateTaskRequest{TaskID: f.requiredString("task_id"), Update: f.requiredString("update")}
	return req, f.err()
}

// ParseFinaliseTask reads the body of …/tasks/finalise. Errors are an Error.
func ParseFinaliseTask(body []byte) (FinaliseTaskRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return FinaliseTaskRequest{}, err
	}
	req := FinaliseTaskRequest{TaskID: f.requiredString("task_id"), Outcome: f.requiredString("outcome")}
	return req, f.err()
}

// ParseCancelTask reads the body of …/tasks/cancel. Errors are an Error.
func ParseCancelTask(body []byte) (CancelTaskRequest, error) {
	f, err := newFields(body)
	if err != nil {
		return CancelTaskRequest{}, err
	}
	req := CancelTaskRequest{TaskID: f.requiredString("task_id"), Reason: f.requiredString("reason")}
	return req, f.err()
}

// The sides of a task from which an agent can look at it.
const (
	TaskDelegated = "delegated"
	TaskAssigned  = "assigned"
)

// TaskQuery is the query of GET …/tasks. Empty fields do not restrict.
type TaskQuery struct {
	RoomID string
	// Role is TaskDelegated, TaskAssigned or empty.
	Role   string
	Status string
}

// ParseTaskQuery reads the query of GET …/tasks. An unknown role is a
// *ValidationError with 422. Any status is taken: one that does not exist
// matches no task.
func ParseTaskQuery(q url.Values) (TaskQuery, error) {
	p := queryParser{q: q}
	req := TaskQuery{RoomID: q.Get("room_id"), Role: p.choice("role", TaskDelegated, TaskAssigned), Status: q.Get("status")}
	return req, unprocessable(p.issues)
}

func (t TaskQuery) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"room_id": t.RoomID, "role": t.Role, "status": t.Status} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}
