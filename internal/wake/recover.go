package wake

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"stele/areyouai"
)

// catchUp asks the server which rooms wait, queues a wake for each, and forgets the cursor, which can no longer be used.
// A failure in the midst leaves the cursor as it was, so that the next connection begins with this again.
// Source: contract, "Frame handling", "Recovery".
func (s *Sidecar) catchUp(ctx context.Context) error {
	if err := s.setStatus(StreamRecovering, nil); err != nil {
		return err
	}
	got, err := s.tokens.actionable(ctx)
	if err != nil {
		return fmt.Errorf("recovery: %w", err)
	}
	if err := s.keepSession(); err != nil {
		return err
	}
	for _, room := range got.Terminal {
		if err := s.forget(room.RoomID); err != nil {
			return err
		}
	}
	for _, room := range got.Actionable {
		if err := s.queue.addWaiting(s.wakeOfRoom(room)); err != nil {
			return err
		}
	}
	now := areyouai.NewTime(s.opt.Now())
	s.state.LastAcknowledgedDeliveryID, s.state.LastRecoveredAt = "", &now
	if err := s.dir.write(stateFile, s.state); err != nil {
		return err
	}
	s.log.Info("recovered", zap.Int("waiting", len(got.Actionable)), zap.Int("ended", len(got.Terminal)))
	for _, room := range got.Actionable {
		s.queue.release(room.RoomID)
	}
	return nil
}

// ReasonRecovery is the reason of a wake whose delivery was lost; when its turn began is not known then.
const ReasonRecovery areyouai.Reason = "recovery"

func (s *Sidecar) wakeOfRoom(room areyouai.ActionableRoom) *Wake {
	return &Wake{
		RoomID: room.RoomID, Turn: room.NextTurn, ActorID: room.NextActorID, AgentID: room.AgentID,
		DeliveryID: fmt.Sprintf("recovery-%s-%d", room.RoomID, room.NextTurn), RoomState: room.RoomState,
		Reason: ReasonRecovery, OccurredAt: areyouai.NewTime(s.opt.Now()),
	}
}

// inTouch tells whether the stream was open, or a recovery made, so lately that no delivery can have expired since.
func (s *Sidecar) inTouch() bool {
	for _, at := range []*areyouai.Time{s.state.LastConnectedAt, s.state.LastRecoveredAt} {
		if at == nil {
			continue
		}
		// A time to come is one by a clock that was set back: it says nothing.
		if since := s.opt.Now().Sub(at.Time); since >= 0 && since < areyouai.ReplayWindow/2 {
			return true
		}
	}
	return false
}
