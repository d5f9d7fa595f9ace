package archive

import (
	"bytes"
	"strings"

	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
)

// readFrames reads what an edge socket brought, one frame per line: a messages snapshot is the whole log so far, what was
// appended comes behind it, what a later connection repeats comes once, and other frames are passed over.
func readFrames(whole []byte) (*Archive, error) {
	l := newLines(bytes.NewReader(whole))
	var log []edgeframes.Message
	found := false
	for {
		line, err := l.next()
		if err != nil {
			var broken *LineError
			if asLine(err, &broken) {
				return nil, err
			}
			break
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		f, err := edgeframes.ParseKnown(line, superjson.Limits{MaxBytes: MaxLine, MaxAnnotations: core.MaxImportEvents})
		if err != nil {
			return nil, l.fail(err)
		}
		if m, ok := f.(edgeframes.Messages); ok {
			if err := strictjson.Check(line, wholeLimits); err != nil {
				return nil, l.fail(err)
			}
			found = true
			if m.Snapshot != nil {
				log = nil
			}
			log = behind(behind(log, m.Snapshot), m.Appended)
		}
	}
	if !found || len(log) == 0 {
		return nil, wrong("the frames have no messages")
	}
	s := &story{}
	s.begin(log[0].At, core.RoomFacts{Name: noName, Floor: core.FloorOpen, State: core.StateActive})
	for i, m := range log {
		tellMessage(s, m, i)
	}
	return s.archive(Edge), nil
}

// behind appends the items whose numbers were not passed yet: numbers grow in a log.
func behind(log, items []edgeframes.Message) []edgeframes.Message {
	for _, m := range items {
		if len(log) == 0 || m.Seq > log[len(log)-1].Seq {
			log = append(log, m)
		}
	}
	return log
}

// tellMessage adds an item of the message log. It has a name or only a role, and calls of tools have no place in a log.
func tellMessage(s *story, m edgeframes.Message, i int) {
	who := m.Name
	if strings.TrimSpace(who) == "" {
		who = string(m.Role)
	}
	text := m.Content
	if len(m.ToolCalls) > 0 {
		names := make([]string, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			names[i] = c.Name
			s.leave("arguments of tool calls")
		}
		if text == "" {
			text = "(calls " + strings.Join(names, ", ") + ")"
		}
	}
	s.say(m.At, core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: orNumber("", i), Sender: speaker(who)},
		MessageTexts: core.MessageTexts{SenderName: who, Text: text},
	})
}
