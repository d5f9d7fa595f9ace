package edgefront

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/edgeframes"
)

// admit goes through the steps that come before anything is sent on a socket, in the protocol's order: the first gate, the
// credential, the veto.
func (s *session) admit() error {
	if err := s.knock(); err != nil {
		return err
	}
	if err := s.awaitFirst(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	if err := s.takePlace(); err != nil {
		return err
	}
	s.letIn()
	return nil
}

// admitRequest goes through the same steps for a request that brings with it what an attach frame says.
func (s *session) admitRequest(attach edgeframes.Attach) error {
	if err := s.knock(); err != nil {
		return err
	}
	s.attach = &attach
	return s.enter()
}

// knock asks the first gate.
func (s *session) knock() error {
	hook := s.front.opts.OnConnect
	if hook == nil {
		return nil
	}
	return s.ask("connect", func() error { return hook(s.ctx, s.request) })
}

// enter finds out what the client's token opens, and asks the second gate.
func (s *session) enter() error {
	token := ""
	s.wants = wants{state: true, messages: true}
	if s.attach != nil {
		token = s.attach.Token
		s.wants = wantsOf(s.attach.Subscribe)
	}
	g, err := s.front.authorize(s.ctx, token, s.at, transport.ClientNetwork(s.request))
	if err != nil {
		return err
	}
	s.grant = g
	hook := s.front.opts.OnAttach
	if hook == nil {
		return nil
	}
	asked := Admission{
		Request: s.request, Agent: g.cred.Agent, Credential: g.cred.Kind, Room: g.room, Claims: slices.Clone(g.claims),
	}
	return s.ask("attach", func() error { return hook(s.ctx, asked) })
}

// ask runs a hook beside the session, so that one that does not heed its context does not hold up the close.
func (s *session) ask(at string, hook func() error) error {
	answer := make(chan error, 1)
	s.work.Go(s.guard(func() { answer <- hook() }))
	select {
	case err := <-answer:
		if err == nil {
			return nil
		}
		s.front.log.Info("connection vetoed", zap.String("at", at), zap.Error(err))
		return vetoed()
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// awaitFirst waits for the frame that decides on the mode. Silence until the grace is over, and any frame that is no
// attach, make the client an anonymous one in plain mode.
func (s *session) awaitFirst() error {
	grace := time.NewTimer(s.front.opts.AttachGrace)
	defer grace.Stop()
	select {
	case in := <-s.early:
		if in.err != nil && !in.err.ForCall {
			return malformed(in.err.Frame())
		}
		if attach, ok := in.frame.(edgeframes.Attach); ok {
			s.attach = &attach
			s.load.Release(in.weight)
			return nil
		}
		s.first = in
		return nil
	case <-grace.C:
		return nil
	case <-s.front.open.leaving:
		return goingAway()
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// accepted are the streams of a subscription that are offered, each once, in the order in which they were asked for.
// Without a subscription they are all.
func accepted(subscribe []edgeframes.Stream) []edgeframes.Stream {
	if subscribe == nil {
		return edgeframes.Streams()
	}
	out := []edgeframes.Stream{}
	for _, stream := range subscribe {
		if slices.Contains(edgeframes.Streams(), stream) && !slices.Contains(out, stream) {
			out = append(out, stream)
		}
	}
	return out
}

func wantsOf(subscribe []edgeframes.Stream) wants {
	streams := accepted(subscribe)
	return wants{
		state:    slices.Contains(streams, edgeframes.StreamState),
		messages: slices.Contains(streams, edgeframes.StreamMessages),
		events:   slices.Contains(streams, edgeframes.StreamEvents),
	}
}

// cursor is the position after which the client wants to go on; false: from the beginning.
func (s *session) cursor(stream edgeframes.Stream) (uint64, bool) {
	if s.attach == nil {
		return 0, false
	}
	at, ok := s.attach.Cursors[stream]
	return at, ok
}
