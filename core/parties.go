package core

// PartiesOf returns the agents that an event of a room is for alone, nil for one that is for all who may read the room. A
// command is for its target; a task for the one who gave it and the one it was given to.
func PartiesOf(e *Entry) []string {
	var task *TaskFacts
	switch p := e.Payload.(type) {
	case *CommandSentEvent:
		return []string{p.Target}
	case *TaskDelegatedEvent:
		task = &p.TaskFacts
	case *TaskAcceptedEvent:
		task = &p.TaskFacts
	case *TaskUpdatedEvent:
		task = &p.TaskFacts
	case *TaskFinalisedEvent:
		task = &p.TaskFacts
	case *TaskCancelledEvent:
		task = &p.TaskFacts
	}
	if task == nil {
		return nil
	}
	return []string{task.Requester, task.Performer}
}
