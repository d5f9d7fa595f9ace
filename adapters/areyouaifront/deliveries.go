package areyouaifront

import (
	"stele/areyouai"
	"stele/core"
)

// deliveryFrame says a delivery in the protocol's words. There is no token in it and nothing that anybody said: it only
// tells the agent where to look (areyouai: agent stream, delivery frames).
func deliveryFrame(agent string, d *core.Delivery) areyouai.AgentFrame {
	at, expires := areyouai.NewTime(d.At), areyouai.NewTime(d.Expires())
	if d.Kind == core.TurnReady {
		return areyouai.TurnReady{
			Type: areyouai.FrameTurnReady, DeliveryID: d.ID(agent), AgentID: agent, TargetAgentID: agent,
			RoomID: d.Room, RoomState: areyouai.RoomState(d.State), NextTurn: int64(d.Turn), NextActorID: d.Next,
			Reason: areyouai.Reason(d.Reason), OccurredAt: at, CreatedAt: at, ExpiresAt: expires,
		}
	}
	kind := areyouai.FrameRoomClosed
	if d.Kind == core.RoomWasPurged {
		kind = areyouai.FrameRoomPurged
	}
	return areyouai.RoomEnded{
		Type: kind, DeliveryID: d.ID(agent), AgentID: agent, TargetAgentID: agent,
		RoomID: d.Room, RoomState: areyouai.RoomState(d.State), Reason: areyouai.Reason(d.Reason),
		OccurredAt: at, ClosedAt: areyouai.TimePtr(d.ClosedAt), PurgedAt: areyouai.TimePtr(d.PurgedAt),
		CreatedAt: at, ExpiresAt: expires,
	}
}
