package chaos_test

import (
	"context"
	"fmt"

	"stele/tests/chaos"
)

// message is a command of a writer.
type message struct {
	mark, key, room string
	parts           int
}

// receipt is what a writer is answered with.
type receipt struct {
	turn   uint64
	answer string
}

// send makes a command's request on the writer's present connection.
type send func(context.Context, message) (receipt, error)

// sender is what writers of all protocols have in common: they record what they do, and remember what they have to try
// again. It belongs to one goroutine at a time.
type sender struct {
	world    *world
	client   string
	protocol string
	room     string
	serial   int
	// pending are commands with a key whose outcome is unknown.
	pending []pending
}

type pending struct {
	message
	send send
}

func (w *world) newSender(client, protocol, room string) *sender {
	return &sender{world: w, client: client, protocol: protocol, room: room}
}

// next makes a message that nobody else makes. Every second one has a key, where the protocol knows keys.
func (s *sender) next(room string) message {
	s.serial++
	m := message{mark: fmt.Sprintf("mark %s %d", s.client, s.serial), room: room}
	if s.serial%2 == 0 && s.protocol != onEdge {
		m.key = fmt.Sprintf("key-%s-%d", s.client, s.serial)
	}
	return m
}

// say sends the next message.
func (s *sender) say(l *life, room string, fn send) chaos.Kind { return s.do(l, s.next(room), fn) }

// do sends a command and records its outcome. Every second one with a key is sent twice at the same time.
func (s *sender) do(l *life, m message, fn send) chaos.Kind {
	if m.key == "" || s.serial%4 != 0 {
		return s.once(l, m, fn)
	}
	second := make(chan chaos.Kind)
	go func() {
		kind, _ := s.try(l, m, fn)
		second <- kind
	}()
	kind := s.once(l, m, fn)
	if other := <-second; other == chaos.Unknown {
		return other
	}
	return kind
}

func (s *sender) once(l *life, m message, fn send) chaos.Kind {
	kind, _ := s.try(l, m, fn)
	if kind == chaos.Unknown && m.key != "" {
		s.pending = append(s.pending, pending{m, fn})
	}
	return kind
}

func (s *sender) try(l *life, m message, fn send) (chaos.Kind, receipt) {
	r := chaos.Record{
		Client: s.client, Protocol: s.protocol, Room: m.room, Mark: m.mark, Kind: chaos.Sent, Key: m.key, Parts: m.parts,
	}
	s.world.rec.Add(r)
	got, err := fn(withKey(l.ctx, m.key), m)
	r.Key, r.Parts, r.Kind = "", 0, l.kindOf(err)
	if err != nil {
		r.Why = err.Error()
	} else {
		r.Turn, r.Answer = got.turn, got.answer
	}
	s.world.rec.Add(r)
	if r.Kind == chaos.Acknowledged {
		l.acknowledged()
	}
	return r.Kind, got
}

// retry sends again what has a key and an unknown outcome. If it is accepted, the same key must get the same answer once
// more, and be refused for something else.
func (s *sender) retry(l *life) error {
	waiting := s.pending
	s.pending = nil
	for _, p := range waiting {
		kind, _ := s.try(l, p.message, p.send)
		if kind == chaos.Failed {
			continue
		}
		again, _ := s.try(l, p.message, p.send)
		other := p.message
		other.mark += " changed"
		reused, _ := s.try(l, other, p.send)
		if kind != chaos.Acknowledged || again != chaos.Acknowledged || reused != chaos.Failed {
			return fmt.Errorf("%s: %q was %s, then, with the same key, %s, and with another text %s", s.client, p.mark, kind, again, reused)
		}
	}
	return nil
}
