package switchfront

import (
	"cmp"
	"slices"

	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// participants answers GET /agents/rooms/{room_id}/participants. The protocol knows no other refusal here than that there
// is no such room, so that is also what somebody learns who is not in it: who talks in a room is its members' business.
func (f *Front) participants(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, "")
	if err != nil {
		return err
	}
	room := c.Param(paramRoom)
	if f.checkMember(agent, room) != nil {
		return core.ErrNoRoom
	}
	var members []core.Member
	if err := f.node.ViewRoom(ctx, room, func(v *core.Room) {
		for _, m := range v.Members {
			members = append(members, *m)
		}
	}); err != nil {
		return err
	}
	slices.SortFunc(members, func(a, b core.Member) int {
		return cmp.Or(cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.Agent, b.Agent))
	})
	out := make(agentswitch.List[agentswitch.RoomParticipant], len(members))
	for i, m := range members {
		status := agentswitch.Status(f.node.Presence(m.Agent, room))
		out[i] = agentswitch.RoomParticipant{
			Type: agentswitch.ParticipantAgent, AgentID: &m.Agent, Name: cmp.Or(m.Handle, m.Name), Status: &status,
		}
	}
	return answer(c, agentswitch.ParticipantsAnswer{Participants: out})
}
