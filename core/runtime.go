package core

import (
	"context"
	"maps"
)

// Bounds of a report, in bytes.
const (
	MaxRuntimeLink   = 2 << 10
	MaxRuntimeDetail = 4 << 10
	// MaxRuntimeID bounds the ids of the messages it is about.
	MaxRuntimeID = 256
	// MaxRuntimeControls is how many controls it may name.
	MaxRuntimeControls = 16
)

// ReportRuntime is what an agent says it is doing in a room. Nothing is written when it says what it said before.
type ReportRuntime struct {
	Room string
	// State is "working", "awaiting-input" or "idle".
	State string
	// Thread and Anchor are ids of messages that the work belongs to, empty for none.
	Thread, Anchor, Detail string
	// Controls are the commands that the agent can obey at the moment, and Link opens its session; nil: as it said before.
	Controls map[string]bool
	Link     *string
}

func (c ReportRuntime) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if a.Ended {
		return nil, struct{}{}, ErrNoAgent
	}
	if err := c.check(); err != nil {
		return nil, struct{}{}, err
	}
	if old, ok := a.Runtime[c.Room]; ok && c.repeats(old) {
		return nil, struct{}{}, nil
	}
	return []Payload{&RuntimeReportedEvent{
		RuntimeFacts: RuntimeFacts{Room: c.Room, State: c.State, Thread: c.Thread, Anchor: c.Anchor, Controls: c.Controls},
		RuntimeTexts: RuntimeTexts{Link: c.Link, Detail: c.Detail},
	}}, struct{}{}, nil
}

func (c ReportRuntime) repeats(old Runtime) bool {
	return c.State == old.State && c.Thread == old.Thread && c.Anchor == old.Anchor && c.Detail == old.Detail &&
		(c.Controls == nil || maps.Equal(c.Controls, old.Controls)) && (c.Link == nil || *c.Link == old.Link)
}

func (c ReportRuntime) check() error {
	switch c.State {
	case "working", "awaiting-input", "idle":
	default:
		return &InvalidError{Field: "state", Reason: `must be "working", "awaiting-input" or "idle"`}
	}
	if len(c.Controls) > MaxRuntimeControls {
		return &InvalidError{Field: "control_capabilities", Reason: "names too many controls"}
	}
	var link string
	assign(&link, c.Link)
	return firstError(
		checkBytes("thread_id", c.Thread, MaxRuntimeID),
		checkBytes("anchor_event_id", c.Anchor, MaxRuntimeID),
		checkBytes("detail", c.Detail, MaxRuntimeDetail),
		checkBytes("deeplink_url", link, MaxRuntimeLink),
	)
}

// ReportRuntime records what an agent says it is doing in a room that it is a member of. A report stands until the next
// one: what depends on it also asks whether the agent is live in the room, so that none has to be swept away. Errors:
// [ErrNoRoom], [ErrNotMember], *[RoomNotActiveError] when the room was purged, *[TooLongError], *[InvalidError].
func (n *Node) ReportRuntime(ctx context.Context, agent string, cmd ReportRuntime) error {
	if err := n.checkMember(agent, cmd.Room); err != nil {
		return err
	}
	if sum, _ := n.Room(cmd.Room); sum.State == StatePurged {
		return &RoomNotActiveError{Room: cmd.Room, State: sum.State}
	}
	cell := n.agentCell(agent)
	defer cell.unpin()
	_, _, err := propose(ctx, cell, cmd, nil)
	return err
}

// Runtime returns the newest report of an agent about a room.
func (n *Node) Runtime(agent, room string) (Runtime, bool) {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	if entry == nil {
		return Runtime{}, false
	}
	report, ok := entry.State.Runtime[room]
	return report, ok
}
