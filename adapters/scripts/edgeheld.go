package scripts

import (
	"stele/core"
	"stele/edgeframes"
)

// hold keeps a message for its event. What is held is bounded: of more than that the events will not come.
func (d *edgeDecoder) hold(m edgeframes.Message) error {
	if len(d.held) >= maxHeld || d.heldBytes > maxUnit {
		if err := d.release(); err != nil {
			return err
		}
	}
	d.held = append(d.held, m)
	d.heldBytes += len(m.Content) + len(m.Name)
	return nil
}

// maxHeld is how many messages or events wait at most.
const maxHeld = 1 << 16

// unfollowed returns what is held: its event did not come, and none will for messages to come.
func (d *edgeDecoder) unfollowed() error {
	err := d.release()
	d.follow, d.alone = false, true
	return err
}

// release returns all that is held, as it is.
func (d *edgeDecoder) release() error {
	for len(d.held) > 0 {
		if err := d.emitHeld(); err != nil {
			return err
		}
	}
	d.group = edgeGroup{}
	return d.emitStash()
}

func (d *edgeDecoder) emitHeld() error {
	m := d.unhold()
	return d.emit(edgeGroup{message: &m})
}

func (d *edgeDecoder) unhold() edgeframes.Message {
	m := d.held[0]
	d.held, d.changed, d.heldBytes = d.held[1:], false, d.heldBytes-len(m.Content)-len(m.Name)
	return m
}

func (d *edgeDecoder) emitStash() error {
	stash := d.stash
	d.stash, d.stashBytes = nil, 0
	for _, g := range stash {
		if err := d.emit(g); err != nil {
			return err
		}
	}
	return nil
}

// emit makes the event of frames, unless it was told before.
func (d *edgeDecoder) emit(g edgeGroup) error {
	read, err := d.read.entryFrom(g)
	if err != nil {
		return err
	}
	e, err := d.settle(read, func(e *core.Entry) bool {
		room, _ := e.Stream.RoomID()
		if g.event == nil {
			noteNumber(d.spoken, room, spokenIn(g))
			return false
		}
		repeated := g.event.Seq <= d.told[room]
		noteNumber(d.told, room, g.event.Seq)
		return repeated
	})
	if err != nil {
		return err
	}
	if e != nil {
		d.queue = append(d.queue, e)
	}
	return nil
}

// spokenIn is the number of the message among frames, 0 for none.
func spokenIn(g edgeGroup) uint64 {
	if g.message == nil {
		return 0
	}
	return core.VersionCount(g.message.Seq)
}

// noteNumber remembers the highest number of a room, of a bounded number of rooms.
func noteNumber(of map[string]uint64, room string, n uint64) {
	if len(of) >= maxRooms {
		clear(of)
	}
	of[room] = max(of[room], n)
}
