package switchfront

import (
	"context"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// Bounds of one answer; a longer history is read in pages.
const (
	maxHistoryEvents = 5_000
	maxHistoryBytes  = 8 << 20
)

// history answers GET …/rooms/{room_id}/history: what was said, flat, replies among the rest.
func (f *Front) history(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	query, err := agentswitch.ParseHistoryQuery(c.QueryParams())
	if err != nil {
		return err
	}
	room := c.Param(paramRoom)
	if err := f.checkMember(agent, room); err != nil {
		return err
	}
	out, err := f.said(ctx, room, query)
	if err != nil {
		return err
	}
	return answer(c, out)
}

// said walks back through a room until the bounds, the limit or the start of the room. It looks one event further than
// the limit, so that it knows whether there are more.
func (f *Front) said(ctx context.Context, room string, q agentswitch.HistoryQuery) (out agentswitch.HistoryAnswer, err error) {
	var before time.Time
	if q.Before != nil {
		if before = *q.Before; before.IsZero() {
			// To the log the zero time means no bound; nothing was said before the year 1.
			return out, nil
		}
	}
	limit, size := min(q.Limit, maxHistoryEvents), 0
	for e, err := range f.node.HistoryOf(room).Back(ctx, before) {
		if err != nil {
			return agentswitch.HistoryAnswer{}, err
		}
		if q.Since != nil && e.At.Before(*q.Since) {
			break
		}
		event, ok := historyEvent(e)
		if !ok {
			continue
		}
		if len(out.Events) == limit || size > maxHistoryBytes {
			out.HasMore = true
			break
		}
		out.Events = append(out.Events, event)
		size += len(event.Body)
	}
	slices.Reverse(out.Events)
	return out, nil
}

// historyEvent shows an event that a stream shows as a message. Arrivals are none: without a kind they would look as if
// the one who arrived had said them.
func historyEvent(e *core.Entry) (agentswitch.HistoryEvent, bool) {
	shown, _ := relevance(e, "")
	if !shown {
		return agentswitch.HistoryEvent{}, false
	}
	m, ok := payload(e, false).(agentswitch.Message)
	if !ok {
		return agentswitch.HistoryEvent{}, false
	}
	return agentswitch.HistoryEvent{Sender: m.Sender, SenderName: m.SenderName, Body: m.Body, Timestamp: &m.Timestamp}, true
}
