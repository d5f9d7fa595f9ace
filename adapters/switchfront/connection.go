package switchfront

import (
	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// beat answers POST …/connection/beat: the one thing, beside an open, that keeps a connection alive.
func (f *Front) beat(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseBeatRequest)
	if err != nil {
		return err
	}
	conn, cursor, err := f.node.Beat(c.Request().Context(), agent, req.ConnectionID, core.Position(req.Cursor))
	if err != nil {
		return err
	}
	return answer(c, agentswitch.BeatAnswer{OK: true, Rooms: agentswitch.Rooms(conn.Rooms), Cursor: uint64(cursor)})
}

// subscribe answers POST …/connection/subscribe: a claim that a live sibling's holds off unless takeover is asked for.
func (f *Front) subscribe(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseSubscribeRequest)
	if err != nil {
		return err
	}
	claimed, err := f.node.Subscribe(c.Request().Context(), agent, req.ConnectionID, req.RoomID, req.Takeover)
	if err != nil {
		return err
	}
	out := agentswitch.SubscribeAnswer{OK: true, Rooms: agentswitch.Rooms(claimed.Connection.Rooms)}
	if claimed.Evicted != "" {
		warning := agentswitch.TakeoverWarning(req.RoomID, claimed.Evicted)
		out.EvictedConnectionID, out.Warning = &claimed.Evicted, &warning
	}
	return answer(c, out)
}

// unsubscribe answers POST …/connection/unsubscribe. It gives up only the room it names: clients send it for the room
// before, after they have claimed another.
func (f *Front) unsubscribe(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseSubscribeRequest)
	if err != nil {
		return err
	}
	claimed, err := f.node.Unsubscribe(c.Request().Context(), agent, req.ConnectionID, req.RoomID)
	if err != nil {
		return err
	}
	return answer(c, agentswitch.UnsubscribeAnswer{OK: true, Rooms: agentswitch.Rooms(claimed.Connection.Rooms)})
}
