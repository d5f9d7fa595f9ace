package samples

import "stele/core"

func taskOfAda() core.TaskFacts { return core.TaskFacts{Task: "tsk_1", Requester: Bob, Performer: Ada} }

// dealings are what members do with each other: tasks in both directions and with themselves, and commands.
func dealings(kind core.Kind) []core.Payload {
	mine := taskOfAda()
	others := core.TaskFacts{Task: "tsk_2", Requester: Ada, Performer: Bob}
	own := core.TaskFacts{Task: "tsk_3", Requester: Bob, Performer: Bob}
	note := core.TaskNote{Text: "half\r\nof it"}
	var out []core.Payload
	for _, facts := range []core.TaskFacts{mine, others, own} {
		switch kind {
		case core.TaskDelegated:
			out = append(out, &core.TaskDelegatedEvent{TaskFacts: facts, TaskTexts: core.TaskTexts{
				Summary: "count", Description: "count the ships",
			}})
		case core.TaskAccepted:
			out = append(out, &core.TaskAcceptedEvent{TaskFacts: facts})
		case core.TaskUpdated:
			out = append(out, &core.TaskUpdatedEvent{TaskFacts: facts, TaskNote: note})
		case core.TaskFinalised:
			out = append(out, &core.TaskFinalisedEvent{TaskFacts: facts, TaskNote: note})
		case core.TaskCancelled:
			out = append(out, &core.TaskCancelledEvent{TaskFacts: facts, TaskNote: note})
		}
	}
	if kind != core.CommandSent {
		return out
	}
	return []core.Payload{
		&core.CommandSentEvent{
			CommandFacts: core.CommandFacts{Target: Ada, Command: "compact", User: "user_1", Thread: "msg_1"},
			CommandTexts: core.CommandTexts{Args: "keep names", UserName: "Eve"},
		},
		&core.CommandSentEvent{CommandFacts: core.CommandFacts{Target: Bob, Command: "reset", User: "user_1"}},
	}
}
