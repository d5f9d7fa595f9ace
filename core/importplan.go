package core

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// importPlan makes the events of a checked import fit for this log: who is who here, which ids things have, and what cannot
// be kept. It only looks things up.
type importPlan struct {
	node *Node
	cmd  *ImportRoom
	id   string
	hash string
	now  time.Time
	out  *RoomImported
	// cast says who of those that took part is which agent here, by the id there.
	cast map[string]Agent
	// messages are the ids that could not be kept, and what they became.
	messages map[string]string
}

// make does it. The payloads of the command are changed in place.
func (p *importPlan) make() error {
	made := p.cmd.Events[0].Payload.(*RoomCreatedEvent)
	there := made.ID
	end := p.fold()
	if p.cmd.Reopen {
		if err := p.reopen(end, made); err != nil {
			return err
		}
		end = p.fold()
	}
	if err := p.findCast(end); err != nil {
		return err
	}
	p.settle(made)
	p.finish(end, made)
	p.leaveOut(made)
	if err := p.enter(end); err != nil {
		return err
	}
	for i := range p.cmd.Events {
		p.rename(&p.cmd.Events[i], i)
	}
	made.Imported = &Imported{
		Events: uint64(len(p.cmd.Events)), Hash: p.hash, At: p.now, From: p.cmd.From, Room: there,
	}
	p.out.Room = p.id
	p.out.span(p.cmd.Events)
	return nil
}

// fold is the room as the events leave it.
func (p *importPlan) fold() *Room {
	r := &Room{}
	for i, e := range p.cmd.Events {
		r.Apply(&Recorded{Event: Event{Kind: e.Payload.Kind(), Version: uint64(i + 1), At: e.At, Payload: e.Payload}})
	}
	return r
}

// reopen takes back that the room was closed, and the limits that would close it again.
func (p *importPlan) reopen(end *Room, made *RoomCreatedEvent) error {
	if end.State == StatePurged {
		return &InvalidError{Field: "reopen", Reason: "the room was purged: there is nothing to go on with"}
	}
	p.cmd.Events = slices.DeleteFunc(p.cmd.Events, func(e ImportedEvent) bool {
		switch e := e.Payload.(type) {
		case *RoomStateChangedEvent:
			return e.To == StateClosed
		case *RoomClosedEvent:
			return true
		}
		return false
	})
	for _, e := range p.cmd.Events {
		if m, ok := e.Payload.(*MessagePostedEvent); ok && m.Last {
			m.Last, m.Next = false, end.Sides[(m.Turn+1)%2]
		}
	}
	made.TTLAt = time.Time{}
	if made.MaxTurns > 0 && end.Turn >= made.MaxTurns {
		made.MaxTurns = 0
	}
	p.out.State = p.fold().State
	return nil
}

// settle gives the room what is its own here.
func (p *importPlan) settle(made *RoomCreatedEvent) {
	made.ID, made.Owner = p.id, p.cmd.Owner
	made.SecurityConfig, made.HumanCodeHash, made.HumanCodeUntil = nil, "", time.Time{}
	if _, here := p.cast[made.Creator]; !here {
		made.Creator = ""
	}
	if !p.cmd.KeepID {
		made.Conversation = ""
	}
	if _, ok := p.node.Group(made.Group); !ok {
		made.Group = ""
	}
}

// finish ends what cannot go on: a time to live that has passed, and work that was going on.
func (p *importPlan) finish(end *Room, made *RoomCreatedEvent) {
	last := p.cmd.Events[len(p.cmd.Events)-1].At
	open := 0
	for _, id := range sortedKeys(end.Tasks) {
		if t := end.Tasks[id]; t.Status == TaskPending || t.Status == TaskOngoing {
			p.add(last, &TaskCancelledEvent{
				TaskFacts: TaskFacts{Task: t.ID, Requester: t.Requester, Performer: t.Performer},
				TaskNote:  TaskNote{Text: "The room was exported before it was done."},
			})
			open++
		}
	}
	p.out.count("open tasks", open)
	if end.Expired(p.now) {
		at := made.TTLAt
		if at.Before(last) {
			at = last
		}
		for _, e := range closing(end, "", ClosedByTTL) {
			p.add(millis(at), e)
		}
		p.out.State = StateClosed
	}
}

func (p *importPlan) add(at time.Time, e Payload) {
	p.cmd.Events = append(p.cmd.Events, ImportedEvent{At: at, Payload: e})
}

// leaveOut drops what points to something that is not here, or is not for the room's owner to see.
func (p *importPlan) leaveOut(made *RoomCreatedEvent) {
	links, references := 0, 0
	made.Links = slices.DeleteFunc(slices.Clone(made.Links), func(l Link) bool {
		gone := !p.ownerKnows(l.Target)
		if gone {
			links++
		}
		return gone
	})
	if len(made.Links) == 0 {
		made.Links = nil
	}
	p.cmd.Events = slices.DeleteFunc(p.cmd.Events, func(e ImportedEvent) bool {
		switch e := e.Payload.(type) {
		case *LinkAddedEvent:
			if !p.ownerKnows(e.Target) {
				links++
				return true
			}
		case *LinkRemovedEvent:
			return !p.ownerKnows(e.Target)
		case *ReferenceAttachedEvent:
			if p.node.readableReferences("reference", p.cmd.Owner, e.Reference) != nil {
				references++
				return true
			}
		}
		return false
	})
	p.out.count("links", links)
	p.out.count("references", references)
}

// ownerKnows tells whether another room is here that the new room's owner may know of: a link shows its name to whoever is in
// the room that has the link.
func (p *importPlan) ownerKnows(room string) bool {
	s, ok := p.node.Room(room)
	return ok && room != p.id && (s.ReadPublic || s.Owner != "" && s.Owner == p.cmd.Owner)
}

// rename gives an event the ids that things have here.
func (p *importPlan) rename(e *ImportedEvent, i int) {
	mapAgents(e.Payload, func(id string) string {
		if a, ok := p.cast[id]; ok {
			return a.ID
		}
		return id
	})
	switch m := e.Payload.(type) {
	case *RoomCreatedEvent:
		if m.Listing != nil {
			offer := *m.Listing
			offer.ID = p.listing(offer.ID)
			m.Listing = &offer
		}
	case *ListingPublishedEvent:
		m.Listing = p.listing(m.Listing)
	case *ListingWithdrawnEvent:
		m.Listing = p.listing(m.Listing)
	case *CommandSentEvent:
		m.Thread = p.message(m.Thread)
	case *MessagePostedEvent:
		if turn, ok := MessageTurn(m.ID); !ok || turn != m.Turn {
			set(&p.messages, m.ID, p.messageID(m, e.At))
			m.ID = p.messages[m.ID]
		}
		m.Thread = p.message(m.Thread)
		p.attach(m)
	default:
		p.renameTask(m)
	}
}

func (p *importPlan) message(id string) string {
	if is, ok := p.messages[id]; ok {
		return is
	}
	return id
}

// messageID makes an id that says the message's turn, as all do here, and is the same whenever the same is imported.
func (p *importPlan) messageID(m *MessagePostedEvent, at time.Time) string {
	bits := sha256.Sum256([]byte(p.id + "\x00" + strconv.Itoa(m.Turn) + "\x00" + m.ID))
	return IDs{Random: bytes.NewReader(bits[:])}.Message(at, m.Turn)
}

// listing gives an offer an id that leads nobody to another room's.
func (p *importPlan) listing(id string) string { return DerivedID(ListingPrefix, p.id, id) }

// attach points to the content that came along. What has none here gets an id that no other room's content has.
func (p *importPlan) attach(m *MessagePostedEvent) {
	missing := 0
	m.Media, m.Attachments = slices.Clone(m.Media), slices.Clone(m.Attachments)
	for i, old := range m.Media {
		stored, ok := p.cmd.Media[old]
		if !ok {
			stored.ID = DerivedID("med_", p.id, old)
			missing++
		}
		m.Media[i] = stored.ID
		if i < len(m.Attachments) {
			m.Attachments[i].Media = stored.ID
			if ok {
				m.Attachments[i].Size = stored.Size
			}
		}
	}
	p.out.count("contents of attachments", missing)
}

// enter makes those members here who were at the end, and are somebody here.
func (p *importPlan) enter(end *Room) error {
	last := map[string]*MemberJoinedEvent{}
	for _, e := range p.cmd.Events {
		if joined, ok := e.Payload.(*MemberJoinedEvent); ok {
			joined.History = true
			last[joined.Agent] = joined
		}
	}
	for _, id := range slices.Sorted(maps.Keys(end.Members)) {
		joined := last[id]
		agent, here := p.cast[id]
		if !here {
			p.out.Absent = append(p.out.Absent, id)
			continue
		}
		if slices.Contains(p.out.Members, agent.ID) {
			return &InvalidError{Field: "map", Reason: fmt.Sprintf("two members would be agent %s", agent.ID)}
		}
		joined.History, joined.Name, joined.Handle = false, agent.Name, agent.Handle
		p.out.Members = append(p.out.Members, agent.ID)
	}
	return nil
}
