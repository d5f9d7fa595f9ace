package archive

import (
	"slices"
	"time"

	"stele/core"
)

// story makes the events of a room out of what a form says of a conversation.
type story struct {
	events []core.ImportedEvent
	joined []string
	turn   int
	left   map[string]int
}

// begin creates the room. No form says who might find it and come in, so that nobody but its owner's agents may.
func (s *story) begin(at time.Time, facts core.RoomFacts) {
	facts.ChannelType, facts.ReadVisibility, facts.WriteVisibility = "channel_private", "private", "private"
	s.add(at, &core.RoomCreatedEvent{RoomFacts: facts})
}

func (s *story) add(at time.Time, p core.Payload) {
	s.events = append(s.events, core.ImportedEvent{At: at, Payload: p})
}

// join makes somebody a member who is none yet.
func (s *story) join(at time.Time, who core.MemberJoinedEvent) {
	if slices.Contains(s.joined, who.Agent) {
		return
	}
	s.joined = append(s.joined, who.Agent)
	s.add(at, &who)
}

// say adds a message. Whoever speaks is a member.
func (s *story) say(at time.Time, m core.MessagePostedEvent) {
	s.join(at, core.MemberJoinedEvent{Agent: m.Sender, Name: m.SenderName})
	m.Turn = s.turn
	s.turn++
	s.add(at, &m)
}

// become changes the room's state.
func (s *story) become(at time.Time, from, to core.RoomState, next string) {
	s.add(at, &core.RoomStateChangedEvent{From: from, To: to, Next: next})
}

// close ends the room.
func (s *story) close(at time.Time, from core.RoomState, reason core.CloseReason) {
	s.become(at, from, core.StateClosed, "")
	s.add(at, &core.RoomClosedEvent{Reason: reason})
}

// leave counts what has no place in a log.
func (s *story) leave(what string) {
	if s.left == nil {
		s.left = map[string]int{}
	}
	s.left[what]++
}

func (s *story) archive(form Form) *Archive {
	return &Archive{Form: form, Events: s.events, LeftOut: s.left, Nameless: form != Areyouai}
}

// speaker is the id of somebody of whom only a name is known. It is nobody's id here.
func speaker(name string) string { return core.DerivedID(core.AgentPrefix, "speaker", name) }
