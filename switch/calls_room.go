package agentswitch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// roomPath returns the path of a route below a room, seen by the agent.
func roomPath(roomID, route string) string { return "/rooms/" + url.PathEscape(roomID) + route }

// PostNotice posts a message without a connection, as supervisors do.
func (c *Client) PostNotice(ctx context.Context, req MessageRequest) (MessageAnswer, error) {
	var answer MessageAnswer
	err := c.post(ctx, "message", "/message", req, &answer)
	return answer, err
}

// Typing tells a room whether the agent is about to speak. It waits at most
// BeatTimeout.
func (c *Client) Typing(ctx context.Context, req TypingRequest) error {
	return c.postSoon(ctx, "typing", "/typing", req, nil)
}

// ReportStatus tells a room how the agent is.
func (c *Client) ReportStatus(ctx context.Context, req StatusReport) error {
	return c.post(ctx, "status", "/status", req, nil)
}

// ReportRuntimeState tells a room what the agent's session is at.
func (c *Client) ReportRuntimeState(ctx context.Context, req RuntimeState) error {
	return c.post(ctx, "runtime state", "/runtime-state", req, nil)
}

// ReportEvents tells what tools and models the agent called.
func (c *Client) ReportEvents(ctx context.Context, req EventReport) error {
	return c.post(ctx, "report events", "/events/report", req, nil)
}

// History returns the newest messages of a room within bounds, oldest first. A
// Limit of 0 means DefaultReadLimit.
func (c *Client) History(ctx context.Context, roomID string, q HistoryQuery) (HistoryAnswer, error) {
	var answer HistoryAnswer
	err := c.get(ctx, "history", withQuery(roomPath(roomID, "/history"), q.values()), &answer)
	return answer, err
}

func (q HistoryQuery) values() url.Values {
	values := url.Values{}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Since != nil {
		values.Set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	if q.Before != nil {
		values.Set("before", q.Before.UTC().Format(time.RFC3339Nano))
	}
	return values
}

// Participants returns who is in a room. In contrast to ListParticipants it
// needs no connection.
func (c *Client) Participants(ctx context.Context, roomID string) (ParticipantsAnswer, error) {
	var answer ParticipantsAnswer
	err := c.do(ctx, request{
		op: "participants", method: http.MethodGet, path: "/agents" + roomPath(roomID, "/participants"), token: c.opts.APIKey, result: &answer,
	})
	return answer, err
}

// PollEvents waits for the agent's next events, as clients did before there
// were streams. The server keeps the place, and delivers at most once. It
// returns none when none came for the timeout; 0 asks without waiting.
func (c *Client) PollEvents(ctx context.Context, timeout time.Duration) ([]Event, error) {
	return c.poll(ctx, "poll events", "/events", timeout)
}

// PollNotifications is PollEvents for what passes FilterAddressed, with a
// place of its own.
func (c *Client) PollNotifications(ctx context.Context, timeout time.Duration) ([]Event, error) {
	return c.poll(ctx, "poll notifications", "/notifications", timeout)
}

// PollRoom is PollEvents for one room, with a place of its own.
func (c *Client) PollRoom(ctx context.Context, roomID string, timeout time.Duration) ([]Event, error) {
	return c.poll(ctx, "poll room", roomPath(roomID, "/events"), timeout)
}

func (c *Client) poll(ctx context.Context, op, route string, timeout time.Duration) ([]Event, error) {
	seconds := strconv.FormatFloat(max(timeout, 0).Seconds(), 'f', -1, 64)
	var answer PollAnswer
	err := c.get(ctx, op, withQuery(route, url.Values{"timeout": {seconds}}), &answer)
	return answer.Events, err
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
