package core

import (
	"fmt"
	"slices"
)

// findCast finds out who of those that took part is which agent here.
func (p *importPlan) findCast(end *Room) error {
	p.cast = map[string]Agent{}
	names, handles := p.names()
	used := map[string]bool{}
	for _, id := range sortedKeys(names) {
		for key := range p.cmd.People {
			if key != id && key != handles[id] && !slices.Contains(names[id], key) {
				continue
			}
			used[key] = true
			agent, err := p.agentHere(p.cmd.People[key])
			if err != nil {
				return err
			}
			if was, twice := p.cast[id]; twice && was.ID != agent.ID {
				return &InvalidError{Field: "map", Reason: fmt.Sprintf("says of %.300q that it is two agents", id)}
			}
			p.cast[id] = agent
		}
		if _, said := p.cast[id]; said {
			continue
		}
		if agent, ok := p.node.Agent(id); ok {
			p.cast[id] = agent
		} else if agent, ok := p.node.AgentByHandle(handles[id]); ok && p.cmd.MatchHandles {
			p.cast[id] = agent
		}
	}
	for key := range p.cmd.People {
		if !used[key] {
			return &InvalidError{Field: "map", Reason: fmt.Sprintf("nobody that took part is called %.300q", key)}
		}
	}
	return p.oneEach()
}

// oneEach makes sure that nobody here would have been two that took part.
func (p *importPlan) oneEach() error {
	who := map[string]string{}
	for _, id := range sortedKeys(p.cast) {
		agent := p.cast[id]
		if other, ok := who[agent.ID]; ok {
			return &InvalidError{Field: "map", Reason: fmt.Sprintf("both %.300q and %.300q would be agent %s", other, id, agent.ID)}
		}
		who[agent.ID] = id
	}
	return nil
}

// agentHere finds an agent by its id or its handle.
func (p *importPlan) agentHere(which string) (Agent, error) {
	if a, ok := p.node.Agent(which); ok {
		return a, nil
	}
	if a, ok := p.node.AgentByHandle(which); ok {
		return a, nil
	}
	return Agent{}, fmt.Errorf("%w: %.300q", ErrNoAgent, which)
}

// names are what everybody that took part was called, by id, and the handles of the members.
func (p *importPlan) names() (names map[string][]string, handles map[string]string) {
	names, handles = map[string][]string{}, map[string]string{}
	add := func(id, name string) {
		if !slices.Contains(names[id], name) {
			names[id] = append(names[id], name)
		}
	}
	for _, e := range p.cmd.Events {
		switch m := e.Payload.(type) {
		case *MemberJoinedEvent:
			add(m.Agent, m.Name)
			handles[m.Agent] = m.Handle
			if m.Handle == "" {
				handles[m.Agent] = m.Name
			}
		case *MessagePostedEvent:
			add(m.Sender, m.SenderName)
		}
	}
	return names, handles
}

// mapAgents puts the ids of agents in a payload through f.
func mapAgents(p Payload, f func(string) string) {
	each := func(ids ...*string) {
		for _, id := range ids {
			*id = f(*id)
		}
	}
	list := func(ids []string) []string {
		ids = slices.Clone(ids)
		for i := range ids {
			ids[i] = f(ids[i])
		}
		return ids
	}
	switch e := p.(type) {
	case *RoomCreatedEvent:
		each(&e.Creator)
		e.Listeners = list(e.Listeners)
		if e.Listing != nil {
			offer := *e.Listing
			offer.Agent = f(offer.Agent)
			e.Listing = &offer
		}
	case *MemberJoinedEvent:
		each(&e.Agent, &e.Actor)
		e.Listeners = list(e.Listeners)
	case *MemberLeftEvent:
		each(&e.Agent)
	case *MessagePostedEvent:
		each(&e.Sender, &e.Next)
		e.Addressed = list(e.Addressed)
	case *RoomStateChangedEvent:
		each(&e.Actor, &e.Next)
	case *RoomClosedEvent:
		each(&e.Actor)
	case *RoomChangedEvent:
		mapChanged(e, f, list)
	default:
		mapWorkers(p, each)
	}
}

func mapChanged(e *RoomChangedEvent, f func(string) string, list func([]string) []string) {
	e.Actor = f(e.Actor)
	if e.Listeners != nil {
		listeners := list(*e.Listeners)
		e.Listeners = &listeners
	}
	if e.Aliases != nil {
		aliases := make(map[string]string, len(e.Aliases))
		for agent, alias := range e.Aliases {
			aliases[f(agent)] = alias
		}
		e.Aliases = aliases
	}
}

// mapWorkers does it for what agents do in a room beside speaking.
func mapWorkers(p Payload, each func(ids ...*string)) {
	switch e := p.(type) {
	case *RoleDefinedEvent:
		each(&e.Actor)
	case *RoleEditedEvent:
		each(&e.Actor)
	case *RoleDeletedEvent:
		each(&e.Actor)
	case *RoleAssumedEvent:
		each(&e.Agent)
	case *RoleReleasedEvent:
		each(&e.Agent)
	case *LinkAddedEvent:
		each(&e.Actor)
	case *LinkRemovedEvent:
		each(&e.Actor)
	case *ReferenceAttachedEvent:
		each(&e.Actor)
	case *DocumentCreatedEvent:
		each(&e.Agent)
	case *DocumentChangedEvent:
		each(&e.Agent)
	case *DocumentDeletedEvent:
		each(&e.Agent)
	case *TaskDelegatedEvent:
		each(&e.Requester, &e.Performer)
	case *TaskAcceptedEvent:
		each(&e.Requester, &e.Performer)
	case *TaskUpdatedEvent:
		each(&e.Requester, &e.Performer)
	case *TaskFinalisedEvent:
		each(&e.Requester, &e.Performer)
	case *TaskCancelledEvent:
		each(&e.Requester, &e.Performer)
	case *CommandSentEvent:
		each(&e.Target)
	case *StatePatchedEvent:
		each(&e.Actor)
	case *StateReplacedEvent:
		each(&e.Actor)
	case *EventEmittedEvent:
		each(&e.Actor)
	case *ListingPublishedEvent:
		each(&e.Actor)
	case *ListingWithdrawnEvent:
		each(&e.Actor)
	}
}
