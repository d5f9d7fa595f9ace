package scripts

import (
	"fmt"

	"stele/core"
)

// reading is what a decoder of a script knows at one place of a conversation: it reads the frames of one event, and what they
// leave out it takes from what came before (the room, the next version, the next turn). An encoder that writes residues keeps
// one too, and writes down where it is wrong. So both must be given the same frames and the same events, one after the other.
type reading interface {
	// entryOf returns what the frames of one event say by themselves, the frames as the encoder of the script writes them
	// for one event (SSE: the whole frame; edge: one frame per line). It changes nothing. Errors: of frames that tell no event;
	// none that an encoder wrote does.
	entryOf(frames []byte) (*core.Entry, error)
	// note takes in what the event really was, shown or not: frames with their residue, or frames alone when there is none.
	note(e *core.Entry)
}

// newReading begins a conversation. A reading ignores [Options].Comments.
func newReading(s Script, o Options) (reading, error) {
	switch s {
	case Switch:
		return newSwitchReading(o), nil
	case Areyouai:
		return newAreyouaiReading(o), nil
	case Edge:
		return newEdgeReading(o), nil
	case Core:
	}
	return nil, fmt.Errorf("script %q leaves nothing out", s)
}
