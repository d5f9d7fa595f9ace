package core

import (
	"context"
	"slices"
)

// DelegateTask hands work to a member of a room. Errors: [ErrNoRoom], [ErrNotMember], [ErrNoAgent], [ErrNotInRoom],
// [ErrNotPermitted], *[RoomNotActiveError], *[RoomExpiredError], *[TooLongError], *[InvalidError].
func (n *Node) DelegateTask(ctx context.Context, room string, cmd DelegateTask, key *Key) (TaskStep, Placed, error) {
	_, known := n.Agent(cmd.Performer)
	cmd.unknown = !known
	cmd.refused = !n.MayAddress(cmd.Requester, cmd.Performer, room)
	return onTasks(ctx, n, room, cmd, key)
}

// AcceptTask begins work on a pending task. Errors: [ErrNoRoom], [ErrNotMember], [ErrNoTask], [ErrNotPerformer],
// *[TaskStateError], *[RoomNotActiveError], *[RoomExpiredError].
func (n *Node) AcceptTask(ctx context.Context, room string, cmd AcceptTask, key *Key) (TaskStep, Placed, error) {
	return onTasks(ctx, n, room, cmd, key)
}

// UpdateTask notes progress on a task. Errors: those of [Node.AcceptTask], *[TooLongError], *[InvalidError].
func (n *Node) UpdateTask(ctx context.Context, room string, cmd UpdateTask, key *Key) (TaskStep, Placed, error) {
	return onTasks(ctx, n, room, cmd, key)
}

// FinaliseTask ends a task with an outcome and posts it. Errors: those of [Node.AcceptTask], *[TooLongError].
func (n *Node) FinaliseTask(ctx context.Context, room string, cmd FinaliseTask, key *Key) (TaskStep, Placed, error) {
	cmd.holders = n.roleHolders(ctx, room)
	cmd.refuses = func(agent string) bool { return !n.MayAddress(cmd.Performer, agent, room) }
	return onTasks(ctx, n, room, cmd, key)
}

// CancelTask withdraws a task. Errors: those of [Node.AcceptTask] with [ErrNotRequester] instead of [ErrNotPerformer],
// *[TooLongError].
func (n *Node) CancelTask(ctx context.Context, room string, cmd CancelTask, key *Key) (TaskStep, Placed, error) {
	return onTasks(ctx, n, room, cmd, key)
}

func onTasks(ctx context.Context, n *Node, room string, cmd command[*Room, TaskStep], key *Key) (TaskStep, Placed, error) {
	if _, ok := n.index.summary(room); !ok {
		return TaskStep{}, Placed{}, ErrNoRoom
	}
	if err := n.expireFirst(ctx, room); err != nil {
		return TaskStep{}, Placed{}, err
	}
	return onRoom(ctx, n, room, cmd, key)
}

// Task returns a task that the agent gave or was given in a room that it is a member of, else [ErrNoTask]: whom a task
// does not concern is not told that there is one.
func (n *Node) Task(ctx context.Context, agent, id string) (Task, error) {
	room, ok := TaskRoom(id)
	if !ok || !n.IsMember(agent, room) {
		return Task{}, ErrNoTask
	}
	var found *Task
	if err := n.ViewRoom(ctx, room, func(r *Room) { found = r.Tasks[id] }); err != nil {
		return Task{}, err
	}
	if found == nil || !found.concerns(agent) {
		return Task{}, ErrNoTask
	}
	return *found, nil
}

// TasksIn lists the tasks that an agent gave or was given in a room that it is a member of, oldest first; the records
// must not be changed. Errors: [ErrNoRoom], [ErrNotMember].
func (n *Node) TasksIn(ctx context.Context, agent, room string, f TaskFilter) (tasks []*Task, err error) {
	if err := n.checkMember(agent, room); err != nil {
		return nil, err
	}
	err = n.ViewRoom(ctx, room, func(r *Room) { tasks = r.tasksOf(agent, f) })
	slices.SortFunc(tasks, byCreation)
	return tasks, err
}
