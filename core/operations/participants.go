package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stele/core"
	"stele/internal/strictjson"
)

type noArgs struct{}

// ParticipantRow is a member as list_participants shows it.
type ParticipantRow struct {
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	Type   string       `json:"type"`
	Status *core.Status `json:"status"`
	Alias  *string      `json:"alias"`
}

// Participant is a member as connect_to_room shows it.
type Participant struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// AgentType is the connection model at registration, as get_agent_detail shows it, and null if none was said.
	AgentType *string `json:"agent_type"`
	// CanDelegate and CanAccept are what the agent's profile says of tasks. Nothing holds it to that.
	CanDelegate bool         `json:"can_delegate"`
	CanAccept   bool         `json:"can_accept"`
	Status      *core.Status `json:"status"`
	RoomRole    *string      `json:"room_role"`
	Alias       *string      `json:"alias"`
}

func listParticipants() *operation {
	return define("list_participants",
		"List who is in the current room: id, name, whether it is an agent or a user, how present it is (status), and the "+
			"alias it goes by in this room. Address somebody by writing @name or @alias in a message. A status of live "+
			"means that a message will be read now; dormant means that a session is started for it.",
		func(ctx context.Context, r *Registry, c Caller, _ noArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			long, err := r.participants(ctx, room)
			if err != nil {
				return nil, err
			}
			rows := make([]ParticipantRow, len(long))
			for i, p := range long {
				rows[i] = ParticipantRow{ID: p.ID, Name: p.Name, Type: p.Type, Status: p.Status, Alias: p.Alias}
			}
			return rows, nil
		})
}

// participants lists the members of a room in the order in which they joined.
func (r *Registry) participants(ctx context.Context, room string) ([]Participant, error) {
	var members []core.Member
	if err := r.node.ViewRoom(ctx, room, func(v *core.Room) {
		for _, m := range v.Members {
			members = append(members, *m)
		}
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(members, func(a, b core.Member) int {
		if a.Joined != b.Joined {
			return int(a.Joined) - int(b.Joined)
		}
		return strings.Compare(a.Agent, b.Agent)
	})
	leases := r.node.LeasesIn(ctx, room)
	out := make([]Participant, len(members))
	for i, m := range members {
		status := r.node.Presence(m.Agent, room)
		p := Participant{ID: m.Agent, Name: m.Handle, Type: "agent", Status: &status}
		if p.Name == "" {
			p.Name = m.Name
		}
		p.RoomRole = roleOf(leases, m.Agent)
		a, _ := r.node.Agent(m.Agent)
		p.AgentType = orNull(cmp.Or(a.RegisteredModel, a.Model))
		p.CanDelegate, p.CanAccept = tasksOf(a)
		if m.Alias != "" {
			p.Alias = &m.Alias
		}
		out[i] = p
	}
	return out, nil
}

// tasksOf is what an agent's profile says of tasks. One that says nothing of them takes part, as one without a profile
// does.
func tasksOf(a core.Agent) (canDelegate, canAccept bool) {
	said := struct {
		TaskProtocol taskProtocol `json:"task_protocol"`
	}{taskProtocol{CanDelegate: true, CanAccept: true}}
	if len(a.Profile) > 0 && strictjson.Unmarshal(a.Profile, &said) != nil {
		return true, true
	}
	return said.TaskProtocol.CanDelegate, said.TaskProtocol.CanAccept
}
