package edgefront

import (
	"context"
	"errors"
	"fmt"

	"stele/core"
	"stele/edgeframes"
)

// entriesPerRead is how much of the room is taken in one round; between rounds pings are answered.
const entriesPerRead = 256

// entriesKept is how many entries a session has room for while it waits.
const entriesKept = 128

// live goes round the session's loop until it ends, which it does with an error. What it waits in needs little stack, since
// most sessions wait most of the time.
func (s *session) live() error {
	if err := s.handleEarly(); err != nil {
		return err
	}
	s.leaving = s.front.open.leaving
	for {
		if err := s.catchUp(); err != nil {
			return err
		}
		if err := s.await(); err != nil {
			return err
		}
	}
}

// catchUp does all that there is to do.
func (s *session) catchUp() error {
	entries := s.entries
	for {
		s.out.hold()
		err := s.attend()
		if err == nil {
			err = s.handleWaiting()
		}
		if err == nil {
			entries, err = s.writeEntries(entries[:0])
		}
		if err == nil {
			err = s.writeAmbience()
		}
		if err == nil {
			err = s.writeAnswer()
		}
		if err = errors.Join(err, s.flush()); err != nil {
			return err
		}
		if s.calls.drained {
			return goingAway()
		}
		s.callNext()
		clear(entries)
		if len(entries) > 0 || len(s.inbound) > 0 {
			continue
		}
		if s.entries = nil; cap(entries) <= entriesKept {
			s.entries = entries
		}
		return nil
	}
}

// await waits until there is something to do.
func (s *session) await() error {
	select {
	case in := <-s.inbound:
		return s.receive(in)
	case <-s.pings:
		return s.answerPing()
	case <-s.reauth.C:
		return s.recheck()
	case <-s.reader.Wake():
		s.out.pace()
	case <-s.ambience.wake():
		s.ambience.stale = true
	case <-s.ambience.timer():
		s.ambience.stale = true
	case <-s.out.idle():
		return s.keepAlive()
	case s.calls.done = <-s.calls.answers:
	case <-s.leaving:
		s.leaving = nil
		s.calls.leave()
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return nil
}

// receive handles a frame. What it sends goes out with what else there is to send.
func (s *session) receive(in *inbound) error {
	s.out.hold()
	if err := s.handle(*in); err != nil {
		return errors.Join(err, s.flush())
	}
	return nil
}

func (s *session) keepAlive() error {
	if err := s.out.keepAlive(); err != nil {
		return &networkError{err}
	}
	return nil
}

func (s *session) answerPing() error {
	s.out.hold()
	if err := s.sendText(s.front.frames.pong, mark{}); err != nil {
		return errors.Join(err, s.flush())
	}
	return nil
}

// handleEarly handles the frames that came before admission, in the order in which they came.
func (s *session) handleEarly() error {
	s.out.hold()
	if s.first != nil {
		if err := s.handle(*s.first); err != nil {
			return err
		}
		s.first = nil
	}
	for len(s.early) > 0 {
		if err := s.handle(*<-s.early); err != nil {
			return err
		}
	}
	s.early = nil
	return nil
}

// handleWaiting handles the frames that are there already, up to a number that lets a flood of them not hold up the room.
func (s *session) handleWaiting() error {
	for range cap(s.inbound) {
		select {
		case in := <-s.inbound:
			if err := s.handle(*in); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// handle does what a frame of an admitted client asks for.
func (s *session) handle(in inbound) error {
	s.load.Release(in.weight)
	if in.err != nil && !in.err.ForCall {
		return malformed(in.err.Frame())
	}
	if in.err != nil {
		return s.queue(pendingCall{id: in.err.ID, refusal: in.err, weight: in.weight})
	}
	switch frame := in.frame.(type) {
	case edgeframes.Ping:
		// One from before admission; the reader hands over later ones by themselves.
		return s.sendText(s.front.frames.pong, mark{})
	case edgeframes.Call:
		return s.queue(pendingCall{id: frame.ID, call: frame, weight: in.weight})
	case edgeframes.Attach:
		return malformed(edgeframes.ConnectionError(edgeframes.CodeProtocolError, "attach must be the first frame and may come once"))
	}
	return malformed(edgeframes.ConnectionError(edgeframes.CodeProtocolError,
		fmt.Sprintf("%s frames come from the server", in.frame.Kind())))
}

// queue lets a call wait for its turn, or refuses it when there is no room: were the socket not read on instead, pings
// would wait behind calls.
func (s *session) queue(c pendingCall) error {
	if s.calls.add(c) {
		return nil
	}
	return s.sendFrame(s.front.callError(c.id, errBusy))
}

// writeEntries writes one round of what lies behind the cursor.
func (s *session) writeEntries(entries []*core.Entry) ([]*core.Entry, error) {
	entries, err := s.reader.Read(s.ctx, entriesPerRead, entries)
	if err != nil {
		return entries, fmt.Errorf("read room: %w", err)
	}
	if g := s.grant; len(entries) > 0 && g.cred.Kind != core.NoCredential && !s.front.node.KeyStands(g.cred) {
		return entries, refused(errEnded.Error())
	}
	for _, e := range entries {
		if err := s.writeEntry(e); err != nil {
			return entries, err
		}
	}
	return entries, nil
}

// writeEntry writes the frames of one event, in the order of the protocol's example.
func (s *session) writeEntry(e *core.Entry) error {
	frames := s.front.frames
	if p, ok := e.Payload.(*core.MessagePostedEvent); ok && s.wants.messages {
		at := mark{edgeframes.StreamMessages, core.MessageNumber(e.Version, p.Turn)}
		if err := s.sendText(frames.appended(e, s.grant.agent), at); err != nil {
			return err
		}
	}
	if s.wants.state {
		if err := s.writeState(e); err != nil {
			return err
		}
	}
	if s.wants.events {
		if err := s.sendText(frames.eventFrame(e), mark{edgeframes.StreamEvents, e.Version}); err != nil {
			return err
		}
	}
	if p, ok := e.Payload.(*core.MemberLeftEvent); ok && s.grant.member && p.Agent == s.grant.caller {
		return left()
	}
	return nil
}
