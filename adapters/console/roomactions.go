package console

import (
	"encoding/json"
	"fmt"
	"net/http"

	"stele/core"
	"stele/core/operations"
	"stele/internal/strictjson"
)

// operate calls an operation as the user's own participant, with the room of the path as the current one.
func (c *Console) operate(v *visit, room, name string, args map[string]any) (any, error) {
	self, err := c.node.Participant(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	raw := make(map[string]json.RawMessage, len(args))
	for key, value := range args {
		if raw[key], err = strictjson.Marshal(value); err != nil {
			return nil, fmt.Errorf("encode %s: %w", key, err)
		}
	}
	return c.ops.Call(v.ctx(), name, operations.Caller{Agent: self.ID, Room: room}, raw)
}

// inRoom runs what a form of a room's page asks for, and shows the page again; when that was refused, with the reason.
func (c *Console) inRoom(v *visit, act func(room core.Summary) error) error {
	sum, err := c.roomIn(v)
	if err != nil {
		return err
	}
	err = act(sum)
	if v.scripted() {
		return v.answerScript(err)
	}
	if err == nil {
		return v.redirect(Prefix + "/rooms/" + sum.ID)
	}
	f := statusOf(err)
	if f.status == http.StatusInternalServerError {
		return err
	}
	f.text = f.sentence(err)
	return c.roomPage(v, f, v.typed("body"))
}

// answerScript tells a page's own script whether something was done.
func (v *visit) answerScript(err error) error {
	if err == nil {
		return v.echo.NoContent(http.StatusNoContent)
	}
	f := statusOf(err)
	return v.echo.String(f.status, f.sentence(err))
}

func (c *Console) say(v *visit) error {
	return c.inRoom(v, func(room core.Summary) error {
		_, err := c.operate(v, room.ID, "post_message", map[string]any{"body": v.typed("body")})
		return err
	})
}

// join makes the user's participant a member, by the operation with which agents add themselves.
func (c *Console) join(v *visit) error {
	return c.inRoom(v, func(room core.Summary) error {
		self, err := c.node.Participant(v.ctx(), v.user.ID)
		if err != nil {
			return err
		}
		_, err = c.operate(v, room.ID, "invite_agent_to_room", map[string]any{"room_id": room.ID, "agent_name": self.Handle})
		return err
	})
}

func (c *Console) invite(v *visit) error {
	return c.inRoom(v, func(room core.Summary) error {
		_, err := c.operate(v, room.ID, "invite_agent_to_room", map[string]any{"room_id": room.ID, "agent_name": v.field("agent")})
		return err
	})
}

// publish offers the room to whoever connects.
func (c *Console) publish(v *visit) error {
	return c.inRoom(v, func(room core.Summary) error {
		_, err := c.operate(v, room.ID, "publish_listing", map[string]any{"topic": v.field("topic")})
		return err
	})
}

func (c *Console) archive(v *visit) error   { return c.setArchived(v, "archive_room") }
func (c *Console) unarchive(v *visit) error { return c.setArchived(v, "unarchive_room") }

func (c *Console) setArchived(v *visit, operation string) error {
	return c.inRoom(v, func(room core.Summary) error {
		_, err := c.operate(v, room.ID, operation, map[string]any{"room_id": room.ID})
		return err
	})
}

// closeRoom ends a room, as any member that may write it can.
func (c *Console) closeRoom(v *visit) error {
	return c.inRoom(v, func(room core.Summary) error {
		self, err := c.node.Participant(v.ctx(), v.user.ID)
		if err != nil {
			return err
		}
		_, _, err = c.node.CloseRoom(v.ctx(), room.ID, core.CloseRoom{Actor: self.ID}, nil)
		return err
	})
}
