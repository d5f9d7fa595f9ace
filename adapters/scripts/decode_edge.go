package scripts

import (
	"bytes"
	"io"
	"slices"

	"stele/core"
	"stele/edgeframes"
)

// edgeDecoder reads the frames that a socket received, one per line, which may be of several connections one after the other.
//
// A message shows in up to three frames: as an item of the message log, as a patch of the state and as an event, in this order
// and with nothing between them. It must come out once, and at once. So a message is held until the next frame shows whether
// its event follows, but only while that may be:
//
//   - A socket that is told no events has none to follow: that is known from the attached frame, and for a connection without
//     one from its beginning, which is then the whole state or the whole log.
//   - A socket that is told them gets the event in the same write, so that nothing waits.
//   - The first message after which no event came shows that the server does not tell messages that way, and no other is held.
//   - Of a text that begins in the midst of a connection nothing is known before its second frame.
//
// Items of the log that come before hello may have their events behind them, and wait for those or for hello.
type edgeDecoder struct {
	decoding
	read  *edgeReading
	lines *lines
	// follow tells whether the event of a message may follow its frame; alone, that one did not on this server.
	follow, alone bool
	// bootstrap: hello is to come. begun: a frame of this text came.
	bootstrap, begun bool
	// held are messages that wait for their events, oldest first; frames that came behind them and wait too are in stash.
	held  []edgeframes.Message
	stash []edgeGroup
	// heldBytes is the text of what is held, stashBytes of the lines of what is in stash; size is that of the newest line.
	heldBytes, stashBytes, size int
	// changed is whether the first held message's own change of the state came.
	changed bool
	// group are the frames of the event that is to come.
	group edgeGroup
	// told is the number of the newest event frame by room, spoken that of the newest message that came without one.
	told, spoken map[string]uint64
	// whole is the room that was shown whole, if any was.
	whole bool
	queue []*core.Entry
	err   error
}

func newEdgeDecoder(r io.Reader, o Options) *edgeDecoder {
	read := newEdgeReading(o)
	return &edgeDecoder{
		decoding: decoding{reading: read, place: read.place, room: o.Room}, read: read, lines: newLines(r),
		follow: true, told: map[string]uint64{}, spoken: map[string]uint64{},
	}
}

// Next implements [Decoder].
func (d *edgeDecoder) Next() (*core.Entry, error) {
	for len(d.queue) == 0 && d.err == nil {
		line, err := d.lines.next()
		if err != nil {
			if d.err = d.ended(err); d.err == io.EOF {
				d.located(d.release())
			}
			break
		}
		d.located(d.take(line))
	}
	if len(d.queue) > 0 {
		e := d.queue[0]
		d.queue = d.queue[1:]
		return e, nil
	}
	return nil, d.err
}

func (d *edgeDecoder) located(err error) {
	if err != nil {
		d.err = &LineError{Line: d.lines.number, Err: err}
	}
}

// take reads a line.
func (d *edgeDecoder) take(line []byte) error {
	if len(line) == 0 || line[0] == '>' {
		return nil
	}
	if text, ok := bytes.CutPrefix(line, []byte("#")); ok {
		return d.takeLine(bytes.TrimPrefix(text, []byte(" ")))
	}
	d.size = len(line)
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("<")), " \t")
	frame, err := edgeframes.ParseKnown(line, edgeLimits)
	if err != nil {
		return err
	}
	switch frame.(type) {
	case edgeframes.State, edgeframes.Messages, edgeframes.EventFrame:
		if err := whole(line); err != nil {
			return err
		}
	}
	return d.takeFrame(frame)
}

// takeLine reads a comment. A residue means that all frames of its event come next.
func (d *edgeDecoder) takeLine(text []byte) error {
	comment, ok := cutResidue(text)
	if !ok {
		return nil
	}
	if err := d.release(); err != nil {
		return err
	}
	d.follow = true
	e, err := d.takeComment(bytes.Clone(append([]byte(residueMark), comment...)), d.lines.number)
	if e != nil {
		d.queue = append(d.queue, e)
	}
	return err
}

func (d *edgeDecoder) takeFrame(frame edgeframes.Frame) error {
	first := !d.begun
	d.begun = true
	switch f := frame.(type) {
	case edgeframes.Attached:
		return d.takeAttached(f)
	case edgeframes.Hello:
		d.bootstrap = false
		return d.release()
	case edgeframes.State:
		if f.Snapshot != nil {
			return d.takeWhole(f, first)
		}
		return d.takePatch(f)
	case edgeframes.Messages:
		if f.Snapshot != nil {
			if err := d.takeReset(first); err != nil {
				return err
			}
		}
		return d.takeMessages(append(f.Snapshot, f.Appended...))
	case edgeframes.EventFrame:
		return d.takeEvent(&f)
	}
	return nil
}

// takeAttached sees a connection begin. What the one before was cut off from, the events of this one tell, if the state shows
// that it is the same room.
func (d *edgeDecoder) takeAttached(f edgeframes.Attached) error {
	follow := slices.Contains(f.Accepted, edgeframes.StreamEvents) && !d.alone
	if !follow || !slices.Contains(f.Accepted, edgeframes.StreamState) {
		if err := d.release(); err != nil {
			return err
		}
	}
	d.follow, d.bootstrap, d.changed, d.group = follow, true, false, edgeGroup{}
	return nil
}

// takeReset sees the whole log begin. Without an attached frame it is the beginning of a connection without events.
func (d *edgeDecoder) takeReset(first bool) error {
	if d.bootstrap {
		return nil
	}
	if !first {
		if err := d.release(); err != nil {
			return err
		}
	}
	d.follow = false
	return nil
}

// takeMessages reads items of the log.
func (d *edgeDecoder) takeMessages(items []edgeframes.Message) error {
	if !d.bootstrap && len(d.held) > 0 {
		if err := d.unfollowed(); err != nil {
			return err
		}
	}
	for i := range items {
		if d.comment == nil && d.repeated(items[i].Seq) {
			continue
		}
		if d.follow {
			if err := d.hold(items[i]); err != nil {
				return err
			}
			continue
		}
		if err := d.emit(edgeGroup{message: &items[i]}); err != nil {
			return err
		}
	}
	return nil
}

// repeated tells whether a message was returned, or is held.
func (d *edgeDecoder) repeated(seq uint64) bool {
	if n := len(d.held); n > 0 && seq <= d.held[n-1].Seq {
		return true
	}
	return core.VersionCount(seq) <= uint64(d.place.known(d.place.room).turn)
}

// takePatch reads a change of the state. It waits for the event that it belongs to, where events come.
func (d *edgeDecoder) takePatch(f edgeframes.State) error {
	switch {
	case d.follow && len(d.held) > 0 && !d.bootstrap && !d.changed && uint64(number(f.Patch, "turn")) == core.VersionCount(d.held[0].Seq):
		d.changed = true
		d.group.patch = f.Patch
		return nil
	case len(d.held) > 0 && !d.bootstrap:
		if err := d.unfollowed(); err != nil {
			return err
		}
	}
	if d.follow {
		d.group.patch = f.Patch
		return nil
	}
	return d.emit(edgeGroup{patch: f.Patch})
}

// takeEvent reads an event, with what came before it of the same.
func (d *edgeDecoder) takeEvent(f *edgeframes.EventFrame) error {
	g := edgeGroup{patch: d.group.patch, event: f}
	d.group = edgeGroup{}
	turn, posted := turnOf(f)
	if d.bootstrap && len(d.held) > 0 && !posted && f.Seq > d.place.known(d.place.room).version+1 {
		// Events before this one are not kept any more: whether the held messages came before it is not known yet.
		if len(d.stash) < maxHeld && d.stashBytes <= maxUnit {
			d.stash, d.stashBytes = append(d.stash, g), d.stashBytes+d.size
			return nil
		}
		if err := d.release(); err != nil {
			return err
		}
	}
	if !posted {
		if !d.bootstrap && len(d.held) > 0 {
			if err := d.unfollowed(); err != nil {
				return err
			}
		}
		d.follow = !d.alone
		return d.emit(g)
	}
	d.follow, d.alone = true, false
	for len(d.held) > 0 && core.VersionCount(d.held[0].Seq) <= turn {
		if err := d.emitHeld(); err != nil {
			return err
		}
	}
	if err := d.emitStash(); err != nil {
		return err
	}
	if len(d.held) > 0 && core.VersionCount(d.held[0].Seq) == turn+1 {
		m := d.unhold()
		g.message = &m
	}
	if d.comment == nil && g.message == nil && turn < d.spoken[d.place.room] {
		noteNumber(d.told, d.place.room, f.Seq)
		return nil
	}
	return d.emit(g)
}

// turnOf finds which message an event is.
func turnOf(f *edgeframes.EventFrame) (turn uint64, posted bool) {
	said, ok := objectIn(f.Payload)
	if !ok || f.Type != string(core.MessagePosted) {
		return 0, false
	}
	return uint64(max(number(said, "turn"), 0)), true
}
