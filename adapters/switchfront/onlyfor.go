package switchfront

import (
	"stele/core"
	agentswitch "stele/switch"
)

// onlyReceiver names the one agent that an event is for, empty for events that are for everybody or nobody. Of a task the
// other party is told, so nobody when both are the same; what it is told always notifies. A command never does.
func onlyReceiver(e *core.Entry) (agent string, notifies bool) {
	var task *core.TaskFacts
	toPerformer := false
	switch p := e.Payload.(type) {
	case *core.CommandSentEvent:
		return p.Target, false
	case *core.TaskDelegatedEvent:
		task, toPerformer = &p.TaskFacts, true
	case *core.TaskCancelledEvent:
		task, toPerformer = &p.TaskFacts, true
	case *core.TaskAcceptedEvent:
		task = &p.TaskFacts
	case *core.TaskUpdatedEvent:
		task = &p.TaskFacts
	case *core.TaskFinalisedEvent:
		task = &p.TaskFacts
	}
	switch {
	case task == nil || task.Requester == task.Performer:
		return "", false
	case toPerformer:
		return task.Performer, true
	}
	return task.Requester, true
}

// onlyPayload translates an event that is for one agent, nil for all others.
func onlyPayload(e *core.Entry) agentswitch.Payload {
	switch p := e.Payload.(type) {
	case *core.CommandSentEvent:
		c := agentswitch.Command{Command: p.Command, Args: p.Args, UserID: p.User, UserName: p.UserName}
		if p.Thread != "" {
			c.ThreadID = &p.Thread
		}
		return c
	case *core.TaskDelegatedEvent:
		return agentswitch.TaskDelegate{TaskIDs: taskIDs(&p.TaskFacts), Summary: p.Summary, Description: p.Description}
	case *core.TaskCancelledEvent:
		return agentswitch.TaskCancel{TaskIDs: taskIDs(&p.TaskFacts), Reason: p.Text}
	case *core.TaskAcceptedEvent:
		return agentswitch.TaskAccept{TaskIDs: taskIDs(&p.TaskFacts)}
	case *core.TaskUpdatedEvent:
		return agentswitch.TaskUpdate{TaskIDs: taskIDs(&p.TaskFacts), Update: p.Text}
	case *core.TaskFinalisedEvent:
		return agentswitch.TaskFinalise{TaskIDs: taskIDs(&p.TaskFacts), Outcome: p.Text}
	}
	return nil
}

func taskIDs(f *core.TaskFacts) agentswitch.TaskIDs {
	return agentswitch.TaskIDs{TaskID: f.Task, RequesterAgentID: f.Requester, PerformerAgentID: f.Performer}
}
