package edgefront

import (
	"fmt"

	"stele/core"
	"stele/edgeframes"
)

// Frames are the frames of one event, one for each stream that shows it; nil where a stream does not.
type Frames struct {
	// Message is the message as an item of the message log, State what the event does to the room's state, Event the event
	// as an item of the event log. A socket sends them in this order.
	Message, State, Event []byte
}

// EventFrames returns the frames with which a socket shows an event of a room, byte for byte, to a client at the address of
// an agent. room is the room after the event, as far as it is known; nil: a purge shows as the patch that it is, where a
// socket sends the whole state. It is for those who look at a room in this script without a socket of their own.
func EventFrames(e *core.Entry, agent string, room *core.Room) (Frames, error) {
	var out Frames
	var err error
	encode := func(f edgeframes.Frame) []byte {
		b, eerr := edgeframes.Encode(f)
		if eerr != nil && err == nil {
			err = fmt.Errorf("encode %s of event %d: %w", f.Kind(), e.Version, eerr)
		}
		return b
	}
	if p, ok := e.Payload.(*core.MessagePostedEvent); ok {
		out.Message = encode(edgeframes.Messages{Appended: []edgeframes.Message{messageOf(e, p, roleOf(p.Sender, agent))}})
	}
	if _, purged := e.Payload.(*core.RoomPurgedEvent); purged && room != nil {
		out.State = encode(edgeframes.State{Snapshot: snapshotOf(room)})
	} else if patch := patchOf(e); patch != nil {
		out.State = encode(edgeframes.State{Patch: patch})
	}
	out.Event = encode(eventOf(e))
	return out, err
}
