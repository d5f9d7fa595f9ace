package switchfront

import (
	"context"
	"errors"
	"time"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// Bounds of the answer of GET …/tasks; a query that names a room or a status leads to the others.
const (
	maxTasks      = 1000
	maxTasksBytes = core.MaxTaskTexts
)

func (f *Front) taskRoutes(agent *echo.Group) {
	agent.GET("/tasks", f.at(placeRoute, f.listTasks))
	agent.GET("/tasks/:"+paramTask, f.at(placeRoute, f.getTask))
	agent.POST("/tasks/delegate", f.at(placeRoute, f.delegateTask))
	agent.POST("/tasks/accept", f.at(placeRoute, f.acceptTask))
	agent.POST("/tasks/update", f.at(placeRoute, f.updateTask))
	agent.POST("/tasks/finalise", f.at(placeRoute, f.finaliseTask))
	agent.POST("/tasks/cancel", f.at(placeRoute, f.cancelTask))
}

// delegateTask answers POST …/tasks/delegate.
func (f *Front) delegateTask(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseDelegateTask)
	if err != nil {
		return err
	}
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	ctx := c.Request().Context()
	step, _, err := f.node.DelegateTask(ctx, req.RoomID, core.DelegateTask{
		Requester: agent, Performer: req.PerformerAgentID, Summary: req.Summary, Description: req.Description,
	}, transport.Key(c.Request(), agent, body))
	if err != nil {
		return err
	}
	task, err := f.node.Task(ctx, agent, step.Task)
	if err != nil {
		return err
	}
	return answer(c, agentswitch.DelegatedTask{
		Task: wireTask(&task), TargetStatus: agentswitch.Status(f.node.Presence(req.PerformerAgentID, req.RoomID)),
	})
}

// acceptTask answers POST …/tasks/accept.
func (f *Front) acceptTask(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseAcceptTask)
	if err != nil {
		return err
	}
	return f.stepTask(c, agent, body, req.TaskID, func(ctx context.Context, room string, key *core.Key) error {
		_, _, err := f.node.AcceptTask(ctx, room, core.AcceptTask{Performer: agent, Task: req.TaskID}, key)
		return err
	})
}

// updateTask answers POST …/tasks/update.
func (f *Front) updateTask(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseUpdateTask)
	if err != nil {
		return err
	}
	return f.stepTask(c, agent, body, req.TaskID, func(ctx context.Context, room string, key *core.Key) error {
		_, _, err := f.node.UpdateTask(ctx, room, core.UpdateTask{Performer: agent, Task: req.TaskID, Note: req.Update}, key)
		return err
	})
}

// finaliseTask answers POST …/tasks/finalise.
func (f *Front) finaliseTask(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseFinaliseTask)
	if err != nil {
		return err
	}
	return f.stepTask(c, agent, body, req.TaskID, func(ctx context.Context, room string, key *core.Key) error {
		_, _, err := f.node.FinaliseTask(ctx, room, core.FinaliseTask{Performer: agent, Task: req.TaskID, Outcome: req.Outcome}, key)
		return err
	})
}

// cancelTask answers POST …/tasks/cancel.
func (f *Front) cancelTask(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseCancelTask)
	if err != nil {
		return err
	}
	return f.stepTask(c, agent, body, req.TaskID, func(ctx context.Context, room string, key *core.Key) error {
		_, _, err := f.node.CancelTask(ctx, room, core.CancelTask{Requester: agent, Task: req.TaskID, Reason: req.Reason}, key)
		return err
	})
}

// stepTask takes a step with a task and answers what the task is then.
func (f *Front) stepTask(
	c echo.Context, agent string, body []byte, id string, step func(ctx context.Context, room string, key *core.Key) error,
) error {
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	room, ok := core.TaskRoom(id)
	if _, exists := f.node.Room(room); !ok || !exists {
		return core.ErrNoTask
	}
	if err := step(c.Request().Context(), room, transport.Key(c.Request(), agent, body)); err != nil {
		return err
	}
	return f.answerTask(c, agent, id)
}

// getTask answers GET …/tasks/{task_id}, to the two that the task concerns.
func (f *Front) getTask(c echo.Context) error {
	agent, err := actingAgent(c.Request().Context(), c.Param(paramAgent))
	if err != nil {
		return err
	}
	return f.answerTask(c, agent, c.Param(paramTask))
}

func (f *Front) answerTask(c echo.Context, agent, id string) error {
	task, err := f.node.Task(c.Request().Context(), agent, id)
	if err != nil {
		return err
	}
	return answer(c, wireTask(&task))
}

// listTasks answers GET …/tasks: the agent's tasks in one room or, when none is named, in all that it is in.
func (f *Front) listTasks(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	query, err := agentswitch.ParseTaskQuery(c.QueryParams())
	if err != nil {
		return err
	}
	filter := core.TaskFilter{
		Delegated: query.Role == agentswitch.TaskDelegated, Assigned: query.Role == agentswitch.TaskAssigned,
		Status: core.TaskStatus(query.Status),
	}
	rooms := []string{query.RoomID}
	if query.RoomID == "" {
		rooms = f.roomsWithTasks(agent)
	}
	var out agentswitch.TasksAnswer
	size := 0
	for _, room := range rooms {
		tasks, err := f.node.TasksIn(ctx, agent, room, filter)
		if errors.Is(err, core.ErrNotMember) && query.RoomID == "" {
			continue
		}
		if err != nil {
			return err
		}
		for _, t := range tasks {
			if len(out.Tasks) == maxTasks || size > maxTasksBytes {
				break
			}
			out.Tasks = append(out.Tasks, wireTask(t))
			size += t.Size()
		}
	}
	return answer(c, out)
}

// roomsWithTasks lists the rooms of an agent in which a task was ever delegated, so that the others need not be loaded.
func (f *Front) roomsWithTasks(agent string) (rooms []string) {
	for _, r := range f.node.RoomsOf(agent) {
		if r.Tasks > 0 {
			rooms = append(rooms, r.ID)
		}
	}
	return rooms
}

func wireTask(t *core.Task) agentswitch.Task {
	room, _ := core.TaskRoom(t.ID)
	return agentswitch.Task{
		ID: t.ID, RoomID: room, RequesterAgentID: t.Requester, PerformerAgentID: t.Performer,
		Summary: t.Summary, Description: t.Description, Status: string(t.Status), Updates: t.Updates, Outcome: t.Outcome,
		CreatedAt:  agentswitch.SpacedTime(t.CreatedAt),
		AcceptedAt: spacedTimeOrNull(t.AcceptedAt), FinalisedAt: spacedTimeOrNull(t.FinalisedAt),
	}
}

// spacedTimeOrNull is null for what has not happened.
func spacedTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := agentswitch.SpacedTime(t)
	return &text
}
