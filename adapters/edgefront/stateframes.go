package edgefront

import (
	"fmt"

	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// sendSnapshot sends the whole state.
func (s *session) sendSnapshot(state *superjson.Object) error {
	state, err := s.ambience.whole(s.ctx, state)
	if err != nil {
		return fmt.Errorf("look at the room: %w", err)
	}
	return s.sendFrame(edgeframes.State{Snapshot: state})
}

// writeState sends what an event does to the state: the patch that all sockets share, or after a purge the whole of what is
// left. It may be of a later time than the purge: what may still happen to a purged room changes nothing when it comes twice.
func (s *session) writeState(e *core.Entry) error {
	s.ambience.note(e)
	if _, purged := e.Payload.(*core.RoomPurgedEvent); !purged {
		return s.sendText(s.front.frames.statePatch(e), mark{})
	}
	var state *superjson.Object
	if err := s.front.node.ViewRoom(s.ctx, s.grant.room, func(r *core.Room) { state = snapshotOf(r) }); err != nil {
		return fmt.Errorf("view room: %w", err)
	}
	return s.sendSnapshot(state)
}

// writeAmbience sends what has changed in the state that no event tells.
func (s *session) writeAmbience() error {
	if s.ambience == nil || !s.ambience.stale {
		return nil
	}
	patch, err := s.ambience.look(s.ctx)
	if err != nil {
		return fmt.Errorf("look at the room: %w", err)
	}
	if patch == nil {
		return nil
	}
	return s.sendFrame(edgeframes.State{Patch: patch})
}
