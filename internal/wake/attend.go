package wake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"stele/areyouai"
)

// attend takes one due wake a step further: it asks the room whether it still waits when that is not sure, and calls the
// hook. Its error ends the sidecar; what concerns the wake alone is written down with it.
func (s *Sidecar) attend(ctx context.Context, w *Wake) error {
	if w.unsure || w.Stage != StageQueued {
		waits, err := s.stillWaits(ctx, w)
		if err != nil || !waits {
			return err
		}
	}
	if w.Stage == StageAccepted {
		if current, err := s.again(w); err != nil || !current {
			return err
		}
	}
	tok, err := s.tokens.fresh(ctx, w.RoomID)
	if err != nil {
		return s.setback(w, fmt.Errorf("room token: %w", err))
	}
	if !s.queue.has(w.RoomID) {
		// The room ended while its token was made.
		return s.tokens.remove(w.RoomID)
	}
	return s.callHook(ctx, w, tok)
}

// stillWaits asks the room. A turn that moved on is over; a room that is gone is forgotten.
func (s *Sidecar) stillWaits(ctx context.Context, w *Wake) (bool, error) {
	room, err := s.client.State(ctx, w.RoomID)
	if err != nil {
		return false, s.setback(w, fmt.Errorf("room state: %w", err))
	}
	if err := s.keepSession(); err != nil {
		return false, err
	}
	if waitsFor(room, w) {
		return true, nil
	}
	if room.State == areyouai.StateClosed || room.State == areyouai.StatePurged {
		return false, s.forget(w.RoomID)
	}
	s.log.Debug("turn is over", roomOf(w), turnOf(w))
	return false, s.finish(w)
}

// waitsFor tells whether a room stands where the wake says.
func waitsFor(room areyouai.RoomReply, w *Wake) bool {
	return room.State == areyouai.StateActive && room.NextTurn == w.Turn && room.NextActorID == w.ActorID
}

func (s *Sidecar) finish(w *Wake) error {
	if _, err := s.queue.update(w, func(w *Wake) { w.Stage, w.LastError = StageDone, "" }); err != nil {
		return err
	}
	return s.queue.trim()
}

// again begins another round of a wake that the hook took and nobody answered.
func (s *Sidecar) again(w *Wake) (bool, error) {
	s.log.Warn("no answer since the hook took the wake; waking again", roomOf(w), turnOf(w), zap.Int("round", w.Round+1))
	return s.queue.update(w, func(w *Wake) {
		w.Stage, w.Round, w.Attempts, w.Failures = StageQueued, w.Round+1, 0, 0
		w.DueAt = areyouai.NewTime(s.opt.Now())
	})
}

// callHook calls the hook with typing shown around it. The attempt is on the disk before it begins: after a crash in
// the midst the room is asked before the hook is called again.
func (s *Sidecar) callHook(ctx context.Context, w *Wake, tok Token) error {
	current, err := s.queue.update(w, func(w *Wake) {
		w.Stage, w.unsure = StageCalling, true
		w.Attempts++
	})
	if err != nil || !current {
		return err
	}
	typing, err := s.newPresence(tok)
	if err != nil {
		return err
	}
	end := typing.begin(ctx)
	job := newJob(w, tok, s.tokens.path(w.RoomID), s.dir.path(sessionFile))
	calling, cancel := context.WithTimeoutCause(ctx, s.opt.HookTimeout, errHookTimeout)
	err = s.hook.call(calling, job)
	cancel()
	end()
	if err != nil {
		return s.setback(w, err)
	}
	s.log.Info("hook took the wake", roomOf(w), turnOf(w), zap.String("wake", w.id()), zap.Int("attempt", w.Attempts))
	_, err = s.queue.update(w, func(w *Wake) {
		w.Stage, w.Failures, w.LastError = StageAccepted, 0, ""
		w.DueAt = areyouai.NewTime(s.opt.Now().Add(s.opt.Idle))
	})
	return err
}

var errHookTimeout = errors.New("the hook timeout is over")

// setback writes down why a wake did not get further and when it is tried again, by what the failure means.
func (s *Sidecar) setback(w *Wake, cause error) error {
	var ofHook *HookError
	what, wait := later, time.Duration(0)
	if !errors.As(cause, &ofHook) {
		what, wait = judge(cause)
	}
	switch what {
	case local:
		return cause
	case refused:
		return fmt.Errorf("%w: %w", ErrLoginRefused, cause)
	case moot:
		s.log.Info("wake is moot", roomOf(w), turnOf(w), zap.Error(cause))
		return s.forget(w.RoomID)
	}
	delay := pause(w.Failures+1, wait, s.opt.Rand)
	s.log.Warn("wake postponed", roomOf(w), turnOf(w), zap.Duration("for", delay), zap.Error(cause))
	_, err := s.queue.update(w, func(w *Wake) {
		if w.Stage != StageAccepted {
			w.Stage = StageQueued
		}
		w.unsure, w.LastError, w.DueAt = true, cause.Error(), areyouai.NewTime(s.opt.Now().Add(delay))
		w.Failures++
	})
	return err
}

// forget drops what there is of a room: its wake, its token, its memory of turns.
func (s *Sidecar) forget(roomID string) error {
	if err := s.queue.drop(roomID); err != nil {
		return err
	}
	return s.tokens.remove(roomID)
}

func roomOf(w *Wake) zap.Field { return zap.String("room", w.RoomID) }

func turnOf(w *Wake) zap.Field { return zap.Int64("turn", w.Turn) }
