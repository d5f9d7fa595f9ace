package translation_test

import (
	"context"
	"errors"
	"net/http"

	"stele/areyouai"
	"stele/edgeframes"
	agentswitch "stele/switch"
	"stele/tests/translation"
)

// The protocols by which a participant takes part.
const (
	onSwitch   = "switch"
	onAreyouai = "areyouai"
	onEdge     = "edge"
)

var protocols = []string{onSwitch, onAreyouai, onEdge}

// side is a participant on one protocol, from the place where its leg began until it stops.
type side interface {
	// say posts a message.
	say(ctx context.Context, key, text string) error
	// call runs an operation; result may be nil. errNoOperations where the protocol has none.
	call(ctx context.Context, key, op string, args map[string]any, result any) error
	// keyed tells whether what is sent again with the same key is done once.
	keyed() bool
	// readings are the views that it follows.
	readings() []*reading
	// stop ends it, and returns when nothing of it comes any more.
	stop()
}

// errNoOperations: an areyouai agent can speak, and close the room.
var errNoOperations = errors.New("the protocol has no operations")

// enter begins a leg behind a place.
func (p *participant) enter(protocol string, from translation.Numbers) (err error) {
	p.protocol = protocol
	switch protocol {
	case onSwitch:
		p.side, err = enterSwitch(p, from)
	case onAreyouai:
		p.side, err = enterAreyouai(p, from)
	default:
		p.side, err = enterEdge(p, from)
	}
	return err
}

// leave ends the leg and returns what was read in it.
func (p *participant) leave() translation.Leg {
	p.side.stop()
	var leg translation.Leg
	for _, r := range p.side.readings() {
		leg.Readings = append(leg.Readings, r.result())
	}
	return leg
}

// outcomeOf tells what an error leaves of something that was sent. The answer of a gateway in trouble, or about to end,
// refuses nothing for sure.
func (p *participant) outcomeOf(err error) translation.Outcome {
	var (
		fromSwitch   agentswitch.Error
		fromAreyouai *areyouai.Error
		fromEdge     edgeframes.Error
	)
	status := 0
	switch {
	case err == nil:
		return translation.Accepted
	case errors.Is(err, errNoOperations):
		return translation.Refused
	case errors.As(err, &fromSwitch):
		status = fromSwitch.Status()
		if isClaimLost(err) {
			return translation.Unknown
		}
	case errors.As(err, &fromAreyouai):
		status = fromAreyouai.HTTPStatus
	case errors.As(err, &fromEdge) && fromEdge.ForCall && !p.world.gateway.stopping.Load():
		status = http.StatusBadRequest
	}
	switch {
	case status == http.StatusInternalServerError:
		p.fault("was answered with 500: %v", err)
	case status >= 400 && status < 500:
		return translation.Refused
	}
	return translation.Unknown
}
