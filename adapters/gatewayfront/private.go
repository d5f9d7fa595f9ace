package gatewayfront

import (
	"slices"

	"stele/core"
)

// shownTo returns the event as the looker may see it: as it is, or only that it happened. private tells the second.
func (l looker) shownTo(e *core.Entry) (shown *core.Entry, private bool) {
	of := core.PartiesOf(e)
	if of == nil || l.isOperator() || l.shows != nil && l.shows(e) || l.agent != "" && slices.Contains(of, l.agent) {
		return e, false
	}
	return bare(e), true
}

// inPlainWords returns the event as the looker may see it in the log's own words, which hide nothing: people who watch are
// shown the conversation, and not what is for members to work by, such as instructions and documents.
func (l looker) inPlainWords(e *core.Entry) *core.Entry {
	if !l.isPeople() {
		return e
	}
	switch e.Kind {
	case core.MessagePosted, core.MemberJoined, core.MemberLeft, core.RoomStateChanged, core.RoomClosed, core.RoomPurged,
		core.EventEmitted, core.StatePatched, core.StateReplaced:
		return e
	}
	return bare(e)
}

// bare is that an event happened, and when.
func bare(e *core.Entry) *core.Entry {
	return &core.Entry{Recorded: core.Recorded{
		Event: core.Event{Kind: e.Kind, Version: e.Version, At: e.At}, Position: e.Position, Stream: e.Stream, Erased: e.Erased,
	}}
}
