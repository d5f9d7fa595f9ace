package wake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"stele/areyouai"
)

// follow reads the agent stream until ctx ends. The client reconnects by itself; follow opens a new stream after what
// only the sidecar can cure: a recovery, an acknowledgement that did not get through, a frame that cannot be read.
func (s *Sidecar) follow(ctx context.Context) error {
	for failures := 0; ; {
		progress, err := s.pass(ctx)
		if ctx.Err() != nil {
			return nil
		}
		switch what, _ := judge(err); {
		case errors.Is(err, ErrLoginRefused), what == local:
			return err
		case what == refused:
			return fmt.Errorf("%w: %w", ErrLoginRefused, err)
		}
		var unreadable *areyouai.FrameError
		if errors.As(err, &unreadable) {
			// It comes again with every stream and hides what is behind it. What waits is found by asking.
			s.state.LastRecoveredAt = nil
		}
		if progress {
			failures = 0
		}
		// A first recovery is followed by a new stream at once.
		if errors.Is(err, errRecovered) && failures == 0 {
			failures++
			continue
		}
		failures++
		if err := s.rest(ctx, failures, err); err != nil {
			return err
		}
	}
}

// rest waits before a new stream.
func (s *Sidecar) rest(ctx context.Context, failures int, cause error) error {
	_, wait := judge(cause)
	delay := pause(failures, wait, s.opt.Rand)
	s.log.Warn("stream ended", zap.Error(cause), zap.Duration("again in", delay))
	if err := s.setStatus(StreamWaiting, cause); err != nil {
		return err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return nil
}

// errRecovered ends a stream whose cursor was replaced by a recovery.
var errRecovered = errors.New("wake: recovered; a new stream is due")

// pass follows one stream from the stored cursor. Progress tells whether a delivery was dealt with.
func (s *Sidecar) pass(ctx context.Context) (progress bool, err error) {
	if s.state.LastRecoveredAt == nil {
		// A first start, or one after damage: what came before the cursor may have been missed.
		if err := s.catchUp(ctx); err != nil {
			return false, err
		}
	}
	if err := s.setStatus(StreamConnecting, nil); err != nil {
		return false, err
	}
	stream := s.client.AgentStream(areyouai.AgentStreamOptions{Cursor: s.state.LastAcknowledgedDeliveryID})
	for frame, err := range stream.Frames(ctx) {
		if err == nil {
			err = s.frame(ctx, stream, frame)
		}
		if err != nil {
			return progress, err
		}
		progress = progress || frame.Delivery() != ""
	}
	return progress, nil
}

// frame handles one frame; its error ends the stream. Source: contract, "Frame handling".
func (s *Sidecar) frame(ctx context.Context, stream *areyouai.AgentStream, frame areyouai.AgentFrame) error {
	switch f := frame.(type) {
	case areyouai.StreamHello:
		return s.hello(ctx, f)
	case areyouai.Recovery:
		// Its rooms were fetched without regard to the workers, who mint tokens too; catchUp asks once more.
		return s.recovered(ctx)
	case areyouai.TurnReady:
		defer s.queue.release(f.RoomID)
		if err := s.turnReady(ctx, f); err != nil {
			return err
		}
	case areyouai.RoomEnded:
		s.log.Info("room ended", zap.String("room", f.RoomID), zap.String("how", string(f.Type)))
		if err := s.forget(f.RoomID); err != nil {
			return err
		}
	}
	if id := frame.Delivery(); id != "" {
		return s.acknowledge(ctx, id, func(ctx context.Context) error { return stream.Ack(ctx, id) })
	}
	return nil
}

// hello learns whose stream it is and whether the cursor was of use.
func (s *Sidecar) hello(ctx context.Context, h areyouai.StreamHello) error {
	if s.state.AgentID != "" && s.state.AgentID != h.AgentID {
		s.log.Warn("the agent is another one; what is in the folder no longer counts", zap.String("was", s.state.AgentID))
		if err := s.startOver(); err != nil {
			return err
		}
		s.state.AgentID = h.AgentID
		return s.recovered(ctx)
	}
	s.state.AgentID = h.AgentID
	if err := s.keepAgent(h.AgentID); err != nil {
		return err
	}
	if h.ResumeStatus == areyouai.ResumeReplayRequired {
		return s.recovered(ctx)
	}
	if h.ResumeStatus == areyouai.ResumeFresh && !s.inTouch() {
		// Without a cursor the server cannot tell that deliveries have expired meanwhile.
		if err := s.catchUp(ctx); err != nil {
			return err
		}
	}
	s.log.Info("connected", zap.String("agent", h.AgentID), zap.String("resume", string(h.ResumeStatus)))
	return s.setStatus(StreamConnected, nil)
}

// recovered catches up and ends the stream.
func (s *Sidecar) recovered(ctx context.Context) error {
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	return errRecovered
}
