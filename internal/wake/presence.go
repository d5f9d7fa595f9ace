package wake

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"stele/areyouai"
)

// presence shows an agent as typing while its hook runs. Nothing it does may hold a wake back or fail one.
type presence struct {
	client *areyouai.Client
	room   string
	log    *zap.Logger
}

// newPresence speaks with the room token: the session of an agent has no business in a notice of one room.
func (s *Sidecar) newPresence(tok Token) (*presence, error) {
	client, err := areyouai.NewClient(s.opt.Server, areyouai.ClientOptions{
		HTTP: s.opt.HTTP, SessionToken: tok.Token, CallTimeout: typingTimeout,
	})
	if err != nil {
		return nil, err
	}
	return &presence{client: client, room: tok.RoomID, log: s.log}, nil
}

// begin sends the first notice and renews it until the returned function is called, which takes it back.
func (p *presence) begin(ctx context.Context) (end func()) {
	p.start(ctx)
	renewing, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(typingEvery)
		defer tick.Stop()
		for {
			select {
			case <-renewing.Done():
				return
			case <-tick.C:
				p.start(renewing)
			}
		}
	})
	return func() {
		stop()
		wg.Wait()
		// Also when the sidecar is told to end: a notice that stays would show an agent at work for 30 seconds more.
		p.say(context.WithoutCancel(ctx), areyouai.TypingStop, 0)
	}
}

func (p *presence) start(ctx context.Context) { p.say(ctx, areyouai.TypingStart, typingTTL) }

func (p *presence) say(ctx context.Context, state areyouai.TypingState, ttl time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, typingTimeout)
	defer cancel()
	var err error
	if state == areyouai.TypingStart {
		_, err = p.client.StartTyping(ctx, p.room, ttl)
	} else {
		_, err = p.client.StopTyping(ctx, p.room)
	}
	if err != nil && ctx.Err() == nil {
		p.log.Debug("typing not shown", zap.String("room", p.room), zap.Error(err))
	}
}
