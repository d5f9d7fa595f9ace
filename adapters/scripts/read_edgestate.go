package scripts

import (
	"time"

	"stele/core"
	"stele/edgeframes/superjson"
)

// belongingFrom fills in what the state tells of an event about what a room has beside its people.
func belongingFrom(payload core.Payload, patch *superjson.Object) {
	switch p := payload.(type) {
	case *core.RoleDefinedEvent:
		p.Role, p.Exclusive = exclusiveIn(patch)
	case *core.RoleEditedEvent:
		role, exclusive := exclusiveIn(patch)
		if p.Role = role; role != "" {
			p.Exclusive = &exclusive
		}
	case *core.RoleDeletedEvent:
		p.Role, _ = onlyKey(object(patch, "roles"))
	case *core.LinkAddedEvent:
		target, link := onlyKey(object(patch, "links"))
		p.Target, p.Label = target, text(link, "label")
	case *core.LinkRemovedEvent:
		p.Target, _ = onlyKey(object(patch, "links"))
	case *core.ReferenceAttachedEvent:
		p.Reference, _ = onlyKey(object(patch, "references"))
	case *core.DocumentCreatedEvent:
		id, document := onlyKey(object(patch, "documents"))
		p.Document, p.Name, p.Agent = id, text(document, "name"), text(document, "agent")
	case *core.DocumentChangedEvent:
		id, document := onlyKey(object(patch, "documents"))
		if p.Document = id; id != "" {
			p.Name = textIn(document, "name")
		}
	case *core.DocumentDeletedEvent:
		p.Document, _ = onlyKey(object(patch, "documents"))
	case *core.RoomChangedEvent:
		changedFrom(p, patch)
	}
}

func exclusiveIn(patch *superjson.Object) (role string, exclusive bool) {
	role, what := onlyKey(object(patch, "roles"))
	v, _ := get(what, "exclusive")
	return role, v == superjson.Bool(true)
}

func changedFrom(p *core.RoomChangedEvent, patch *superjson.Object) {
	p.Name, p.Description = textIn(patch, "topic"), textIn(patch, "description")
	if v, ok := get(patch, "archived"); ok {
		archived := v == superjson.Bool(true)
		p.Archived = &archived
	}
	for agent, v := range object(patch, "participants").All() {
		member, _ := v.(*superjson.Object)
		if alias, ok := get(member, "alias"); ok {
			if p.Aliases == nil {
				p.Aliases = map[string]string{}
			}
			name, _ := alias.(superjson.String)
			p.Aliases[agent] = string(name)
		}
	}
}

// onlyKey is the key of an object that has one, and its value if that is an object; empty for any other.
func onlyKey(o *superjson.Object) (string, *superjson.Object) {
	if o.Len() != 1 {
		return "", nil
	}
	for key, v := range o.All() {
		inner, _ := v.(*superjson.Object)
		return key, inner
	}
	return "", nil
}

func textIn(o *superjson.Object, key string) *string {
	v, _ := get(o, key)
	s, ok := v.(superjson.String)
	if !ok {
		return nil
	}
	t := string(s)
	return &t
}

// changeFrom reads what a patch alone tells, on a socket that is told no events; nil when that is nothing the log has an
// event for, such as who is writing. What a message does to the state is told by the message.
func (r *edgeReading) changeFrom(patch *superjson.Object) (*core.Entry, error) {
	if _, ok := get(patch, "turn"); ok && text(patch, "id") == "" {
		return nil, nil
	}
	payload, at := r.toldBy(patch)
	if payload == nil {
		p := &core.StatePatchedEvent{}
		if err := r.sharedFrom(p, patch); err != nil || len(p.Patch.Members) == 0 {
			return nil, err
		}
		payload = p
	}
	room := r.room
	if made, ok := payload.(*core.RoomCreatedEvent); ok {
		room = made.ID
	}
	return r.next(room, payload, at), nil
}

// toldBy finds the event by which the room itself changed, nil for none.
func (r *edgeReading) toldBy(patch *superjson.Object) (core.Payload, time.Time) {
	if text(patch, "id") != "" {
		p := &core.RoomCreatedEvent{}
		r.roomFrom(p, patch)
		return p, date(patch, "created_at")
	}
	if at := date(patch, "purged_at"); !at.IsZero() {
		return &core.RoomPurgedEvent{Reason: core.PurgedByGrace}, at
	}
	if at := date(patch, "closed_at"); !at.IsZero() {
		return &core.RoomClosedEvent{Reason: core.CloseReason(text(patch, "close_reason"))}, at
	}
	if to := text(patch, "state"); to != "" {
		return &core.RoomStateChangedEvent{From: r.known(r.room).state, To: core.RoomState(to), Next: text(patch, "next_actor")}, time.Time{}
	}
	agent, member := onlyKey(object(patch, "participants"))
	if at := date(member, "joined_at"); !at.IsZero() {
		return joinedFrom(agent, member), at
	}
	if v, _ := get(object(patch, "participants"), agent); agent != "" && v == (superjson.Null{}) {
		return &core.MemberLeftEvent{Agent: agent}, time.Time{}
	}
	return r.belongingTold(patch), time.Time{}
}

func joinedFrom(agent string, member *superjson.Object) *core.MemberJoinedEvent {
	return &core.MemberJoinedEvent{
		Agent: agent, Name: text(member, "name"), Handle: text(member, "handle"), Alias: text(member, "alias"), Side: text(member, "side"),
	}
}

// belongingTold finds the event about what the room has beside its people, or about its settings.
func (r *edgeReading) belongingTold(patch *superjson.Object) core.Payload {
	var payload core.Payload
	for _, kind := range []struct {
		key           string
		came, gone, p core.Payload
	}{
		{"roles", &core.RoleDefinedEvent{}, &core.RoleDeletedEvent{}, nil},
		{"links", &core.LinkAddedEvent{}, &core.LinkRemovedEvent{}, nil},
		{"references", &core.ReferenceAttachedEvent{}, nil, nil},
		{"documents", &core.DocumentCreatedEvent{}, &core.DocumentDeletedEvent{}, &core.DocumentChangedEvent{}},
	} {
		things := object(patch, kind.key)
		name, thing := onlyKey(things)
		if name == "" {
			continue
		}
		v, _ := get(things, name)
		switch {
		case v == (superjson.Null{}):
			payload = kind.gone
		case kind.p != nil && text(thing, "agent") == "":
			payload = kind.p
		default:
			payload = kind.came
		}
	}
	if payload == nil {
		changed := &core.RoomChangedEvent{}
		changedFrom(changed, patch)
		if changed.Name == nil && changed.Description == nil && changed.Archived == nil && changed.Aliases == nil {
			return nil
		}
		payload = changed
	}
	belongingFrom(payload, patch)
	return payload
}
