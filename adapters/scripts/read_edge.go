package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/operations"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// edgeReading reads the frames of a socket. An event frame says its version; the room, unless it is made or shown whole, the
// position and the sender of what is no message are not said.
type edgeReading struct{ *place }

func newEdgeReading(o Options) *edgeReading { return &edgeReading{newPlace(o)} }

// edgeGroup are the frames of one event, as far as they came.
type edgeGroup struct {
	message *edgeframes.Message
	// patch is what the event does to the room's state.
	patch *superjson.Object
	event *edgeframes.EventFrame
}

// entryOf implements [reading].
func (r *edgeReading) entryOf(frames []byte) (*core.Entry, error) {
	var g edgeGroup
	for line := range bytes.Lines(frames) {
		frame, err := edgeframes.ParseKnown(bytes.TrimRight(line, "\r\n"), edgeLimits)
		if err != nil {
			return nil, fmt.Errorf("read a frame: %w", err)
		}
		switch f := frame.(type) {
		case edgeframes.Messages:
			if len(f.Appended) == 1 {
				g.message = &f.Appended[0]
			}
		case edgeframes.State:
			g.patch = f.Patch
		case edgeframes.EventFrame:
			g.event = &f
		}
	}
	return r.entryFrom(g)
}

// edgeLimits bound a frame: what the log may hold can be written, also where its characters take an escape each.
var edgeLimits = superjson.Limits{MaxBytes: maxUnit, MaxDepth: 1024, MaxAnnotations: 1 << 20}

// entryFrom reads what the frames of one event tell; nil when that is nothing.
func (r *edgeReading) entryFrom(g edgeGroup) (*core.Entry, error) {
	switch {
	case g.event != nil:
		return r.eventFrom(g)
	case g.message != nil:
		return r.messageFrom(g.message), nil
	case g.patch != nil:
		return r.changeFrom(g.patch)
	}
	return nil, nil
}

// eventFrom reads an event frame. Its number is the version, except where a server numbers its events otherwise than its
// messages, so that the number was passed already.
func (r *edgeReading) eventFrom(g edgeGroup) (*core.Entry, error) {
	payload, err := r.payloadFrom(g)
	if err != nil {
		return nil, err
	}
	room := r.room
	if made, ok := payload.(*core.RoomCreatedEvent); ok {
		room = made.ID
	}
	e := r.next(room, payload, g.event.At)
	e.Version = max(e.Version, g.event.Seq)
	return e, nil
}

func (r *edgeReading) payloadFrom(g edgeGroup) (core.Payload, error) {
	kind := core.Kind(g.event.Type)
	payload := core.EmptyPayload(kind)
	said, _ := g.event.Payload.(*superjson.Object)
	switch p := payload.(type) {
	case nil:
		value, err := edgefront.Logged(g.event.Payload)
		if err != nil {
			return nil, fmt.Errorf("read the payload of event %d: %w", g.event.Seq, err)
		}
		return &core.EventEmittedEvent{EventTexts: core.EventTexts{Type: g.event.Type, Payload: value}}, nil
	case *core.RoomCreatedEvent:
		r.roomFrom(p, said)
	case *core.MessagePostedEvent:
		r.postedFrom(p, said)
	case *core.MemberJoinedEvent:
		p.Agent, p.Name, p.Handle = text(said, "agent"), text(said, "name"), text(said, "handle")
		p.Alias, p.Side, p.Actor = text(said, "alias"), text(said, "side"), text(said, "actor")
	case *core.MemberLeftEvent:
		p.Agent = text(said, "agent")
	case *core.RoomStateChangedEvent:
		p.From, p.To = core.RoomState(text(said, "from")), core.RoomState(text(said, "to"))
		p.Actor, p.Next = text(said, "actor"), text(said, "next")
	case *core.RoomClosedEvent:
		p.Reason, p.Actor = core.CloseReason(text(said, "reason")), text(said, "actor")
	case *core.RoomPurgedEvent:
		p.Reason = core.PurgeReason(text(said, "reason"))
	case *core.StatePatchedEvent:
		p.Actor = text(said, "actor")
		return p, r.sharedFrom(p, g.patch)
	case *core.StateReplacedEvent:
		p.Actor = text(said, "actor")
		return p, r.replacedFrom(p, g.patch)
	default:
		return factsFrom(kind, said)
	}
	return payload, nil
}

func (r *edgeReading) roomFrom(p *core.RoomCreatedEvent, said *superjson.Object) {
	p.ID, p.Name, p.Description = text(said, "id"), text(said, "topic"), text(said, "description")
	p.Floor, p.State = core.Floor(text(said, "floor")), core.RoomState(text(said, "state"))
	p.Creator = text(said, "creator")
	p.MaxTurns, p.TTLAt = number(said, "max_turns"), date(said, "ttl_at")
	if p.ID == "" {
		p.ID = r.room
	}
}

func (r *edgeReading) postedFrom(p *core.MessagePostedEvent, said *superjson.Object) {
	p.ID, p.Turn, p.Sender = text(said, "id"), number(said, "turn"), text(said, "sender")
	p.SenderName, p.Text, p.Thread = text(said, "sender_name"), text(said, "text"), text(said, "thread")
	p.Next = text(said, "next")
	if v, _ := get(said, "last"); v == superjson.Bool(true) {
		p.Last = true
	}
	takeFiles(p)
	if v, _ := get(said, "address_all"); v == superjson.Bool(true) {
		p.AddressAll = true
	}
	v, _ := get(said, "addressed")
	list, _ := v.(superjson.Array)
	for _, agent := range list {
		if s, ok := agent.(superjson.String); ok {
			p.Addressed = append(p.Addressed, string(s))
		}
	}
}

// messageFrom reads a message of which no event was told: it has no id, and its sender is whoever is shown by its name.
func (r *edgeReading) messageFrom(m *edgeframes.Message) *core.Entry {
	known := r.known(r.room)
	turn := int(max(core.VersionCount(m.Seq), 1) - 1)
	sender, name := known.agentOf(m.Name), m.Name
	switch {
	case m.Role == edgeframes.RoleAssistant && r.opts.Agent != "":
		sender = r.opts.Agent
	case m.Role == edgeframes.RoleSystem && sender == "":
		sender = core.SystemSender
	case sender == "":
		sender = string(m.Role)
	}
	if name == "" {
		name = known.nameOf(sender)
	}
	p := &core.MessagePostedEvent{
		MessageFacts: core.MessageFacts{ID: fmt.Sprintf("msg_%s_%d", r.room, m.Seq), Turn: turn, Sender: sender},
		MessageTexts: core.MessageTexts{SenderName: name, Text: m.Content},
	}
	takeFiles(p)
	e := r.next(r.room, p, m.At)
	if life := m.Seq - core.VersionCount(m.Seq); e.Version < life {
		// The message is of a later life of the log, in which at least the messages before it were counted.
		e.Version = max(life|core.VersionCount(e.Version), m.Seq)
	}
	return e
}

// sharedFrom reads what a patch does to what the members share: all of it but what the room itself tells.
func (r *edgeReading) sharedFrom(p *core.StatePatchedEvent, patch *superjson.Object) (err error) {
	p.Patch, err = sharedIn(patch)
	return err
}

func (r *edgeReading) replacedFrom(p *core.StateReplacedEvent, patch *superjson.Object) (err error) {
	if p.Patch, err = sharedIn(patch); err == nil {
		p.State = typedjson.Merge(r.known(r.room).shared, p.Patch)
	}
	return err
}

var errNoState = errors.New("the state cannot be kept in a log")

// sharedIn takes what the members share out of a state or a patch of it.
func sharedIn(state *superjson.Object) (typedjson.Value, error) {
	own := superjson.NewObject()
	if state != nil {
		taken := roomKeys()
		for key, v := range state.All() {
			if !taken[key] {
				own.Set(key, v)
			}
		}
	}
	v, err := edgefront.Logged(own)
	if err != nil {
		return typedjson.Value{}, fmt.Errorf("%w: %w", errNoState, err)
	}
	return v, nil
}

func roomKeys() map[string]bool {
	keys := map[string]bool{}
	for _, key := range operations.RoomKeys() {
		keys[key] = true
	}
	return keys
}

// text, number and date read a member of an object, nothing where it is of another type or there is none.
func text(o *superjson.Object, key string) string {
	v, _ := get(o, key)
	s, _ := v.(superjson.String)
	return string(s)
}

func number(o *superjson.Object, key string) int {
	v, _ := get(o, key)
	n, _ := v.(superjson.Number)
	i, _ := n.Int64()
	return int(i)
}

func date(o *superjson.Object, key string) time.Time {
	v, _ := get(o, key)
	if d, ok := v.(superjson.Date); ok && d.Valid() {
		return d.Time()
	}
	return time.Time{}
}

func object(o *superjson.Object, key string) *superjson.Object {
	v, _ := get(o, key)
	inner, _ := v.(*superjson.Object)
	return inner
}

func get(o *superjson.Object, key string) (superjson.Value, bool) {
	if o == nil {
		return nil, false
	}
	return o.Get(key)
}
