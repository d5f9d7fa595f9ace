package translation_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	agentswitch "stele/switch"
	"stele/tests/translation"
)

// participant is one agent of a conversation. It does one thing after the other; what it is shown comes meanwhile.
type participant struct {
	*conversation
	world         *world
	random        *rand.Rand
	name, id, key string
	protocol      string
	steps         int
	// late: it joins when the conversation is under way.
	late bool

	serial int
	side   side
	legs   []translation.Leg
	said   []translation.Said
}

func (p *participant) fault(format string, args ...any) {
	p.world.fault("%s on %s in %s "+format, append([]any{p.name, p.protocol, p.room}, args...)...)
}

// takePart does all of the participant's steps. Its last leg goes on.
func (p *participant) takePart() {
	if p.late {
		_ = pause(p.world.ctx, time.Duration(p.random.IntN(500))*time.Millisecond)
		if !p.invite(p.name) {
			return
		}
	}
	if err := p.enter(p.protocol, translation.Numbers{}); err != nil {
		p.fault("cannot enter: %v", err)
		return
	}
	for range p.steps {
		p.step()
	}
}

// step does one thing at random.
func (p *participant) step() {
	defer p.world.step()
	switch n := p.random.IntN(100); {
	case n < 10:
		p.move(protocols[p.random.IntN(len(protocols))])
	case n < 13 && !p.turns:
		p.receive()
	case n < 16 && p.closable:
		p.conversation.close()
	case n < 24:
		p.emit()
	case n < 32:
		p.patch()
	case n < 42 && !p.turns:
		p.delegate()
	case n < 54:
		p.work()
	default:
		p.speak()
	}
}

// certain sends something until it is answered, where the protocol lets it be sent again.
func (p *participant) certain(send func(ctx context.Context, key string) error) (translation.Outcome, error) {
	ctx, cancel := context.WithTimeout(p.world.ctx, patience)
	defer cancel()
	p.serial++
	key := fmt.Sprintf("%s-key-%d", p.name, p.serial)
	for {
		err := send(ctx, key)
		outcome := p.outcomeOf(err)
		if outcome != translation.Unknown || !p.side.keyed() {
			return outcome, err
		}
		if pause(ctx, retryPause) != nil {
			p.fault("got no answer: %v", err)
			return outcome, err
		}
	}
}

// mark is a word that nothing else has.
func (p *participant) mark() string {
	p.serial++
	return fmt.Sprintf("%s.%d", p.name, p.serial)
}

// put sends something that has a mark, and keeps what came of it.
func (p *participant) put(what, mark string, send func(ctx context.Context, key string) error) translation.Outcome {
	outcome, err := p.certain(send)
	if errors.Is(err, errNoOperations) {
		p.speak()
		return outcome
	}
	said := translation.Said{Mark: mark, Outcome: outcome}
	if err != nil {
		said.Why = "(" + err.Error() + ")"
	}
	if outcome == translation.Refused && !p.turns && !p.closable {
		p.fault("was refused where nothing forbids it: %v", err)
	}
	p.said = append(p.said, said)
	p.world.tally.count(fmt.Sprintf("%s over %s %s", what, p.protocol, outcome))
	return outcome
}

// catchUp waits until the participant was shown all that the log has for it.
func (p *participant) catchUp(ctx context.Context, log []translation.Event) error {
	if p.side == nil {
		return nil
	}
	for _, r := range p.side.readings() {
		last := uint64(0)
		for _, e := range log {
			if line, ok := p.world.filter.Of(r.got.View, e, p.room, p.id); ok {
				last = line.Number
			}
		}
		if err := r.await(ctx, last); err != nil {
			return err
		}
	}
	return nil
}

// transcript ends the last leg, which has seen the log up to its end.
func (p *participant) transcript(log []translation.Event) translation.Transcript {
	leg, end := p.leave(), translation.Place(log, translation.Switch, math.MaxUint64)
	for i := range leg.Readings {
		r := &leg.Readings[i]
		r.Until = max(r.Until, end.In(r.View))
	}
	return translation.Transcript{Participant: p.name, Agent: p.id, Legs: append(p.legs, leg)}
}

// refusedBySwitch tells of a refusal for sure.
func refusedBySwitch(err error) bool {
	var refused agentswitch.Error
	return errors.As(err, &refused) && refused.Status() >= 400 && refused.Status() < 500
}
