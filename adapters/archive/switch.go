package archive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"stele/core"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// said is an entry of a read_context answer with the root it belongs under, empty at top level.
type said struct {
	agentswitch.Entry
	thread string
}

// readContext reads the answer of the Switch protocol's read_context.
func readContext(whole []byte) (*Archive, error) {
	answer, err := contextOf(whole)
	if err != nil {
		return nil, err
	}
	s := &story{}
	entries, err := flatten(answer, s)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, wrong("the answer has no messages")
	}
	s.begin(timeIn(entries[0]), core.RoomFacts{Name: noName, Floor: core.FloorOpen, State: core.StateActive})
	for i, e := range entries {
		tellEntry(s, e, i)
	}
	if answer.Truncated {
		s.leave("messages before the oldest in the answer")
	}
	return s.archive(Switch), nil
}

// contextOf finds the answer by itself or in what an operation answers.
func contextOf(whole []byte) (*agentswitch.ReadContextAnswer, error) {
	var wrapped struct {
		Result  *agentswitch.ReadContextAnswer        `json:"result"`
		Threads *agentswitch.List[agentswitch.Thread] `json:"threads"`
	}
	if err := strictjson.UnmarshalLimits(whole, &wrapped, wholeLimits); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if wrapped.Result != nil {
		return wrapped.Result, nil
	}
	var answer agentswitch.ReadContextAnswer
	if wrapped.Threads == nil {
		return nil, ErrUnknownForm
	}
	if err := strictjson.UnmarshalLimits(whole, &answer, wholeLimits); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &answer, nil
}

// flatten puts the entries of all threads into the order in which they were said. What was said in the same millisecond is in
// the order of the turns, where the ids tell them, and else as in the answer.
func flatten(answer *agentswitch.ReadContextAnswer, s *story) (out []said, err error) {
	add := func(e agentswitch.Entry, thread string) {
		switch {
		case e.Elided:
			s.leave("roots of threads that the answer does not show")
		case e.Timestamp == nil || e.Sender == "":
			err = wrong("the entry %.100q has no sender or no time", e.ID)
		default:
			out = append(out, said{e, thread})
		}
	}
	for _, t := range answer.Threads {
		add(t.Root, "")
		for _, reply := range t.Replies {
			add(reply, t.Root.ID)
		}
	}
	slices.SortStableFunc(out, func(a, b said) int {
		if c := cmp.Compare(*a.Timestamp, *b.Timestamp); c != 0 {
			return c
		}
		first, ok := core.MessageTurn(a.ID)
		second, both := core.MessageTurn(b.ID)
		if ok && both {
			return cmp.Compare(first, second)
		}
		return 0
	})
	return out, err
}

func timeIn(e said) time.Time { return time.UnixMilli(*e.Timestamp).UTC() }

// tellEntry adds an entry to the story.
func tellEntry(s *story, e said, i int) {
	at := timeIn(e)
	if e.Kind == agentswitch.EntryRoomJoin {
		s.join(at, core.MemberJoinedEvent{Agent: e.Sender, Name: orText(e.SenderName, e.Sender)})
		return
	}
	if e.Sender == core.SystemSender {
		if reason, ok := closeReason(e); ok {
			s.close(at, core.StateActive, reason)
			return
		}
		s.leave("notices")
		return
	}
	m := core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: orNumber(e.ID, i), Sender: e.Sender, Thread: e.thread},
		MessageTexts: core.MessageTexts{SenderName: orText(e.SenderName, e.Sender), Text: e.Body},
	}
	for _, a := range e.Attachments {
		id, ok := core.MediaOf(a.MXC)
		if !ok {
			id = core.DerivedID("med_", a.MXC, a.Filename)
		}
		m.Media = append(m.Media, id)
		m.Attachments = append(m.Attachments, core.Attachment{Media: id, Filename: a.Filename, Type: a.Mimetype, Size: a.Size})
	}
	if len(m.Attachments) > 0 && m.Text == m.Attachments[0].Filename {
		// It came without words; who shows it puts the name there.
		m.Text = ""
	}
	s.say(at, m)
}

// closeReason reads the notice with which a room tells that it closed.
func closeReason(e said) (core.CloseReason, bool) {
	place, _ := strings.CutPrefix(e.ID, "evt_")
	end := strings.LastIndexByte(place, '_')
	if end < 0 {
		return "", false
	}
	p, _, _ := core.ParseNotice(place[:end], core.Notice{ID: e.ID, Text: e.Body})
	closed, ok := p.(*core.RoomClosedEvent)
	if !ok {
		return "", false
	}
	return closed.Reason, true
}

func orText(text, other string) string {
	if strings.TrimSpace(text) == "" {
		return other
	}
	return text
}
