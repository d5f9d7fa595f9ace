package edgefront

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"stele/core"
)

// check finds out whether what a grant rests on still holds. Errors: [errEnded], or the core's. It asks this node only:
// what another node has just ended is noticed with the next events from there.
func (f *Front) check(ctx context.Context, g grant) error {
	holds := false
	switch {
	case g.viewer != "":
		// Who keeps a connection open is heard of.
		holds = f.node.BeatViewer(g.room, g.viewer) == nil
	case g.code != "":
		opens, err := f.node.HumanCodeOpens(ctx, g.room, g.code)
		if err != nil {
			return err
		}
		holds = opens
	case g.cred.Kind != core.NoCredential && !f.node.StillValid(g.cred):
		// Whoever came with a credential stays no longer than it, even where nobody needs one.
	case g.member:
		holds = f.node.IsMember(g.caller, g.room)
	default:
		room, ok := f.node.Room(g.room)
		holds = ok && room.ReadPublic
	}
	if !holds {
		return errEnded
	}
	return nil
}

// slide gives a room token that was used shortly before its end a full life again. What it was used for has been granted
// already, so a failure is for the operator only: a log that takes no events does not keep anybody from reading.
func (f *Front) slide(ctx context.Context, cred core.Credential) {
	if err := f.node.UseRoomToken(ctx, cred); err != nil {
		f.log.Warn("room token was not extended", zap.String("room", cred.Room), zap.String("agent", cred.Agent), zap.Error(err))
	}
}

// recheck ends the session when its rights have ended.
func (s *session) recheck() error {
	err := s.front.check(s.ctx, s.grant)
	if errors.Is(err, errEnded) {
		return refused(errEnded.Error())
	}
	return err
}

// attend does what must wait neither for a call nor for the end of a long batch: it answers the pings that came and
// checks the rights when it is time. The caller flushes.
func (s *session) attend() error {
	// As many as may be owed, so that a flood of pings does not hold up the room.
	for range cap(s.pings) + 1 {
		select {
		case <-s.pings:
			if err := s.out.send(s.front.frames.pong, mark{}); err != nil {
				return &networkError{err}
			}
		case <-s.reauth.C:
			if err := s.recheck(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}
