package scripts

import (
	"io"

	"stele/core"
	"stele/internal/sse"
	agentswitch "stele/switch"
)

// switchDecoder reads the event stream of an agent, which may be of several rooms and several connections one after the other.
// What is no event of a room is passed over: what the stream tells of itself, and types this program does not know.
type switchDecoder struct {
	decoding
	read   *switchReading
	stream *eventStream
	// sequence is that of the newest event: what a later connection repeats is not returned again.
	sequence uint64
	err      error
}

func newSwitchDecoder(r io.Reader, o Options) *switchDecoder {
	read := newSwitchReading(o)
	return &switchDecoder{
		decoding: decoding{reading: read, place: read.place, room: o.Room}, read: read, stream: newEventStream(r),
	}
}

// Next implements [Decoder].
func (d *switchDecoder) Next() (*core.Entry, error) {
	for d.err == nil {
		ev, err := d.stream.next()
		if err != nil {
			d.err = d.ended(err)
			break
		}
		e, err := d.take(ev)
		if err != nil {
			d.err = &LineError{Line: d.stream.line, Err: err}
			break
		}
		if e != nil {
			return e, nil
		}
	}
	return nil, d.err
}

// take reads a frame or a comment; nil when it tells no event.
func (d *switchDecoder) take(ev sse.Event) (*core.Entry, error) {
	if ev.Comment {
		return d.takeComment(ev.Data, d.stream.line)
	}
	if ev.Data == nil {
		return nil, nil
	}
	f, err := agentswitch.ParseFrame(ev)
	if err != nil {
		return nil, err
	}
	switch f := f.(type) {
	case agentswitch.Gap:
		if f.Restarted() {
			d.sequence = f.ResumedAt
		}
	case agentswitch.Event:
		repeated := f.Sequence != 0 && f.Sequence <= d.sequence
		d.sequence = max(d.sequence, f.Sequence)
		if read := d.read.entryFrom(f); read != nil {
			if err := whole(ev.Data); err != nil {
				return nil, err
			}
			return d.settle(read, func(*core.Entry) bool { return repeated })
		}
	}
	return nil, nil
}

// takeComment reads a comment, which may be the residue of what comes next, or of an event that the script does not show.
func (d *decoding) takeComment(text []byte, line int) (*core.Entry, error) {
	comment, ok := cutResidue(text)
	if !ok {
		return nil, nil
	}
	d.comment, d.commentAt = comment, line
	if !stands(comment) {
		return nil, nil
	}
	return d.settle(nil, nil)
}
