package scripts

import (
	"fmt"
	"slices"

	"stele/core"
)

// Script names a form in which a conversation is written.
type Script string

// The scripts. Core is the log's own words, one JSON object per line (see [core.Entry.AppendPlain]); Switch and Areyouai are
// server-sent events; Edge is one frame per line.
const (
	Core     Script = "core"
	Switch   Script = "switch"
	Areyouai Script = "areyouai"
	Edge     Script = "edge"
)

// All lists the scripts.
func All() []Script { return []Script{Core, Switch, Areyouai, Edge} }

// Parse finds a script by its name.
func Parse(name string) (Script, error) {
	if s := Script(name); slices.Contains(All(), s) {
		return s, nil
	}
	return "", fmt.Errorf("there is no script %q: it must be one of %v", name, All())
}

// Options say from whose place a conversation is seen. The zero value is nobody's in particular.
type Options struct {
	// Room is the room's id. Decoders need it where a script does not name the room in each event; encoders ignore it.
	Room string
	// ChannelType is the room's (Switch protocol: channel_type). Empty: the envelope has none.
	ChannelType string
	// Self is the id of the agent that receives: the Switch protocol does not show an agent what it said itself, and marks
	// what addresses it. Empty: somebody to whom nothing is addressed and who said nothing.
	Self string
	// Agent is the id of the agent that an edge address names, whose messages have the role of the assistant.
	Agent string
	// View shows the room as it is now, for what is left after a purge: an encoder that begins in the middle, or after the purge
	// took away what was said, cannot know it. Nil: what came since the room was made tells it.
	View func(use func(*core.Room)) error
	// Comments asks an encoder for the residue, and a decoder heeds it in any case.
	Comments bool
}

// Encoder writes events in a script. It is not safe for concurrent use: it may remember what came before.
type Encoder interface {
	// Append appends all that shows an event, in whole lines; nothing when the script does not show it.
	Append(dst []byte, e *core.Entry) ([]byte, error)
}

// Decoder reads events from a script.
type Decoder interface {
	// Next returns the next event, or io.EOF after the last. It returns as soon as the event is complete, however long the
	// next one takes. Errors name the line.
	Next() (*core.Entry, error)
}
