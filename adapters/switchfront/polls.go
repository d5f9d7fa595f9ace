package switchfront

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// Bounds of the long polls.
const (
	// maxPollWait is the longest wait. A client that asks for more is answered earlier that there is nothing, and asks again.
	maxPollWait = time.Minute
	// maxPolls is how many polls of one agent wait at once.
	maxPolls = agentswitch.MaxConnectionsPerAgent
	// pollBatch and pollBytes bound what one answer holds; the rest is for the next poll.
	pollBatch = agentswitch.CatchUpBatch
	pollBytes = 1 << 20
	// pollSkip is how many positions a poll that finds nothing passes over before it remembers where it is.
	pollSkip core.Position = 1000
)

// poller is a kind of long poll. Each has a cursor of its own, so that pollers of different kinds see the same events.
type poller struct {
	// name is stored and never changes.
	name string
	// room, if set, is the one room that is followed.
	room string
	// notifying: only what notifies is handed out.
	notifying bool
}

// pollEvents answers GET …/events to clients that do not ask for a stream. It also tells that the agent is there.
func (f *Front) pollEvents(c echo.Context, agent string) error {
	f.node.NoteAnywhere(agent)
	return f.poll(c, agent, poller{name: "events"})
}

// pollNotifications answers GET …/notifications.
func (f *Front) pollNotifications(c echo.Context) error {
	agent, err := actingAgent(c.Request().Context(), c.Param(paramAgent))
	if err != nil {
		return err
	}
	return f.poll(c, agent, poller{name: "notifications", notifying: true})
}

// pollRoom answers GET …/rooms/{room_id}/events.
func (f *Front) pollRoom(c echo.Context) error {
	agent, err := actingAgent(c.Request().Context(), c.Param(paramAgent))
	if err != nil {
		return err
	}
	room := c.Param(paramRoom)
	if err := f.checkMember(agent, room); err != nil {
		return err
	}
	return f.poll(c, agent, poller{name: "room:" + room, room: room})
}

// poll answers with the events behind the poller's cursor, or with 204 when none came in time. The cursor is durable
// before the answer is sent: what a client does not receive is lost to its poller, and nothing is handed out twice.
func (f *Front) poll(c echo.Context, agent string, p poller) error {
	req, err := agentswitch.ParsePollQuery(c.QueryParams())
	if err != nil {
		return err
	}
	if f.draining() {
		return core.ErrDraining
	}
	if !f.polls.enter(agent) {
		return agentswitch.Refuse(http.StatusConflict, "This agent already waits with %d requests for events", maxPolls)
	}
	defer f.polls.leave(agent)
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	timer := time.NewTimer(min(req.Timeout, maxPollWait))
	defer timer.Stop()
	reader := f.pollReader(agent, p)
	defer reader.Close()
	for {
		from := f.node.PollerAt(agent, p.name)
		dropped, err := f.node.Retained(ctx, agent, from)
		if err != nil {
			return err
		}
		reader.Seek(max(from, dropped))
		events, err := f.awaitEvents(ctx, reader, agent, p, timer)
		if err != nil {
			return err
		}
		if !f.node.KeyStands(credentialOf(ctx)) {
			return agentswitch.InvalidCredentials()
		}
		at := reader.Cursor()
		if len(events) > 0 || at >= from+pollSkip {
			err = f.node.MovePoller(ctx, agent, p.name, from, at)
		}
		faster := errors.Is(err, core.ErrPollerMoved)
		switch {
		case err != nil && !faster:
			return err
		case len(events) == 0:
			write(c.Response(), http.StatusNoContent, "", nil)
			return nil
		case !faster:
			return answer(c, agentswitch.PollAnswer{Events: events})
		}
	}
}

func (f *Front) pollReader(agent string, p poller) *core.Reader {
	if p.room != "" {
		return f.node.NewMemberReader(agent, p.room, 0)
	}
	return f.node.NewAgentReader(agent, 0)
}

// awaitEvents returns what the reader brings that is for the poller, and leaves the reader's cursor behind it. It returns
// nothing when the time is up, or the front or the node ends.
func (f *Front) awaitEvents(
	ctx context.Context, reader *core.Reader, agent string, p poller, timer *time.Timer,
) ([]agentswitch.Event, error) {
	var entries []*core.Entry
	var err error
	for {
		if entries, err = reader.Read(ctx, pollBatch, entries[:0]); err != nil {
			return nil, err
		}
		if events := f.polled(reader, entries, agent, p); len(events) > 0 {
			return events, nil
		}
		if len(entries) > 0 && reader.Cursor() < f.node.Applied() {
			continue
		}
		select {
		case <-reader.Wake():
		case <-timer.C:
			return nil, nil
		case <-f.drained:
			return nil, nil
		case <-f.node.Done():
			return nil, core.ErrDraining
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// polled picks the entries that are for the poller, up to the bounds of an answer; the reader goes back to the last one of
// them when there are more.
func (f *Front) polled(reader *core.Reader, entries []*core.Entry, agent string, p poller) (events []agentswitch.Event) {
	size := 0
	for _, e := range entries {
		shown, notifies := relevance(e, agent)
		if !shown || p.notifying && !notifies {
			continue
		}
		events = append(events, f.frames.event(e, notifies))
		size += len(e.Body) + len(e.Content)
		if len(events) == pollBatch || size > pollBytes {
			reader.Seek(e.Position)
			break
		}
	}
	return events
}

// pollCount counts the polls that wait, by agent.
type pollCount struct {
	mu      sync.Mutex
	byAgent map[string]int
}

// enter counts a poll in; false: the agent has as many as it may.
func (p *pollCount) enter(agent string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byAgent[agent] >= maxPolls {
		return false
	}
	p.byAgent[agent]++
	return true
}

func (p *pollCount) leave(agent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byAgent[agent]--; p.byAgent[agent] == 0 {
		delete(p.byAgent, agent)
	}
}
