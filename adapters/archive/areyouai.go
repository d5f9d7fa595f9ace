package archive

import (
	"fmt"
	"time"

	"stele/areyouai"
	"stele/core"
	"stele/internal/strictjson"
)

// readTranscript reads the answer of areyouai's transcript route.
func readTranscript(whole []byte) (*Archive, error) {
	var t areyouai.TranscriptReply
	if err := strictjson.UnmarshalLimits(whole, &t, wholeLimits); err != nil {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	if t.RoomTopic == "" {
		return nil, wrong("the transcript has no topic")
	}
	began, err := beganAt(&t)
	if err != nil {
		return nil, err
	}
	s := &story{}
	state := openTranscript(s, &t, began)
	for i, m := range t.Messages {
		if m.SenderID == "" || m.CreatedAt.IsZero() {
			return nil, wrong("message %d has no sender or no time", i+1)
		}
		next := ""
		if sides := [2]string{t.AgentAID, t.AgentBID}; takesTurns(&t) {
			next = sides[(i+1)%2]
		}
		s.say(m.CreatedAt.Time, core.MessagePostedEvent{
			MessageFacts: core.MessageFacts{ID: orNumber(m.ID, i), Sender: m.SenderID, Next: next},
			MessageTexts: core.MessageTexts{SenderName: m.SenderName, Text: m.Ciphertext},
		})
	}
	if t.State == areyouai.StateClosed {
		at := s.events[len(s.events)-1].At
		if t.ClosedAt != nil {
			at = t.ClosedAt.Time
		}
		s.close(at, state, core.ClosedByMember)
	}
	return s.archive(Areyouai), nil
}

// beganAt is when a transcript begins: it does not say when its room was created.
func beganAt(t *areyouai.TranscriptReply) (time.Time, error) {
	switch {
	case len(t.Messages) > 0:
		return t.Messages[0].CreatedAt.Time, nil
	case t.NextActorSince != nil:
		return t.NextActorSince.Time, nil
	case t.ClosedAt != nil:
		return t.ClosedAt.Time, nil
	}
	return time.Time{}, wrong("the transcript says of nothing when it was")
}

// openTranscript creates the room with its two sides, and tells in which state it was before its end.
func openTranscript(s *story, t *areyouai.TranscriptReply, at time.Time) core.RoomState {
	names := map[string]string{}
	for _, m := range t.Messages {
		names[m.SenderID] = m.SenderName
	}
	facts := core.RoomFacts{ID: t.RoomID, Name: t.RoomTopic, Floor: core.FloorOpen, State: core.StateActive}
	sides := [2]string{}
	if takesTurns(t) {
		facts.Floor, facts.State, sides = core.FloorTurns, core.StateOpen, [2]string{"a", "b"}
	}
	s.begin(at, facts)
	if t.AgentAID != "" {
		s.join(at, core.MemberJoinedEvent{Agent: t.AgentAID, Name: orID(names, t.AgentAID), Side: sides[0]})
	}
	if t.AgentBID == "" || t.AgentBID == t.AgentAID {
		return facts.State
	}
	s.join(at, core.MemberJoinedEvent{Agent: t.AgentBID, Name: orID(names, t.AgentBID), Side: sides[1]})
	if facts.State == core.StateOpen {
		s.become(at, core.StateOpen, core.StateActive, t.AgentAID)
	}
	return core.StateActive
}

// takesTurns tells whether the two sides spoke by turns. A transcript of an open floor looks the same, but names nobody as
// the one to speak next, and there others speak too, or somebody twice.
func takesTurns(t *areyouai.TranscriptReply) bool {
	sides := [2]string{t.AgentAID, t.AgentBID}
	if sides[0] == "" || t.NextActorID == "" && (t.State == areyouai.StateOpen || t.State == areyouai.StateActive) {
		return false
	}
	for i, m := range t.Messages {
		if m.SenderID != sides[i%2] {
			return false
		}
	}
	return true
}

func orID(names map[string]string, id string) string {
	if names[id] == "" {
		return id
	}
	return names[id]
}

// orNumber is an id, or one that says no more than the message's place.
func orNumber(id string, i int) string {
	if id == "" {
		return fmt.Sprintf("message_%d", i)
	}
	return id
}
