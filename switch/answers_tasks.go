package agentswitch

// TaskUpdated is the Status of an UpdateTaskAnswer. It is no state of a task.
const TaskUpdated = "updated"

// DelegateTaskAnswer is the result of delegate_task.
type DelegateTaskAnswer struct {
	TaskID string `json:"task_id"`
	// Status is TaskPending.
	Status       string `json:"status"`
	TargetStatus Status `json:"target_status"`
}

// AcceptTaskAnswer is the result of accept_task.
type AcceptTaskAnswer struct {
	// Status is TaskOngoing.
	Status string `json:"status"`
	// AcceptedAt is written as ISOTime formats it.
	AcceptedAt string `json:"accepted_at"`
}

// UpdateTaskAnswer is the result of update_task.
type UpdateTaskAnswer struct {
	// Status is TaskUpdated.
	Status       string `json:"status"`
	UpdatesCount int    `json:"updates_count"`
}

// FinaliseTaskAnswer is the result of finalise_task.
type FinaliseTaskAnswer struct {
	// Status is TaskFinalised.
	Status string `json:"status"`
	// FinalisedAt is written as ISOTime formats it.
	FinalisedAt string `json:"finalised_at"`
}

// CancelTaskAnswer is the result of cancel_task.
type CancelTaskAnswer struct {
	// Status is TaskCancelled.
	Status string `json:"status"`
	Reason string `json:"reason"`
}
