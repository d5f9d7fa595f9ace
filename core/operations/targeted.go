package operations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stele/core"
)

type targetedArgs struct {
	Body        string    `op:"body"`
	TargetNames *[]string `op:"target_names,default=null"`
	TargetRoles *[]string `op:"target_roles,default=null"`
	ThreadID    *string   `op:"thread_id,default=null"`
}

// TargetedRow is the answer to send_targeted_message.
type TargetedRow struct {
	EventID string `json:"event_id"`
	// TargetStatuses are keyed by the target as the caller wrote it.
	TargetStatuses map[string]core.Status `json:"target_statuses"`
}

func sendTargetedMessage() *operation {
	return define("send_targeted_message",
		"Say something in the current room to somebody: to the participants named in target_names (names or aliases, see "+
			"list_participants) and to whoever holds the roles named in target_roles; at least one target is needed. The "+
			"message is body with @name for each target put before it, so do not write those yourself; everybody in the "+
			"room can read it. Give thread_id (the id of any message of the thread) to answer in a thread. Returns the id "+
			"of the message, and in target_statuses how present each addressed agent is, also each that holds a role: live "+
			"means that it is read now, dormant that a session is started for it, not_permitted that the agent does not let "+
			"you address it and is not notified, anything else that an answer may come late or never. A role that nobody "+
			"holds reaches nobody. In a turn-based room you may only speak when it is your turn.",
		func(ctx context.Context, r *Registry, c Caller, a targetedArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			agents, err := r.targets(ctx, room, a)
			if err != nil {
				return nil, err
			}
			cmd := core.PostMessage{Sender: c.Agent, Text: targetedText(a), Guard: func(v *core.Room) error {
				return refuseBlankTurn(v, a.Body)
			}}
			if cmd.Thread, err = r.thread(ctx, room, a.ThreadID); err != nil {
				return nil, err
			}
			posted, _, err := r.node.PostMessage(ctx, room, cmd, c.Key)
			if err != nil {
				return nil, err
			}
			out := TargetedRow{EventID: posted.Message, TargetStatuses: map[string]core.Status{}}
			for _, t := range agents {
				out.TargetStatuses[t.token] = r.targetStatus(c.Agent, t.agent, room)
			}
			return out, nil
		})
}

// targetedText puts the names before the body, then the roles.
func targetedText(a targetedArgs) string {
	var b strings.Builder
	for _, token := range slices.Concat(value(a.TargetNames), value(a.TargetRoles)) {
		b.WriteString("@" + token + " ")
	}
	b.WriteString(a.Body)
	return b.String()
}

// refuseBlankTurn keeps a turn from being used up by names alone; the core only sees that the whole text is not blank.
func refuseBlankTurn(v *core.Room, body string) error {
	if v.Floor == core.FloorTurns && strings.TrimSpace(body) == "" {
		return &core.InvalidError{Field: "body", Reason: "must not be blank in a turn-based room"}
	}
	return nil
}

// statusNotPermitted says of a target that it does not let the sender address it (Switch protocol: status values).
const statusNotPermitted core.Status = "not_permitted"

func (r *Registry) targetStatus(sender, target, room string) core.Status {
	if sender != target && !r.node.MayAddress(sender, target, room) {
		return statusNotPermitted
	}
	return r.node.Presence(target, room)
}

// target is an agent with the token that it was named by; whoever holds a role goes by its own name.
type target struct{ agent, token string }

// targets finds the agents that the names and roles mean, each once.
func (r *Registry) targets(ctx context.Context, room string, a targetedArgs) ([]target, error) {
	names, roles := value(a.TargetNames), value(a.TargetRoles)
	if len(names)+len(roles) == 0 {
		return nil, &ArgumentError{
			Names:  []string{"target_names", "target_roles"},
			Reason: `name at least one target in "target_names" or "target_roles"`,
		}
	}
	members, err := r.participants(ctx, room)
	if err != nil {
		return nil, err
	}
	if err := r.checkRoles(ctx, room, roles); err != nil {
		return nil, err
	}
	var out []target
	var missing []string
	for _, name := range names {
		i := indexOfParticipant(members, name)
		switch {
		case i < 0:
			missing = append(missing, name)
		case !slices.ContainsFunc(out, func(t target) bool { return t.agent == members[i].ID }):
			out = append(out, target{agent: members[i].ID, token: name})
		}
	}
	if len(missing) > 0 {
		here := make([]string, len(members))
		for i, m := range members {
			here[i] = m.Name
		}
		return nil, argument("target_names", "not in this room: %s; participants: %s", quoted(missing), quoted(here))
	}
	return r.addHolders(ctx, room, roles, out), nil
}

// addHolders adds the agents that hold one of the roles now and are not among the targets yet.
func (r *Registry) addHolders(ctx context.Context, room string, roles []string, out []target) []target {
	if len(roles) == 0 {
		return out
	}
	for _, l := range r.node.LeasesIn(ctx, room) {
		known := slices.ContainsFunc(out, func(t target) bool { return t.agent == l.Agent })
		if slices.Contains(roles, l.Role) && !known {
			out = append(out, target{agent: l.Agent, token: r.agentName(l.Agent)})
		}
	}
	return out
}

// indexOfParticipant finds a participant by its exact name, else by its alias without regard to case.
func indexOfParticipant(members []Participant, name string) int {
	if i := slices.IndexFunc(members, func(p Participant) bool { return p.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(members, func(p Participant) bool { return p.Alias != nil && strings.EqualFold(*p.Alias, name) })
}

func (r *Registry) checkRoles(ctx context.Context, room string, names []string) error {
	var known []string
	if err := r.node.ViewRoom(ctx, room, func(v *core.Room) {
		for _, role := range v.Roles {
			known = append(known, role.Name)
		}
	}); err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
	if len(missing) > 0 {
		return argument("target_roles", "no such roles in this room: %s; roles: %s", quoted(missing), quoted(known))
	}
	return nil
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}
