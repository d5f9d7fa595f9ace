package scripts

import (
	"bytes"
	"fmt"
	"time"

	"stele/core"
	"stele/internal/sse"
	agentswitch "stele/switch"
)

// switchReading reads the events of an agent's stream. A frame says its position and room; version and turn are counted.
type switchReading struct{ *place }

func newSwitchReading(o Options) *switchReading { return &switchReading{newPlace(o)} }

// entryOf implements [reading].
func (r *switchReading) entryOf(frames []byte) (*core.Entry, error) {
	if len(frames) == 0 {
		return nil, nil
	}
	ev, err := sse.NewReader(bytes.NewReader(frames), maxUnit).Next()
	if err != nil {
		return nil, fmt.Errorf("read a frame: %w", err)
	}
	return r.entryIn(ev)
}

// entryIn reads one frame; nil for one that is no event, or an event of a type that this program does not know.
func (r *switchReading) entryIn(frame sse.Event) (*core.Entry, error) {
	f, err := agentswitch.ParseFrame(frame)
	if err != nil {
		return nil, fmt.Errorf("read a frame: %w", err)
	}
	ev, ok := f.(agentswitch.Event)
	if !ok {
		return nil, nil
	}
	return r.entryFrom(ev), nil
}

func (r *switchReading) entryFrom(ev agentswitch.Event) *core.Entry {
	payload, at := r.payloadOf(ev)
	if payload == nil {
		return nil
	}
	e := r.next(ev.RoomID, payload, at)
	e.Position = core.Position(ev.Sequence)
	if m, ok := ev.Payload.(agentswitch.Message); ok {
		if _, version, ok := noticeIn(ev.RoomID, m); ok {
			e.Version = version
		}
	}
	return e
}

// payloadOf reads what an event says, and when it happened as far as that is said.
func (r *switchReading) payloadOf(ev agentswitch.Event) (core.Payload, time.Time) {
	switch p := ev.Payload.(type) {
	case agentswitch.Message:
		return r.messageIn(ev.RoomID, p), time.UnixMilli(p.Timestamp).UTC()
	case agentswitch.RoomJoin:
		joined := &core.MemberJoinedEvent{Agent: p.Member, Name: p.MemberName}
		if p.Listening && r.opts.Self != "" {
			joined.Listeners = []string{r.opts.Self}
		}
		return joined, time.UnixMilli(p.Timestamp).UTC()
	case agentswitch.Command:
		sent := &core.CommandSentEvent{
			CommandFacts: core.CommandFacts{Target: r.opts.Self, Command: p.Command, User: p.UserID},
			CommandTexts: core.CommandTexts{Args: p.Args, UserName: p.UserName},
		}
		if p.ThreadID != nil {
			sent.Thread = *p.ThreadID
		}
		return sent, time.Time{}
	}
	return taskIn(ev.Payload), time.Time{}
}

func (r *switchReading) messageIn(room string, m agentswitch.Message) core.Payload {
	if p, _, ok := noticeIn(room, m); ok {
		return p
	}
	out := &core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: m.MessageID, Turn: r.known(room).turn, Sender: m.Sender},
		MessageTexts: core.MessageTexts{SenderName: m.SenderName, Text: m.Body},
	}
	if m.ThreadID != nil {
		out.Thread = *m.ThreadID
	}
	if m.Addressed && r.opts.Self != "" {
		out.Addressed = []string{r.opts.Self}
	}
	for _, a := range m.Attachments {
		id, ok := core.MediaOf(a.MXC)
		if !ok {
			id = a.MXC
		}
		out.Media = append(out.Media, id)
		out.Attachments = append(out.Attachments, core.Attachment{Media: id, Filename: a.Filename, Type: a.Mimetype, Size: a.Size})
	}
	if len(out.Attachments) > 0 && out.Text == out.Attachments[0].Filename {
		// A file that came without words is shown with its name in their place.
		out.Text = ""
	}
	return out
}

// noticeIn finds the event that a message of the system tells of.
func noticeIn(room string, m agentswitch.Message) (core.Payload, uint64, bool) {
	if m.Sender != core.SystemSender || m.SenderName != core.SystemSender {
		return nil, 0, false
	}
	return core.ParseNotice(room, core.Notice{ID: m.MessageID, Text: m.Body})
}

// taskIn reads an event about a task; nil for any other.
func taskIn(p agentswitch.Payload) core.Payload {
	facts := func(ids agentswitch.TaskIDs) core.TaskFacts {
		return core.TaskFacts{Task: ids.TaskID, Requester: ids.RequesterAgentID, Performer: ids.PerformerAgentID}
	}
	switch p := p.(type) {
	case agentswitch.TaskDelegate:
		return &core.TaskDelegatedEvent{
			TaskFacts: facts(p.TaskIDs), TaskTexts: core.TaskTexts{Summary: p.Summary, Description: p.Description},
		}
	case agentswitch.TaskAccept:
		return &core.TaskAcceptedEvent{TaskFacts: facts(p.TaskIDs)}
	case agentswitch.TaskUpdate:
		return &core.TaskUpdatedEvent{TaskFacts: facts(p.TaskIDs), TaskNote: core.TaskNote{Text: p.Update}}
	case agentswitch.TaskFinalise:
		return &core.TaskFinalisedEvent{TaskFacts: facts(p.TaskIDs), TaskNote: core.TaskNote{Text: p.Outcome}}
	case agentswitch.TaskCancel:
		return &core.TaskCancelledEvent{TaskFacts: facts(p.TaskIDs), TaskNote: core.TaskNote{Text: p.Reason}}
	}
	return nil
}
