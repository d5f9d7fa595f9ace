package core

import (
	"cmp"
	"slices"
	"time"
)

// What the index keeps around the rooms: who is in them, what those are to be told, and which of them end.

// applyAround derives from a room's event what its members are to be told of it.
func (x *index) applyAround(room string, rec *Recorded) error {
	sum := x.s.Rooms[room]
	if sum == nil || sum.Imported.holds(rec.Version) {
		return nil
	}
	if err := x.noteTurns(sum, rec); err != nil {
		return err
	}
	if e, ok := rec.Payload.(*MemberLeftEvent); ok {
		x.outOf(room, e.Agent)
	}
	return nil
}

// joined notes a member that came.
func (x *index) joined(sum *Summary, e *MemberJoinedEvent) {
	switch e.Side {
	case "a":
		sum.Sides[0] = e.Agent
	case "b":
		sum.Sides[1] = e.Agent
		sum.Connected = true
	}
	if !slices.Contains(x.inRoom[sum.ID], e.Agent) {
		x.inRoom[sum.ID] = append(x.inRoom[sum.ID], e.Agent)
	}
}

func (x *index) outOf(room, agent string) {
	left := slices.DeleteFunc(x.inRoom[room], func(a string) bool { return a == agent })
	if len(left) == 0 {
		delete(x.inRoom, room)
		return
	}
	x.inRoom[room] = left
}

// setEnding notes a room whose content is to be destroyed one day, or is to be destroyed now.
func (x *index) setEnding(sum *Summary) {
	delete(x.closed, sum.ID)
	switch {
	case sum.State == StateClosed && sum.Purges:
		x.closed[sum.ID] = sum.Imported.closedHere(sum.ClosedAt)
	case sum.State == StatePurged && !sum.Erased:
		x.toErase[sum.ID] = struct{}{}
	}
}

// forgetTold drops what a deleted agent was to be told.
func (x *index) forgetTold(agent string, a *AgentState) {
	delete(x.s.Inboxes, agent)
	for id := range a.Webhooks {
		delete(x.s.Outboxes, id)
	}
}

// relinkRooms rebuilds the look-ups of this file from the state.
func (x *index) relinkRooms() {
	x.byViewer, x.inRoom = map[string]string{}, map[string][]string{}
	x.closed, x.toErase = map[string]time.Time{}, map[string]struct{}{}
	x.told, x.reports = map[string]struct{}{}, map[string]map[string]struct{}{}
	for agent, entry := range x.s.Agents {
		for room := range entry.State.Runtime {
			x.noteReport(agent, room)
		}
	}
	since := map[string]map[string]uint64{}
	for agent, rooms := range x.s.Members {
		for room, spans := range rooms {
			if last := spans[len(spans)-1]; last.To == 0 {
				x.inRoom[room] = append(x.inRoom[room], agent)
				set(&since, room, with(since[room], agent, last.From))
			}
		}
	}
	for room, agents := range x.inRoom {
		slices.SortFunc(agents, func(a, b string) int { return cmp.Compare(since[room][a], since[room][b]) })
	}
	for _, sum := range x.s.Rooms {
		x.setEnding(sum)
	}
	for room, entry := range x.s.Galleries {
		for hash := range entry.State.Viewers {
			x.byViewer[hash] = room
		}
	}
	for _, b := range x.s.Inboxes {
		b.relink()
	}
	for _, o := range x.s.Outboxes {
		o.relink()
	}
	x.outboxChanged = len(x.s.Outboxes) > 0
}

func with(m map[string]uint64, k string, v uint64) map[string]uint64 {
	set(&m, k, v)
	return m
}

// wakeTold wakes whoever waits for what the applied batches brought to inboxes and outboxes. The tail calls it.
func (n *Node) wakeTold() {
	x := n.index
	n.inboxes.wakeInboxes(x.told)
	clear(x.told)
	if x.outboxChanged {
		x.outboxChanged = false
		wake(n.outboxWake)
	}
	if x.purgedChanged {
		x.purgedChanged = false
		wake(n.purgeNow)
	}
}

// applyViewersRun brings events to a gallery in memory.
func (n *Node) applyViewersRun(run []Recorded) {
	room, ok := run[0].Stream.viewersRoom()
	if !ok {
		return
	}
	n.mu.RLock()
	c := n.galleries[room]
	n.mu.RUnlock()
	if c != nil {
		c.apply(run)
	}
}
