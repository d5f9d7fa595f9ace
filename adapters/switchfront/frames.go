package switchfront

import (
	"slices"

	"stele/core"
	agentswitch "stele/switch"
)

// frames makes the event frames of streams. An event has at most two forms: for the receivers that it notifies (who are
// addressed, or listen for arrivals) and for those that it does not. Each is made once and shared by all streams.
type frames struct {
	node             *core.Node
	notifying, plain core.Slot
	// encode makes one form of one event.
	encode func(e *core.Entry, notifies bool) []byte
}

func newFrames(node *core.Node) frames {
	f := frames{node: node, notifying: node.NewSlot(), plain: node.NewSlot()}
	f.encode = f.encodeEvent
	return f
}

// relevance tells what an event is to a receiver: whether it is shown at all, and whether it notifies.
func relevance(e *core.Entry, receiver string) (shown, notifies bool) {
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		return p.Sender != receiver && !e.Erased, p.Addresses(receiver)
	case *core.MemberJoinedEvent:
		return p.Agent != receiver, slices.Contains(p.Listeners, receiver)
	}
	if to, notifies := onlyReceiver(e); to != "" {
		return to == receiver && !e.Erased, notifies
	}
	_, ok := core.NoticeOf(e)
	return ok, false
}

// frame returns the shared bytes of an event's frame.
func (f *frames) frame(e *core.Entry, notifies bool) []byte {
	if notifies {
		return e.Encoded(f.notifying, func(e *core.Entry) []byte { return f.encode(e, true) })
	}
	return e.Encoded(f.plain, func(e *core.Entry) []byte { return f.encode(e, false) })
}

func (f *frames) encodeEvent(e *core.Entry, notifies bool) []byte {
	return agentswitch.AppendEventFrame(nil, f.event(e, notifies))
}

// event translates an event that relevance shows, with its envelope.
func (f *frames) event(e *core.Entry, notifies bool) agentswitch.Event {
	room, _ := e.Stream.RoomID()
	sum, _ := f.node.Room(room)
	return eventIn(e, sum.ChannelType, notifies)
}

// eventIn translates an event of a room of some channel type; empty: the type is not told.
func eventIn(e *core.Entry, channelType string, notifies bool) agentswitch.Event {
	room, _ := e.Stream.RoomID()
	event := agentswitch.Event{RoomID: room, Payload: payload(e, notifies), Sequence: uint64(e.Position)}
	if channelType != "" {
		event.ChannelType = &channelType
	}
	return event
}

// payload translates an event that relevance shows.
func payload(e *core.Entry, notifies bool) agentswitch.Payload {
	at := agentswitch.Milliseconds(e.At)
	switch p := e.Payload.(type) {
	case *core.MessagePostedEvent:
		m := agentswitch.Message{
			Addressed: notifies, Sender: p.Sender, SenderName: p.SenderName, MessageID: p.ID, Body: p.Words(), Timestamp: at,
			Attachments: attachments(p),
		}
		if p.Thread != "" {
			m.ThreadID = &p.Thread
		}
		return m
	case *core.MemberJoinedEvent:
		return agentswitch.RoomJoin{Member: p.Agent, MemberName: p.DisplayName(), Timestamp: at, Listening: notifies}
	}
	if p := onlyPayload(e); p != nil {
		return p
	}
	notice, _ := core.NoticeOf(e)
	return agentswitch.Message{
		Sender: core.SystemSender, SenderName: core.SystemSender, MessageID: notice.ID, Body: notice.Text, Timestamp: at,
	}
}
