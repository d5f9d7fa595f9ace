package edgefront

import (
	"fmt"
	"slices"

	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// chunkBytes bounds the text of the messages in one frame. A longer log is sent as a snapshot and appended items, which a
// client puts together to the same log, so that neither side ever holds it as one text.
const chunkBytes = 256 << 10

// view is a room at one position.
type view struct {
	state   *superjson.Object
	at      core.Position
	version uint64
	turn    int
	// forgotten is the version of the newest event that is not replayed any more.
	forgotten uint64
}

func (s *session) view() (view, error) {
	var v view
	err := s.front.node.ViewRoomAt(s.ctx, s.grant.room, func(r *core.Room, at core.Position) {
		v = view{at: at, version: r.Version, turn: r.Turn, forgotten: forgotten(r, s.front.opts.RetainEvents)}
		if s.wants.state {
			v.state = snapshotOf(r)
		}
	})
	if err != nil {
		return view{}, fmt.Errorf("view room: %w", err)
	}
	return v, nil
}

// forgotten is the version of a room's newest event before the last ones that are kept, 0 when there is none. Versions
// jump where a life of the log ends, so it is the count that is taken back.
func forgotten(r *core.Room, keep int) uint64 {
	count := core.VersionCount(r.Version)
	if count <= uint64(keep) {
		return 0
	}
	count -= uint64(keep)
	version := r.Version
	for _, jump := range slices.Backward(r.Jumps) {
		if count >= core.VersionCount(jump.First) {
			break
		}
		version = jump.Last
	}
	return version - core.VersionCount(version) + count
}

// bootstrap sends everything up to hello. The room is viewed at one position; what is sent here lies up to it, and the
// reader that brings the rest begins there.
func (s *session) bootstrap() error {
	unpin, err := s.front.node.PinRoom(s.ctx, s.grant.room)
	if err != nil {
		return fmt.Errorf("pin room: %w", err)
	}
	s.unpin = unpin
	v, err := s.viewBehind()
	if err != nil {
		return err
	}
	s.reader = s.front.node.NewRoomReader(s.grant.room, v.at)
	s.reader.Serve(s.grant.caller, "edge", s.grant.room)
	s.out.hold()
	if s.attach != nil {
		attached := edgeframes.Attached{Grants: s.grant.claims, Accepted: accepted(s.attach.Subscribe)}
		if err := s.sendFrame(attached); err != nil {
			return err
		}
	}
	if s.wants.state {
		s.ambience = newAmbience(s.front.crowd, s.grant.room)
		if err := s.sendSnapshot(v.state); err != nil {
			return err
		}
	}
	if s.wants.messages {
		if err := s.sendMessages(v); err != nil {
			return err
		}
	}
	if s.wants.events {
		if err := s.replay(v); err != nil {
			return err
		}
	}
	if err := s.sendText(s.front.frames.hello, mark{}); err != nil {
		return err
	}
	return s.flush()
}

// viewBehind views the room, and when the client has seen more of it than there is here, once more after this node has
// caught up with the others: what another node sent must not come again.
func (s *session) viewBehind() (view, error) {
	v, err := s.view()
	if err != nil || !s.front.node.Shared() || !s.ahead(v) {
		return v, err
	}
	if err := s.front.node.CatchUp(s.ctx); err != nil {
		return view{}, fmt.Errorf("catch up: %w", err)
	}
	return s.view()
}

func (s *session) ahead(v view) bool {
	messages, _ := s.cursor(edgeframes.StreamMessages)
	events, _ := s.cursor(edgeframes.StreamEvents)
	return core.VersionCount(messages) > uint64(v.turn) || events > v.version
}

// seenMessages is how many messages the client has, by its cursor. resumes is false without a cursor, and for one that
// names no message of this log.
func (s *session) seenMessages(v view) (seen int, resumes bool, err error) {
	cursor, resumes := s.cursor(edgeframes.StreamMessages)
	if !resumes || cursor == 0 {
		return 0, resumes, nil
	}
	count := core.VersionCount(cursor)
	if count == 0 || count > uint64(v.turn) {
		return 0, false, nil
	}
	for e, err := range s.front.node.HistoryOf(s.grant.room).MessagesFrom(s.ctx, int(count)-1) {
		if err != nil {
			return 0, false, fmt.Errorf("read messages: %w", err)
		}
		p, ok := e.Payload.(*core.MessagePostedEvent)
		if !ok || core.MessageNumber(e.Version, p.Turn) != cursor {
			return 0, false, nil
		}
		return int(count), true, nil
	}
	return 0, false, nil
}

// sendMessages sends the message log, or with a cursor what the client has not seen of it. A cursor beyond the log is
// from another life of it: the client gets the whole log, which replaces its copy.
func (s *session) sendMessages(v view) error {
	seen, resumes, err := s.seenMessages(v)
	if err != nil {
		return err
	}
	c := chunk{session: s, snapshot: !resumes}
	for e, err := range s.front.node.HistoryOf(s.grant.room).MessagesFrom(s.ctx, seen) {
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		if e.Position > v.at {
			break
		}
		if err := c.add(e); err != nil {
			return err
		}
	}
	return c.send()
}

// chunk gathers messages for one frame.
type chunk struct {
	session  *session
	snapshot bool
	items    []edgeframes.Message
	bytes    int
}

func (c *chunk) add(e *core.Entry) error {
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		return nil
	}
	c.items = append(c.items, messageOf(e, p, roleOf(p.Sender, c.session.grant.agent)))
	// An item without text is about as long as its keys and its time.
	const frameOfItem = 128
	if c.bytes += len(p.Shown()) + frameOfItem; c.bytes < chunkBytes {
		return nil
	}
	return c.send()
}

// send sends what was gathered; a snapshot also when it is empty, what follows only when there is any.
func (c *chunk) send() error {
	frame, last := edgeframes.Messages{Appended: c.items}, mark{stream: edgeframes.StreamMessages}
	switch {
	case c.snapshot:
		frame = edgeframes.Messages{Snapshot: append([]edgeframes.Message{}, c.items...)}
	case len(c.items) == 0:
		return nil
	}
	if n := len(c.items); n > 0 {
		last.seq = c.items[n-1].Seq
	}
	c.snapshot, c.items, c.bytes = false, c.items[:0], 0
	return c.session.sendText(c.session.front.frames.text(frame), last)
}

// replay sends the retained events that the client has not seen. Those that are too old are a jump in seq.
func (s *session) replay(v view) error {
	after, _ := s.cursor(edgeframes.StreamEvents)
	after = max(after, v.forgotten)
	for e, err := range s.front.node.HistoryOf(s.grant.room).After(s.ctx, after) {
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if e.Position > v.at {
			break
		}
		if err := s.sendText(s.front.frames.eventFrame(e), mark{edgeframes.StreamEvents, e.Version}); err != nil {
			return err
		}
	}
	return nil
}
