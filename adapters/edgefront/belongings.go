package edgefront

import (
	"maps"
	"slices"

	"stele/core"
	"stele/core/operations"
	"stele/edgeframes/superjson"
	"stele/internal/typedjson"
)

// belongings show what a room has beside its people: each kind of thing under its own key, by name or id.
func (o *object) belongings(r *core.Room) {
	var roles, links, documents, references object
	for _, role := range r.Roles {
		roles.entry(role.Name, roleValue(role.Exclusive))
	}
	for _, l := range r.Links {
		links.entry(l.Target, linkValue(l.Label))
	}
	for _, d := range r.Documents {
		v := object{}
		v.text("name", d.Name)
		v.text("agent", d.Agent)
		v.dateIf("created_at", d.CreatedAt)
		documents.entry(d.ID, v.value())
	}
	for _, id := range r.References {
		references.entry(id, superjson.Bool(true))
	}
	o.put(keyRoles, roles.value())
	o.put(keyLinks, links.value())
	o.put(keyDocuments, documents.value())
	o.put(keyReferences, references.value())
}

func roleValue(exclusive bool) superjson.Value {
	o := object{}
	o.put("exclusive", superjson.Bool(exclusive))
	return o.value()
}

func linkValue(label string) superjson.Value {
	o := object{}
	o.text("label", label)
	return o.value()
}

// belonging is what an event changes in what belongings show.
func (o *object) belonging(e *core.Entry) {
	one := func(key, name string, v superjson.Value) {
		entry := object{}
		if entry.entry(name, v); len(entry) > 0 {
			o.put(key, entry.value())
		}
	}
	switch p := e.Payload.(type) {
	case *core.RoleDefinedEvent:
		one(keyRoles, p.Role, roleValue(p.Exclusive))
	case *core.RoleEditedEvent:
		if p.Exclusive != nil {
			one(keyRoles, p.Role, roleValue(*p.Exclusive))
		}
	case *core.RoleDeletedEvent:
		one(keyRoles, p.Role, superjson.Null{})
	case *core.LinkAddedEvent:
		one(keyLinks, p.Target, linkValue(p.Label))
	case *core.LinkRemovedEvent:
		one(keyLinks, p.Target, superjson.Null{})
	case *core.ReferenceAttachedEvent:
		one(keyReferences, p.Reference, superjson.Bool(true))
	case *core.DocumentCreatedEvent:
		v := object{}
		v.text("name", p.Name)
		v.text("agent", p.Agent)
		v.dateIf("created_at", e.At)
		one(keyDocuments, p.Document, v.value())
	case *core.DocumentChangedEvent:
		if p.Name != nil {
			v := object{}
			v.text("name", *p.Name)
			one(keyDocuments, p.Document, v.value())
		}
	case *core.DocumentDeletedEvent:
		one(keyDocuments, p.Document, superjson.Null{})
	}
}

// entry puts something under a name that people chose, unless it is one of those that no object may have.
func (o *object) entry(name string, v superjson.Value) {
	if !typedjson.HostileKey(name) {
		o.put(name, v)
	}
}

// changed is what a change of settings shows: instructions are for members, who are told them when they enter.
func (o *object) changed(p *core.RoomChangedEvent) {
	if p.Name != nil {
		o.text(keyTopic, *p.Name)
	}
	if p.Description != nil {
		o.text(keyDescription, *p.Description)
	}
	if p.Archived != nil {
		o.flag(keyArchived, *p.Archived)
	}
	people := object{}
	for _, agent := range slices.Sorted(maps.Keys(p.Aliases)) {
		alias := object{}
		alias.put("alias", superjson.Null{})
		if p.Aliases[agent] != "" {
			alias = object{}
			alias.text("alias", p.Aliases[agent])
		}
		people.put(agent, alias.value())
	}
	if len(people) > 0 {
		o.put(keyParticipants, people.value())
	}
}

// flag shows that something is so, and takes the key away when it is not.
func (o *object) flag(key string, on bool) {
	if on {
		o.put(key, superjson.Bool(true))
		return
	}
	o.put(key, superjson.Null{})
}

// shared shows what the members keep, or a patch of it, but for keys that the room itself has come to use since.
func (o *object) shared(state typedjson.Value) {
	taken := operations.RoomKeys()
	for _, m := range state.Members {
		if !slices.Contains(taken, m.Key) {
			o.put(m.Key, shown(m.Value))
		}
	}
}
