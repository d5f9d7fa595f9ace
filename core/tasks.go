package core

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Bounds of the tasks of a room. Texts are counted in bytes.
const (
	// MaxTasks is how many tasks a room holds, those that ended included.
	MaxTasks = 10_000
	// MaxTaskSummary and MaxTaskText bound a summary, and each of the other texts: description, note, outcome, reason.
	MaxTaskSummary = 1 << 10
	MaxTaskText    = 32 << 10
	// MaxTaskUpdates is how many progress notes a task holds.
	MaxTaskUpdates = 200
	// MaxTaskTexts bounds all texts about the tasks of a room together. A task that has not ended counts with the longest
	// outcome, so that whatever was begun can be ended.
	MaxTaskTexts = 16 << 20
	// taskOverhead is what an entry counts beside its text.
	taskOverhead = 64
)

// Refusals that concern tasks. Compare with errors.Is.
var (
	// ErrNoTask: there is no task with that id that the agent has to do with.
	ErrNoTask = errors.New("no such task")
	// ErrNotPerformer: only whoever a task was given to may do that.
	ErrNotPerformer = errors.New("only the agent that the task was given to may do that")
	// ErrNotRequester: only whoever gave a task may do that.
	ErrNotRequester = errors.New("only the agent that gave the task may do that")
	// ErrNotInRoom: whom it concerns is not a member of the room, in contrast to the caller.
	ErrNotInRoom = errors.New("that agent is not a member of this room")
	// ErrNotPermitted: the addressing policy of whom it concerns does not admit the caller.
	ErrNotPermitted = errors.New("that agent does not let you address it in this room")
)

// TaskStateError: the task is at a point of its life where that cannot be done.
type TaskStateError struct {
	Task   string
	Status TaskStatus
}

func (e *TaskStateError) Error() string { return fmt.Sprintf("task %s is %s", e.Task, e.Status) }

// TaskPrefix begins the id of a task.
const TaskPrefix = "task_"

// Task makes the id of a task in a room. The room stands in the id, so that a task can be found by its id without an
// index of all tasks: see [TaskRoom].
func (g IDs) Task(room string) string {
	b := make([]byte, taskBytes)
	g.read(b)
	return taskID(b, room)
}

// taskBytes is how many bytes of a task's id are its own.
const taskBytes = 8

func taskID(own []byte, room string) string { return TaskPrefix + hex.EncodeToString(own) + "_" + room }

// TaskRoom reads the room out of a task's id. It says nothing about whether that room or task exists.
func TaskRoom(id string) (room string, ok bool) {
	rest, ok := strings.CutPrefix(id, TaskPrefix)
	if !ok {
		return "", false
	}
	_, room, ok = strings.Cut(rest, "_")
	return room, ok && room != ""
}

// TaskStep is the answer to every command about a task: where it is after it.
type TaskStep struct {
	Task   string     `json:"task"`
	Status TaskStatus `json:"status"`
	// At is when the step was taken.
	At time.Time `json:"at"`
	// Updates is how many progress notes it has.
	Updates int `json:"updates"`
}

// Ended tells whether the task is over.
func (t *Task) Ended() bool { return t.Status == TaskDone || t.Status == TaskWithdrew }

// concerns tells whether the agent is a party to the task.
func (t *Task) concerns(agent string) bool { return t.Requester == agent || t.Performer == agent }

func (t *Task) facts() TaskFacts {
	return TaskFacts{Task: t.ID, Requester: t.Requester, Performer: t.Performer}
}

// DelegateTask hands work to a member of the room, which may be the requester itself.
type DelegateTask struct {
	Requester, Performer string
	Summary, Description string
	// unknown tells that there is no such performer, refused that its policy does not admit the requester; both are set
	// by the node.
	unknown, refused bool
}

func (c DelegateTask) decide(r *Room, env Env) ([]Payload, TaskStep, error) {
	if err := r.mayTask(c.Requester, env.Now); err != nil {
		return nil, TaskStep{}, err
	}
	switch {
	case c.unknown:
		return nil, TaskStep{}, ErrNoAgent
	case r.Members[c.Performer] == nil:
		return nil, TaskStep{}, ErrNotInRoom
	case c.refused && c.Performer != c.Requester:
		return nil, TaskStep{}, ErrNotPermitted
	case len(r.Tasks) >= MaxTasks:
		return nil, TaskStep{}, &InvalidError{Field: "task", Reason: fmt.Sprintf("this room holds %d tasks, the most there can be", MaxTasks)}
	}
	if err := firstError(
		checkBytes("summary", c.Summary, MaxTaskSummary),
		checkBytes("description", c.Description, MaxTaskText),
		r.roomForTexts((&Task{Summary: c.Summary, Description: c.Description}).Size()),
	); err != nil {
		return nil, TaskStep{}, err
	}
	e := &TaskDelegatedEvent{
		TaskFacts: TaskFacts{Task: env.IDs.Task(r.ID), Requester: c.Requester, Performer: c.Performer},
		TaskTexts: TaskTexts{Summary: c.Summary, Description: c.Description},
	}
	return []Payload{e}, TaskStep{Task: e.Task, Status: TaskPending, At: env.Now}, nil
}

// AcceptTask begins work on a pending task.
type AcceptTask struct{ Performer, Task string }

func (c AcceptTask) decide(r *Room, env Env) ([]Payload, TaskStep, error) {
	t, err := r.performed(c.Performer, c.Task, env.Now)
	if err != nil {
		return nil, TaskStep{}, err
	}
	if t.Status != TaskPending {
		return nil, TaskStep{}, &TaskStateError{Task: t.ID, Status: t.Status}
	}
	return []Payload{&TaskAcceptedEvent{TaskFacts: t.facts()}},
		TaskStep{Task: t.ID, Status: TaskOngoing, At: env.Now, Updates: len(t.Updates)}, nil
}

// UpdateTask notes progress on a task that has not ended, also on one that was not accepted yet.
type UpdateTask struct{ Performer, Task, Note string }

func (c UpdateTask) decide(r *Room, env Env) ([]Payload, TaskStep, error) {
	t, err := r.performed(c.Performer, c.Task, env.Now)
	if err != nil {
		return nil, TaskStep{}, err
	}
	if len(t.Updates) >= MaxTaskUpdates {
		return nil, TaskStep{}, &InvalidError{Field: "update", Reason: fmt.Sprintf("a task takes at most %d updates", MaxTaskUpdates)}
	}
	if err := firstError(
		checkBytes("update", c.Note, MaxTaskText), r.roomForTexts(len(c.Note)+taskOverhead),
	); err != nil {
		return nil, TaskStep{}, err
	}
	return []Payload{&TaskUpdatedEvent{TaskFacts: t.facts(), TaskNote: TaskNote{Text: c.Note}}},
		TaskStep{Task: t.ID, Status: t.Status, At: env.Now, Updates: len(t.Updates) + 1}, nil
}

// FinaliseTask ends a task with an outcome, also one that was never accepted: small work is done at once. The outcome is
// posted in the performer's name in the same atomic unit, unless it is blank.
type FinaliseTask struct {
	Performer, Task, Outcome string
	// holders and refuses are those of the message, see [PostMessage]; both are set by the node.
	holders map[string][]string
	refuses func(agent string) bool
}

func (c FinaliseTask) decide(r *Room, env Env) ([]Payload, TaskStep, error) {
	t, err := r.performed(c.Performer, c.Task, env.Now)
	if err != nil {
		return nil, TaskStep{}, err
	}
	if err := checkBytes("outcome", c.Outcome, MaxTaskText); err != nil {
		return nil, TaskStep{}, err
	}
	events := []Payload{&TaskFinalisedEvent{TaskFacts: t.facts(), TaskNote: TaskNote{Text: c.Outcome}}}
	if strings.TrimSpace(c.Outcome) != "" {
		post := PostMessage{Sender: c.Performer, Text: c.Outcome, holders: c.holders, refuses: c.refuses}
		posted, _, err := post.decide(r, env)
		if err != nil {
			return nil, TaskStep{}, err
		}
		events = append(events, posted...)
	}
	return events, TaskStep{Task: t.ID, Status: TaskDone, At: env.Now, Updates: len(t.Updates)}, nil
}

// CancelTask withdraws a task that has not ended.
type CancelTask struct{ Requester, Task, Reason string }

func (c CancelTask) decide(r *Room, env Env) ([]Payload, TaskStep, error) {
	t, err := r.openTask(c.Requester, c.Task, env.Now)
	if err != nil {
		return nil, TaskStep{}, err
	}
	switch {
	case t.Requester != c.Requester:
		return nil, TaskStep{}, ErrNotRequester
	case t.Ended():
		return nil, TaskStep{}, &TaskStateError{Task: t.ID, Status: t.Status}
	}
	if err := checkBytes("reason", c.Reason, MaxTaskText); err != nil {
		return nil, TaskStep{}, err
	}
	return []Payload{&TaskCancelledEvent{TaskFacts: t.facts(), TaskNote: TaskNote{Text: c.Reason}}},
		TaskStep{Task: t.ID, Status: TaskWithdrew, At: env.Now, Updates: len(t.Updates)}, nil
}

// mayTask tells whether the agent may do anything about tasks in the room: a member may, while the room takes messages.
// A room of two that speak in turns has no tasks: their texts would be words out of turn.
func (r *Room) mayTask(agent string, now time.Time) error {
	if r.Floor == FloorTurns && r.Members[agent] != nil {
		return &InvalidError{Field: "task", Reason: "this room belongs to two that speak in turns; it has no tasks"}
	}
	return r.mayPost(agent, nil, now)
}

// openTask finds a task for an agent that may do something about tasks.
func (r *Room) openTask(agent, id string, now time.Time) (*Task, error) {
	if err := r.mayTask(agent, now); err != nil {
		return nil, err
	}
	t := r.Tasks[id]
	if t == nil {
		return nil, ErrNoTask
	}
	return t, nil
}

// performed finds a task that has not ended, for its performer.
func (r *Room) performed(agent, id string, now time.Time) (*Task, error) {
	t, err := r.openTask(agent, id, now)
	switch {
	case err != nil:
		return nil, err
	case t.Performer != agent:
		return nil, ErrNotPerformer
	case t.Ended():
		return nil, &TaskStateError{Task: t.ID, Status: t.Status}
	}
	return t, nil
}

// roomForTexts tells whether the room holds that many more bytes about tasks.
func (r *Room) roomForTexts(more int) error {
	sum := more
	for _, t := range r.Tasks {
		sum += t.Size()
	}
	if sum > MaxTaskTexts {
		return &InvalidError{Field: "task", Reason: "the texts about this room's tasks fill what it can hold; finish some first, or go to another room"}
	}
	return nil
}

// Size is what a task counts of [MaxTaskTexts].
func (t *Task) Size() int {
	n := taskOverhead + len(t.Summary) + len(t.Description)
	for _, u := range t.Updates {
		n += taskOverhead + len(u)
	}
	if t.Outcome == nil {
		return n + MaxTaskText
	}
	return n + len(*t.Outcome)
}

// TaskFilter selects tasks of an agent. The zero value selects all.
type TaskFilter struct {
	// Delegated selects those that the agent gave, Assigned those that it was given; neither: both.
	Delegated, Assigned bool
	// Status, if set, is theirs.
	Status TaskStatus
}

func (f TaskFilter) selects(t *Task, agent string) bool {
	switch {
	case !t.concerns(agent):
		return false
	case f.Delegated && t.Requester != agent, f.Assigned && t.Performer != agent:
		return false
	}
	return f.Status == "" || f.Status == t.Status
}

// tasksOf lists an agent's tasks in the room.
func (r *Room) tasksOf(agent string, f TaskFilter) []*Task {
	var out []*Task
	for _, t := range r.Tasks {
		if f.selects(t, agent) {
			out = append(out, t)
		}
	}
	return out
}

func byCreation(a, b *Task) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}
