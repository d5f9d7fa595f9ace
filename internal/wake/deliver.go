package wake

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"stele/areyouai"
)

// turnReady makes a wake durable. It returns nil when the delivery may be acknowledged, also because nothing is to be
// done for it. A token that cannot be had now does not hold the stream up: the worker gets one before it calls the hook.
func (s *Sidecar) turnReady(ctx context.Context, d areyouai.TurnReady) error {
	w := &Wake{
		RoomID: d.RoomID, Turn: d.NextTurn, ActorID: d.NextActorID, AgentID: d.AgentID, DeliveryID: d.DeliveryID,
		RoomState: d.RoomState, Reason: d.Reason, OccurredAt: d.OccurredAt,
	}
	add := s.queue.add
	if s.queue.knows(w) {
		back, err := s.wentBack(ctx, w)
		if err != nil {
			return err
		}
		if !back {
			s.log.Debug("delivery is nothing new", roomOf(w), turnOf(w), zap.String("delivery", d.DeliveryID))
			return nil
		}
		add = s.queue.addWaiting
	}
	if _, err := s.tokens.mint(ctx, d.RoomID); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch what, _ := judge(err); what {
		case local:
			return err
		case refused:
			return fmt.Errorf("%w: %w", ErrLoginRefused, err)
		case moot:
			s.log.Info("delivery is moot", roomOf(w), turnOf(w), zap.Error(err))
			return s.forget(d.RoomID)
		case later:
			s.log.Warn("room token not minted yet", roomOf(w), turnOf(w), zap.Error(err))
		}
	}
	if err := s.keepSession(); err != nil {
		return err
	}
	s.log.Info("wake queued", roomOf(w), turnOf(w), zap.String("delivery", d.DeliveryID))
	return add(w)
}

// wentBack tells whether the room waits for a turn that lies behind the newest one known of it. An old delivery that comes
// late does not make it so; a server that was restored from a backup does.
func (s *Sidecar) wentBack(ctx context.Context, w *Wake) (bool, error) {
	if !s.queue.beyond(w) {
		return false, nil
	}
	room, err := s.client.State(ctx, w.RoomID)
	if err != nil {
		if what, _ := judge(err); what == moot && ctx.Err() == nil {
			return false, nil
		}
		return false, fmt.Errorf("room state: %w", err)
	}
	waits := waitsFor(room, w)
	if waits {
		s.log.Warn("the room went back to an earlier turn", roomOf(w), turnOf(w))
	}
	return waits, s.keepSession()
}

// acknowledge acks a delivery and moves the cursor. An ack that the server refuses for good is given up: the delivery is
// not ours or is gone, and asking again would end the same way.
func (s *Sidecar) acknowledge(ctx context.Context, deliveryID string, ack func(context.Context) error) error {
	if err := ack(ctx); err != nil {
		switch what, _ := judge(err); {
		case what == refused:
			return fmt.Errorf("%w: %w", ErrLoginRefused, err)
		case what != moot || ctx.Err() != nil:
			return fmt.Errorf("ack: %w", err)
		}
		s.log.Warn("ack refused; going on without it", zap.String("delivery", deliveryID), zap.Error(err))
		return nil
	}
	now := areyouai.NewTime(s.opt.Now())
	s.state.LastAcknowledgedDeliveryID, s.state.LastAcknowledgedAt = deliveryID, &now
	return s.dir.write(stateFile, s.state)
}
