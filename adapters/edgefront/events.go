package edgefront

import (
	"stele/core"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

// eventOf shows an event of the room as an item of its event log: the version is its number and the kind its type. What a
// member emitted has the type that the member gave it.
func eventOf(e *core.Entry) edgeframes.EventFrame {
	name := string(e.Kind)
	if p, ok := e.Payload.(*core.EventEmittedEvent); ok {
		name = p.Type
	}
	return edgeframes.EventFrame{Seq: e.Version, Type: name, Payload: payloadOf(e), At: e.At}
}

// payloadOf names what readers may know of an event, key by key: what is stored with it beside that (hashes of codes,
// rules of access, what is said to one member alone) is not theirs. A kind from a newer program has no payload.
func payloadOf(e *core.Entry) superjson.Value {
	o := object{}
	switch p := e.Payload.(type) {
	case *core.RoomCreatedEvent:
		o.facts(&p.RoomFacts, &p.RoomTexts, p.State)
		o.textIf("creator", p.Creator)
	case *core.MemberJoinedEvent:
		o.text("agent", p.Agent)
		o.text("name", p.Name)
		o.textIf("handle", p.Handle)
		o.textIf("alias", p.Alias)
		o.textIf("side", p.Side)
		o.textIf("actor", p.Actor)
	case *core.MemberLeftEvent:
		o.text("agent", p.Agent)
	case *core.MessagePostedEvent:
		o.message(p)
	case *core.RoomStateChangedEvent:
		o.text("from", string(p.From))
		o.text("to", string(p.To))
		o.textIf("actor", p.Actor)
		o.textIf("next", p.Next)
	case *core.RoomClosedEvent:
		o.text("reason", string(p.Reason))
		o.textIf("actor", p.Actor)
	case *core.RoomPurgedEvent:
		o.text("reason", string(p.Reason))
	case *core.EventEmittedEvent:
		return shown(p.Payload)
	case *core.StatePatchedEvent:
		o.text("actor", p.Actor)
	case *core.StateReplacedEvent:
		o.text("actor", p.Actor)
	default:
		if !o.belongingFacts(p) && !o.dealingFacts(p) {
			return superjson.Undefined{}
		}
	}
	return o.value()
}

func (o *object) message(p *core.MessagePostedEvent) {
	o.text("id", p.ID)
	o.number("turn", p.Turn)
	o.text("sender", p.Sender)
	o.text("sender_name", p.SenderName)
	o.text("text", p.Shown())
	o.textIf("thread", p.Thread)
	o.textsIf("addressed", p.Addressed)
	o.trueIf("address_all", p.AddressAll)
	o.textIf("next", p.Next)
	o.trueIf("last", p.Last)
}

// messageOf shows a message as an item of the message log; its number is the turn counted from 1, in the life of the log
// in which it was posted.
func messageOf(e *core.Entry, p *core.MessagePostedEvent, role edgeframes.Role) edgeframes.Message {
	return edgeframes.Message{
		Role: role, Content: p.Shown(), Name: p.SenderName, Seq: core.MessageNumber(e.Version, p.Turn), At: e.At,
	}
}

// roleOf is how a sender speaks at an address: the agent it names is the assistant, everybody else a user.
func roleOf(sender, addressed string) edgeframes.Role {
	if sender == addressed {
		return edgeframes.RoleAssistant
	}
	return edgeframes.RoleUser
}
