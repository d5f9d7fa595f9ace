package core

import (
	"slices"
	"strings"
)

// JoinRoom makes agents members of an open-floor room, in one unit; one that is a member already stays one.
//
// Nobody joins a turns room but through its listing: its two sides were promised that they are alone, and people who
// watch have a code for that. Agents that are to watch are members from its creation on, so that nobody speaks before
// they are known.
type JoinRoom struct {
	Member NewMember
	// With are those that join together with it, in this order.
	With []NewMember
	// Inviter, if set, is who adds it and must be allowed to write the room; InviterOwner is set by the node.
	Inviter, InviterOwner string
}

func (c JoinRoom) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	switch {
	case !r.Exists():
		return nil, struct{}{}, ErrNoRoom
	case c.Inviter != "" && !r.writableBy(c.Inviter, c.InviterOwner):
		return nil, struct{}{}, ErrNotAllowed
	}
	var newcomers []NewMember
	for _, m := range append([]NewMember{c.Member}, c.With...) {
		if r.Members[m.Agent] == nil && !slices.ContainsFunc(newcomers, func(o NewMember) bool { return o.Agent == m.Agent }) {
			newcomers = append(newcomers, m)
		}
	}
	if len(newcomers) == 0 {
		return nil, struct{}{}, nil
	}
	if err := r.notEnded(); err != nil {
		return nil, struct{}{}, err
	}
	if r.Floor == FloorTurns {
		return nil, struct{}{}, &InvalidError{
			Field: "room", Reason: "this room belongs to two that speak in turns; nobody can be added",
		}
	}
	events, err := r.arrival(newcomers, "")
	for _, p := range events {
		if joined, ok := p.(*MemberJoinedEvent); ok && joined.Agent != c.Inviter {
			joined.Actor = c.Inviter
		}
	}
	return events, struct{}{}, err
}

// arrival makes the events with which agents become members.
//
// Names that clash do not keep an agent out: whoever may write a room could lock others out of it by taking their
// handles as aliases. A handle is the older and better name, so a member that goes by a newcomer's handle loses that
// alias. A role of that name stays, and the name then speaks to both.
func (r *Room) arrival(newcomers []NewMember, side string) ([]Payload, error) {
	var events []Payload
	lost := map[string]string{}
	for _, m := range newcomers {
		for id, old := range r.Members {
			if m.Handle != "" && strings.EqualFold(old.Alias, m.Handle) {
				lost[id] = ""
			}
		}
	}
	names := r.names(lost)
	if len(lost) > 0 {
		events = append(events, &RoomChangedEvent{RoomChangeFacts: RoomChangeFacts{Actor: newcomers[0].Agent, Aliases: lost}})
	}
	for _, m := range newcomers {
		names.put(m.Handle, useHandle)
	}
	for _, m := range newcomers {
		if m.Alias != "" {
			if err := names.addAlias(m.Alias, m.Handle); err != nil {
				return nil, err
			}
		}
		events = append(events, &MemberJoinedEvent{
			Agent: m.Agent, Name: m.Name, Handle: m.Handle, Alias: m.Alias, Side: side, Listeners: r.Listeners,
		})
	}
	return events, nil
}
