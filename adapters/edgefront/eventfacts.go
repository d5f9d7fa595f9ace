package edgefront

import (
	"maps"
	"slices"

	"stele/core"
	"stele/edgeframes/superjson"
)

// The facts of what happens to a room's settings and belongings, and between its members. Whoever may read the room may know
// that it happened, to what and by whom. Left out is what only some may read: instructions, which members are told when they
// enter; who may do what; what a document says; what a task or a command says, which is for the one whom it concerns; who gave
// the command; the connection that holds a role.

// belongingFacts puts in the facts of what happened to settings, roles, links, references and documents; false for any other
// event.
func (o *object) belongingFacts(payload any) bool {
	switch p := payload.(type) {
	case *core.RoomChangedEvent:
		o.changedFacts(p)
	case *core.RoleDefinedEvent:
		o.text("role", p.Role)
		o.trueIf("exclusive", p.Exclusive)
		o.text("actor", p.Actor)
	case *core.RoleEditedEvent:
		o.text("role", p.Role)
		o.boolIf("exclusive", p.Exclusive)
		o.text("actor", p.Actor)
	case *core.RoleDeletedEvent:
		o.text("role", p.Role)
		o.text("actor", p.Actor)
	case *core.LinkAddedEvent:
		o.text("target", p.Target)
		o.textIf("label", p.Label)
		o.text("actor", p.Actor)
	case *core.LinkRemovedEvent:
		o.text("target", p.Target)
		o.text("actor", p.Actor)
	case *core.ReferenceAttachedEvent:
		o.text("reference", p.Reference)
		o.text("actor", p.Actor)
	case *core.DocumentCreatedEvent:
		o.text("document", p.Document)
		o.text("agent", p.Agent)
		o.textIf("name", p.Name)
	case *core.DocumentChangedEvent:
		o.text("document", p.Document)
		o.text("agent", p.Agent)
		o.trueIf("whole", p.Whole)
		o.someText("name", p.Name)
	case *core.DocumentDeletedEvent:
		o.text("document", p.Document)
		o.text("agent", p.Agent)
	default:
		return false
	}
	return true
}

// dealingFacts puts in the facts of what members do with roles, tasks, commands and listings; false for any other event.
func (o *object) dealingFacts(payload any) bool {
	switch p := payload.(type) {
	case *core.RoleAssumedEvent:
		o.text("agent", p.Agent)
		o.text("role", p.Role)
	case *core.RoleReleasedEvent:
		o.text("agent", p.Agent)
		o.text("role", p.Role)
	case *core.TaskDelegatedEvent:
		o.task(&p.TaskFacts)
	case *core.TaskAcceptedEvent:
		o.task(&p.TaskFacts)
	case *core.TaskUpdatedEvent:
		o.task(&p.TaskFacts)
	case *core.TaskFinalisedEvent:
		o.task(&p.TaskFacts)
	case *core.TaskCancelledEvent:
		o.task(&p.TaskFacts)
	case *core.CommandSentEvent:
		o.text("target", p.Target)
		o.text("command", p.Command)
		o.textIf("thread", p.Thread)
	case *core.ListingPublishedEvent:
		o.listing(p)
	case *core.ListingWithdrawnEvent:
		o.text("listing", p.Listing)
		o.text("actor", p.Actor)
	default:
		return false
	}
	return true
}

func (o *object) changedFacts(p *core.RoomChangedEvent) {
	o.text("actor", p.Actor)
	o.someText("name", p.Name)
	o.someText("description", p.Description)
	o.boolIf("archived", p.Archived)
	if len(p.Aliases) == 0 {
		return
	}
	aliases := object{}
	for _, agent := range slices.Sorted(maps.Keys(p.Aliases)) {
		aliases.entry(agent, superjson.String(p.Aliases[agent]))
	}
	o.put("aliases", aliases.value())
}

func (o *object) task(f *core.TaskFacts) {
	o.text("task", f.Task)
	o.text("requester", f.Requester)
	o.text("performer", f.Performer)
}

// listing is an offer, which is for everybody.
func (o *object) listing(p *core.ListingPublishedEvent) {
	o.text("listing", p.Listing)
	o.text("actor", p.Actor)
	o.textIf("topic", p.Topic)
	o.textsIf("tags", p.Tags)
	o.numberIf("max_turns", p.MaxTurns)
	o.numberIf("ttl_seconds", p.TTLSeconds)
}

// someText, boolIf, trueIf, textsIf and numberIf leave out what is not there.
func (o *object) someText(key string, s *string) {
	if s != nil {
		o.text(key, *s)
	}
}

func (o *object) boolIf(key string, b *bool) {
	if b != nil {
		o.put(key, superjson.Bool(*b))
	}
}

func (o *object) trueIf(key string, b bool) {
	if b {
		o.put(key, superjson.Bool(true))
	}
}

func (o *object) textsIf(key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	list := make(superjson.Array, len(texts))
	for i, s := range texts {
		list[i] = superjson.String(s)
	}
	o.put(key, list)
}

func (o *object) numberIf(key string, n int) {
	if n != 0 {
		o.number(key, n)
	}
}
