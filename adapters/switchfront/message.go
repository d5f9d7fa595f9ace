package switchfront

import (
	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	agentswitch "stele/switch"
)

// message answers POST …/message: supervisors say something in a room without being connected to it.
func (f *Front) message(c echo.Context) error {
	agent, body, req, err := asked(f, c, agentswitch.ParseMessageRequest)
	if err != nil {
		return err
	}
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	cmd := core.PostMessage{Sender: agent, Text: req.Content}
	posted, _, err := f.node.PostMessage(c.Request().Context(), req.RoomID, cmd, transport.Key(c.Request(), agent, body))
	if err != nil {
		return err
	}
	return answer(c, agentswitch.MessageAnswer{OK: true, EventID: posted.Message})
}

// typing answers POST …/typing. Clients send it before every answer of theirs; nobody in a room is shown it, so it is
// checked and nothing more.
func (f *Front) typing(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseTypingRequest)
	if err != nil {
		return err
	}
	if err := f.checkMember(agent, req.RoomID); err != nil {
		return err
	}
	return answer(c, agentswitch.OK{OK: true})
}

// checkMember refuses a room that there is not, and one that the agent is not in.
func (f *Front) checkMember(agent, room string) error {
	if _, ok := f.node.Room(room); !ok {
		return core.ErrNoRoom
	}
	if !f.node.IsMember(agent, room) {
		return core.ErrNotMember
	}
	return nil
}
