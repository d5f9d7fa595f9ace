package translation_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/areyouai"
	"stele/tests/translation"
)

// attempts is how often an areyouai agent reads the room again because somebody else spoke first.
const attempts = 50

// areyouaiSide is an areyouai agent that follows one room.
type areyouaiSide struct {
	client *areyouai.Client
	room   string
	events *reading
	cancel context.CancelFunc
	work   sync.WaitGroup
}

func (w *world) areyouaiClient(id, apiKey string) (*areyouai.Client, error) {
	return areyouai.NewClient("http://"+host, areyouai.ClientOptions{
		HTTP: w.frail, APIKey: apiKey, AgentID: id,
		Sleep: func(ctx context.Context, d time.Duration) error {
			return pause(ctx, time.Duration(impatience*float64(d)))
		},
	})
}

func enterAreyouai(p *participant, from translation.Numbers) (side, error) {
	client, err := p.world.areyouaiClient(p.id, p.key)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(p.world.ctx)
	s := &areyouaiSide{client: client, room: p.room, events: newReading(translation.Areyouai, from), cancel: cancel}
	follow := s.reopen
	if p.random.IntN(2) == 0 {
		follow = s.subscribe
	}
	s.work.Go(func() {
		if err := follow(ctx, from.Version); ctx.Err() == nil {
			p.fault("can follow the room no longer: %v", err)
		}
	})
	return s, nil
}

// subscribe follows the room as the client does by itself, which resumes and mends what is amiss.
func (s *areyouaiSide) subscribe(ctx context.Context, since uint64) error {
	for ev, err := range s.client.Events(ctx, s.room, areyouai.EventsOptions{Since: int64(since)}) {
		if err != nil {
			return err
		}
		s.take(ev)
	}
	return nil
}

// reopen follows the room stream by stream, so that nothing is mended.
func (s *areyouaiSide) reopen(ctx context.Context, since uint64) error {
	for {
		stream, err := s.client.OpenOnce(ctx, s.room, areyouai.EventsOptions{Since: int64(since)})
		var refused *areyouai.Error
		if errors.As(err, &refused) && refused.HTTPStatus < 500 {
			return err
		}
		for err == nil {
			var ev areyouai.Event
			if ev, err = stream.Next(); err == nil {
				s.take(ev)
				since = uint64(ev.EventID)
			}
		}
		if stream != nil {
			_ = stream.Close()
		}
		if err := pause(ctx, retryPause); err != nil {
			return err
		}
	}
}

func (s *areyouaiSide) take(ev areyouai.Event) {
	says := translation.AreyouaiEvent(string(ev.Type), ev.SenderID)
	if ev.Type == areyouai.EventMessageCreated && ev.Turn != nil {
		says = translation.AreyouaiMessage(ev.MessageID, ev.SenderID, uint64(*ev.Turn), ev.Ciphertext)
	}
	s.events.add(uint64(ev.EventID), says)
}

// say reads the room and answers it, again and again while others speak in between: after a refusal it goes on from the context
// that came with it, where one came. A key belongs to one such attempt, which is sent again as it was until it is answered.
func (s *areyouaiSide) say(ctx context.Context, key, text string) error {
	var read *areyouai.ContextReply
	for range attempts {
		if read == nil {
			fetched, err := s.client.Context(ctx, s.room)
			if err != nil {
				return err
			}
			read = &fetched
		}
		err := s.attempt(withKey(ctx, key+"-"+read.BundleHash[:16]), read, text)
		// A refusal that broke off in its body is a conflict of some kind.
		moved := errors.Is(err, areyouai.CodeTurnMismatch) || errors.Is(err, areyouai.CodeStaleBundleHash) ||
			errors.Is(err, areyouai.CodeConflict)
		if !moved || read.NextActorID != s.client.AgentID() {
			return err
		}
		var refused *areyouai.Error
		read = nil
		if errors.As(err, &refused) {
			read = refused.Context
		}
	}
	return areyouai.NewError(areyouai.CodeTurnMismatch)
}

// attempt sends one message under what was read until it is answered.
func (s *areyouaiSide) attempt(ctx context.Context, read *areyouai.ContextReply, text string) error {
	for {
		_, err := s.client.Send(ctx, s.room, areyouai.SendRequest{
			ExpectedTurn: read.NextTurn, Ciphertext: text, BundleHash: read.BundleHash,
		})
		if err == nil || answered(err) {
			return err
		}
		if paused := pause(ctx, retryPause); paused != nil {
			return errors.Join(paused, err)
		}
	}
}

// answered tells of a refusal for sure.
func answered(err error) bool {
	var refused *areyouai.Error
	return errors.As(err, &refused) && refused.HTTPStatus < 500
}

func (s *areyouaiSide) call(context.Context, string, string, map[string]any, any) error {
	return errNoOperations
}

func (s *areyouaiSide) keyed() bool { return true }

func (s *areyouaiSide) readings() []*reading { return []*reading{s.events} }

func (s *areyouaiSide) stop() {
	s.cancel()
	s.work.Wait()
}
