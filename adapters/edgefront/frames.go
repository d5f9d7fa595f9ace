package edgefront

import (
	"go.uber.org/zap"

	"stele/core"
	"stele/edgeframes"
)

// frames makes the texts that many sockets share: one per event and form, in a slot of the event's entry.
type frames struct {
	log *zap.Logger
	// Messages have two forms: who is the assistant depends on the agent that the address names.
	state, assistant, user, event core.Slot

	hello, pong []byte
	// encode is counted by tests.
	encode func(edgeframes.Frame) ([]byte, error)
}

func newFrames(node *core.Node, log *zap.Logger) *frames {
	f := &frames{
		log: log, state: node.NewSlot(), assistant: node.NewSlot(), user: node.NewSlot(), event: node.NewSlot(),
		encode: edgeframes.Encode,
	}
	f.hello, f.pong = f.text(edgeframes.Hello{}), f.text(edgeframes.Pong{})
	return f
}

// text encodes a frame, nil if that cannot be, which no frame made here brings about.
func (f *frames) text(frame edgeframes.Frame) []byte {
	b, err := f.encode(frame)
	if err != nil {
		f.log.Error("frame not sent", zap.String("kind", string(frame.Kind())), zap.Error(err))
	}
	return b
}

// statePatch is what an event does to the state, empty when that is nothing.
func (f *frames) statePatch(e *core.Entry) []byte {
	return e.Encoded(f.state, func(e *core.Entry) []byte {
		patch := patchOf(e)
		if patch == nil {
			return nil
		}
		return f.text(edgeframes.State{Patch: patch})
	})
}

// appended is the message that an event is, empty when it is none.
func (f *frames) appended(e *core.Entry, addressed string) []byte {
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok {
		return nil
	}
	role, slot := roleOf(p.Sender, addressed), f.user
	if role == edgeframes.RoleAssistant {
		slot = f.assistant
	}
	return e.Encoded(slot, func(e *core.Entry) []byte {
		return f.text(edgeframes.Messages{Appended: []edgeframes.Message{messageOf(e, p, role)}})
	})
}

// eventFrame is the event itself.
func (f *frames) eventFrame(e *core.Entry) []byte {
	return e.Encoded(f.event, func(e *core.Entry) []byte { return f.text(eventOf(e)) })
}
