package translation

// View is one sequence of things that a participant is shown.
type View string

// The views. An edge client has two: the message log and the events.
const (
	Switch       View = "switch"
	Areyouai     View = "areyouai"
	EdgeMessages View = "edge messages"
	EdgeEvents   View = "edge events"
)

// Number is the number that an event has in a view, 0 for none.
func (v View) Number(e Event) uint64 {
	switch v {
	case Switch:
		return e.Position
	case EdgeMessages:
		return e.Turn
	}
	return e.Version
}

// Line is one thing that was shown: its number in the view and what it said.
type Line struct {
	Number uint64
	Says   string
}

func (v View) says(e Event, room, receiver string) string {
	switch v {
	case Switch:
		return saysSwitch(e, room, receiver)
	case Areyouai:
		return saysAreyouai(e)
	case EdgeMessages:
		role := "user"
		if e.Sender == receiver {
			role = "assistant"
		}
		return EdgeMessage(role, e.SenderName, e.Text)
	}
	return saysEdge(e)
}

func saysSwitch(e Event, room, receiver string) string {
	switch e.Kind {
	case kindMessage:
		return SwitchMessage(e.ID, e.Sender, e.SenderName, e.Text, e.addresses(receiver))
	case kindJoined:
		return SwitchJoin(e.Agent)
	case kindClosed, kindPurged:
		return SwitchNotice(room, e.Version)
	}
	return SwitchTask(map[string]string{
		kindDelegated: "task_delegate", kindCancelled: "task_cancel", kindAccepted: "task_accept", kindUpdated: "task_update",
		kindFinalised: "task_finalise",
	}[e.Kind], e.Task)
}

func saysAreyouai(e Event) string {
	switch e.Kind {
	case kindMessage:
		return AreyouaiMessage(e.ID, e.Sender, e.Turn0, e.Text)
	case kindCreated:
		return AreyouaiEvent("room.created", e.Creator)
	case kindJoined:
		return AreyouaiEvent("room.joined", e.Agent)
	}
	return AreyouaiEvent(e.Kind, e.Actor)
}

func saysEdge(e Event) string {
	switch e.Kind {
	case kindMessage:
		return EdgeEvent(e.Kind, e.ID, e.Sender, e.Text)
	case kindJoined, kindLeft:
		// Whoever was invited, and who did it.
		return EdgeEvent(e.Kind, e.Agent+e.Actor)
	case kindEmitted:
		return EdgeEvent(e.Type)
	case kindPatched, kindState, kindClosed:
		return EdgeEvent(e.Kind, e.Actor)
	}
	return EdgeEvent(e.Kind)
}
