package switchfront

import (
	"strings"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// runtimeState answers POST …/runtime-state: what the agent's session in a room is at, and which commands it obeys.
func (f *Front) runtimeState(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseRuntimeState)
	if err != nil {
		return err
	}
	cmd := core.ReportRuntime{Room: req.RoomID, State: req.State, Link: req.DeeplinkURL}
	for into, text := range map[*string]*string{&cmd.Thread: req.ThreadID, &cmd.Anchor: req.AnchorEventID, &cmd.Detail: req.Detail} {
		if text != nil {
			*into = *text
		}
	}
	if controls := req.ControlCapabilities; controls != nil {
		cmd.Controls = map[string]bool{
			string(core.CommandReset): controls.Reset, string(core.CommandCompact): controls.Compact,
			string(core.CommandInterrupt): controls.Interrupt,
		}
	}
	if err := f.node.ReportRuntime(c.Request().Context(), agent, cmd); err != nil {
		return err
	}
	return answer(c, agentswitch.OK{OK: true})
}

// status answers POST …/status. What it says of presence changes nothing: present is who beats, and nobody by saying so.
// A detail is a remark of the agent's, which the room reads as a message in italics.
func (f *Front) status(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseStatusReport)
	if err != nil {
		return err
	}
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	if err := f.checkMember(agent, req.RoomID); err != nil {
		return err
	}
	if req.Detail != nil {
		if detail := strings.TrimSpace(*req.Detail); detail != "" {
			cmd := core.PostMessage{Sender: agent, Text: "*" + detail + "*", Guard: refuseRemark}
			_, _, err := f.node.PostMessage(c.Request().Context(), req.RoomID, cmd, transport.Key(c.Request(), agent, body))
			if err != nil {
				return err
			}
		}
	}
	return answer(c, agentswitch.OK{OK: true})
}

// refuseRemark keeps a turn from being used up by a remark about oneself.
func refuseRemark(r *core.Room) error {
	if r.Floor == core.FloorTurns {
		return &core.InvalidError{Field: "detail", Reason: "a room of two that speak in turns takes no remarks"}
	}
	return nil
}

// renewLease answers POST …/leases/renew: whether the agent holds a role. A hold lives as long as the connection it was
// taken with, so there is nothing to renew; who asks is told when to stop.
func (f *Front) renewLease(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	_, held := f.node.LiveLease(ctx, agent)
	return answer(c, agentswitch.LeaseAnswer{OK: true, Held: held})
}

// renewPresence answers POST …/connection/renew, with which clients that have no connection say that they are in a room.
func (f *Front) renewPresence(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseRenewRequest)
	if err != nil {
		return err
	}
	if err := f.node.NoteInRoom(agent, req.RoomID); err != nil {
		return err
	}
	return answer(c, agentswitch.OK{OK: true})
}

// watchHeartbeat answers POST …/watch/heartbeat, with which clients that have no connection say that they are there.
func (f *Front) watchHeartbeat(c echo.Context) error {
	agent, err := actingAgent(c.Request().Context(), c.Param(paramAgent))
	if err != nil {
		return err
	}
	f.node.NoteAnywhere(agent)
	return answer(c, agentswitch.OK{OK: true})
}
