package core

import (
	"slices"
	"time"
)

// TaskFacts is what stays of an event about a task after its texts were erased.
type TaskFacts struct {
	Task      string `json:"task"`
	Requester string `json:"requester"`
	Performer string `json:"performer"`
}

// TaskDelegatedEvent: one member asked another to do something. The performer is told.
type TaskDelegatedEvent struct {
	TaskFacts
	TaskTexts
}

// TaskTexts is what is to be done.
type TaskTexts struct {
	Summary     string `json:"summary"`
	Description string `json:"description"`
}

// Kind implements [Payload].
func (e *TaskDelegatedEvent) Kind() Kind                 { return TaskDelegated }
func (e *TaskDelegatedEvent) parts() (body, content any) { return &e.TaskFacts, &e.TaskTexts }

// TaskAcceptedEvent: the performer began. The requester is told.
type TaskAcceptedEvent struct {
	TaskFacts
}

// Kind implements [Payload].
func (e *TaskAcceptedEvent) Kind() Kind                 { return TaskAccepted }
func (e *TaskAcceptedEvent) parts() (body, content any) { return &e.TaskFacts, nil }

// TaskUpdatedEvent: the performer noted progress. The requester is told.
type TaskUpdatedEvent struct {
	TaskFacts
	TaskNote
}

// TaskNote is what is said about a task: its progress, its outcome, or why it was withdrawn.
type TaskNote struct {
	Text string `json:"text"`
}

// Kind implements [Payload].
func (e *TaskUpdatedEvent) Kind() Kind                 { return TaskUpdated }
func (e *TaskUpdatedEvent) parts() (body, content any) { return &e.TaskFacts, &e.TaskNote }

// TaskFinalisedEvent: the performer finished. The requester is told.
type TaskFinalisedEvent struct {
	TaskFacts
	TaskNote
}

// Kind implements [Payload].
func (e *TaskFinalisedEvent) Kind() Kind                 { return TaskFinalised }
func (e *TaskFinalisedEvent) parts() (body, content any) { return &e.TaskFacts, &e.TaskNote }

// TaskCancelledEvent: the requester withdrew the task. The performer is told.
type TaskCancelledEvent struct {
	TaskFacts
	TaskNote
}

// Kind implements [Payload].
func (e *TaskCancelledEvent) Kind() Kind                 { return TaskCancelled }
func (e *TaskCancelledEvent) parts() (body, content any) { return &e.TaskFacts, &e.TaskNote }

func newTaskPayload(kind Kind) Payload {
	switch kind {
	case TaskDelegated:
		return &TaskDelegatedEvent{}
	case TaskAccepted:
		return &TaskAcceptedEvent{}
	case TaskUpdated:
		return &TaskUpdatedEvent{}
	case TaskFinalised:
		return &TaskFinalisedEvent{}
	}
	return &TaskCancelledEvent{}
}

// TaskStatus is where a task is in its life.
type TaskStatus string

// The statuses of a task.
const (
	TaskPending  TaskStatus = "pending"
	TaskOngoing  TaskStatus = "ongoing"
	TaskDone     TaskStatus = "finalised"
	TaskWithdrew TaskStatus = "cancelled"
)

// Task is work that one member of a room asked another to do. A record is never changed in place.
type Task struct {
	ID          string     `json:"id"`
	Requester   string     `json:"requester"`
	Performer   string     `json:"performer"`
	Summary     string     `json:"summary"`
	Description string     `json:"description"`
	Status      TaskStatus `json:"status"`
	Updates     []string   `json:"updates,omitempty"`
	// Outcome is how it ended, or why it was withdrawn.
	Outcome     *string   `json:"outcome,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	AcceptedAt  time.Time `json:"accepted_at"`
	FinalisedAt time.Time `json:"finalised_at"`
}

// applyTask folds an event about tasks in.
func (r *Room) applyTask(rec *Recorded) {
	switch e := rec.Payload.(type) {
	case *TaskDelegatedEvent:
		set(&r.Tasks, e.Task, &Task{
			ID: e.Task, Requester: e.Requester, Performer: e.Performer, Summary: e.Summary, Description: e.Description,
			Status: TaskPending, CreatedAt: rec.At,
		})
	case *TaskAcceptedEvent:
		r.changeTask(e.Task, func(t *Task) { t.Status, t.AcceptedAt = TaskOngoing, rec.At })
	case *TaskUpdatedEvent:
		r.changeTask(e.Task, func(t *Task) { t.Updates = append(slices.Clone(t.Updates), e.Text) })
	case *TaskFinalisedEvent:
		r.changeTask(e.Task, func(t *Task) { t.Status, t.Outcome, t.FinalisedAt = TaskDone, &e.Text, rec.At })
	case *TaskCancelledEvent:
		r.changeTask(e.Task, func(t *Task) { t.Status, t.Outcome, t.FinalisedAt = TaskWithdrew, &e.Text, rec.At })
	}
}

func (r *Room) changeTask(id string, change func(*Task)) {
	if old := r.Tasks[id]; old != nil {
		t := *old
		change(&t)
		r.Tasks[id] = &t
	}
}

// CommandSentEvent: a person told an agent to do something with itself. That agent alone is told.
type CommandSentEvent struct {
	CommandFacts
	CommandTexts
}

// CommandFacts is what stays of a command after its texts were erased.
type CommandFacts struct {
	// Target is the agent that is to obey.
	Target  string `json:"target"`
	Command string `json:"command"`
	// User is the stable id of the person.
	User string `json:"user"`
	// Thread is the id of the message to answer under, empty at top level.
	Thread string `json:"thread,omitempty"`
}

// CommandTexts is what the person wrote.
type CommandTexts struct {
	Args     string `json:"args"`
	UserName string `json:"user_name"`
}

// Kind implements [Payload].
func (e *CommandSentEvent) Kind() Kind                 { return CommandSent }
func (e *CommandSentEvent) parts() (body, content any) { return &e.CommandFacts, &e.CommandTexts }
