package scripts

import (
	"errors"

	"stele/adapters/areyouaifront"
	"stele/adapters/edgefront"
	"stele/adapters/switchfront"
	"stele/core"
)

// NewEncoder returns an encoder that begins a conversation. What it writes depends on the events and the options alone: the
// same conversation gives the same text.
func NewEncoder(s Script, o Options) (Encoder, error) {
	var bare Encoder
	switch s {
	case Core:
		return coreEncoder{}, nil
	case Switch:
		bare = visibleEncoder{switchEncoder{o}}
	case Areyouai:
		bare = visibleEncoder{areyouaiEncoder{}}
	case Edge:
		bare = &edgeEncoder{agent: o.Agent, view: o.View}
	default:
		_, err := Parse(string(s))
		return nil, err
	}
	if !o.Comments {
		return bare, nil
	}
	// Whoever reads it back need not be told the room.
	o.Room = ""
	read, err := newReading(s, o)
	if err != nil {
		return nil, err
	}
	return &residueEncoder{script: s, bare: bare, reading: read}, nil
}

// coreEncoder writes the log's own words, one event per line. Nothing is left out, so there is no residue.
type coreEncoder struct{}

func (coreEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	dst, err := e.AppendPlain(dst)
	if err != nil {
		return dst, err
	}
	return append(dst, '\n'), nil
}

// visibleEncoder passes over events of which nothing is left to show, as the readers of the fronts do.
type visibleEncoder struct{ Encoder }

func (v visibleEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	if e.Hollow() {
		return dst, nil
	}
	return v.Encoder.Append(dst, e)
}

type switchEncoder struct{ o Options }

func (s switchEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	return append(dst, switchfront.EventFrame(e, s.o.Self, s.o.ChannelType)...), nil
}

type areyouaiEncoder struct{}

func (areyouaiEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	return append(dst, areyouaifront.EventFrame(e)...), nil
}

// edgeEncoder writes one frame per line. For a purge it asks for the room, to show what is left of it as a socket would. Where
// it cannot ask, it follows the room from its beginning; one that was not there then shows the purge as a patch.
type edgeEncoder struct {
	agent string
	view  func(use func(*core.Room)) error
	id    string
	room  *core.Room
}

func (s *edgeEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	s.follow(e)
	if e.Hollow() {
		return dst, nil
	}
	frames, err := s.framesOf(e)
	if err != nil {
		return dst, err
	}
	for _, frame := range [][]byte{frames.Message, frames.State, frames.Event} {
		if frame != nil {
			dst = append(append(dst, frame...), '\n')
		}
	}
	return dst, nil
}

func (s *edgeEncoder) framesOf(e *core.Entry) (frames edgefront.Frames, err error) {
	if e.Kind != core.RoomPurged || s.view == nil {
		return edgefront.EventFrames(e, s.agent, s.room)
	}
	verr := s.view(func(r *core.Room) { frames, err = edgefront.EventFrames(e, s.agent, r) })
	return frames, errors.Join(verr, err)
}

func (s *edgeEncoder) follow(e *core.Entry) {
	switch id, _ := e.Stream.RoomID(); {
	case e.Kind == core.RoomCreated:
		s.id, s.room = id, &core.Room{}
	case s.room == nil:
		return
	case id != s.id:
		s.room = nil
		return
	}
	s.room.Apply(&e.Recorded)
}

// residueEncoder writes before the frames of an event what a decoder could not know from them.
type residueEncoder struct {
	script  Script
	bare    Encoder
	reading reading
	frames  []byte
}

func (r *residueEncoder) Append(dst []byte, e *core.Entry) ([]byte, error) {
	var err error
	if r.frames, err = r.bare.Append(r.frames[:0], e); err != nil {
		return dst, err
	}
	var read *core.Entry
	if len(r.frames) > 0 {
		if read, err = r.reading.entryOf(r.frames); err != nil {
			return dst, err
		}
	}
	comment, err := residue(e, read)
	if err != nil {
		return dst, err
	}
	r.reading.note(e)
	if len(comment) > 0 {
		dst = appendResidue(dst, r.script, comment)
	}
	return append(dst, r.frames...), nil
}
