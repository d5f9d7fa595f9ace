package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func (a *agent) history(room, query string) reply {
	a.g.t.Helper()
	return a.g.do("GET", a.path("/rooms/"+room+"/history"+query), a.key, "")
}

// TestHistory: flat, oldest first, since inclusive, before exclusive, and no more promised than there is.
func TestHistory(t *testing.T) {
	c := newClock()
	g := newGateway(t, setup{node: core.Options{Now: c.Now}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	require.Equal(t, `{"events":[],"has_more":false}`, a.history(room, "").body, "arrivals are nothing said")
	require.Equal(t, `{"events":[],"has_more":false}`, a.history(room, "?limit=0").body)
	row := func(from *agent, text string) string {
		return fmt.Sprintf(`{"sender":%q,"sender_name":%q,"body":%q,"timestamp":%d}`, from.id, from.name, text, c.Now().UnixMilli())
	}
	var rows []string
	root, _ := a.post(room, "one <&>")
	rows = append(rows, row(a, "one <&>"))
	c.Advance(time.Second)
	_, _, err := g.node.PostMessage(context.Background(), room, core.PostMessage{Sender: b.id, Text: "two", Thread: root}, nil)
	require.NoError(t, err)
	rows = append(rows, row(b, "two"))
	c.Advance(time.Second)
	a.post(room, "three")
	rows = append(rows, row(a, "three"))
	page := func(more bool, rows ...string) string {
		return fmt.Sprintf(`{"events":[%s],"has_more":%v}`, strings.Join(rows, ","), more)
	}
	for query, want := range map[string]string{
		"":                                 page(false, rows...),
		"?limit=3":                         page(false, rows...),
		"?limit=2":                         page(true, rows[1:]...),
		"?limit=0":                         page(true),
		"?limit=-5":                        page(true),
		"?limit=1000000":                   page(false, rows...),
		"?since=2026-01-02T03:04:06.678Z":  page(false, rows[1:]...),
		"?since=2026-01-02T03:04:06.679":   page(false, rows[2:]...),
		"?before=2026-01-02T03:04:06.678Z": page(false, rows[:1]...),
		"?before=2026-01-02T03:04:07.678Z&limit=1":                       page(true, rows[1]),
		"?since=2026-01-02T03:04:06Z&before=2026-01-02T05:04:07%2B02:00": page(false, rows[1]),
		"?since=2026-01-02T03:04:06Z&limit=2":                            page(false, rows[1:]...),
		"?since=2026-01-03":                                              page(false),
		"?before=2026-01-02":                                             page(false),
		"?before=0001-01-01":                                             page(false),
		"?since=0001-01-01":                                              page(false, rows...),
		"?since=&before=&unknown=x":                                      page(false, rows...),
	} {
		r := b.history(room, query)
		require.Equal(t, 200, r.status, "%s: %s", query, r.body)
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Equal(t, want, r.body, query)
	}
	_, _, err = g.node.CloseRoom(context.Background(), room, core.CloseRoom{Actor: a.id}, nil)
	require.NoError(t, err)
	require.Equal(t, page(true, fmt.Sprintf(`{"sender":"system","sender_name":"system","body":"The room is closed (a member closed it).","timestamp":%d}`,
		c.Now().UnixMilli())), a.history(room, "?limit=1").body)
}

// TestHistoryIsBounded: an answer that would be too long is a page, and the next one goes on where it began.
func TestHistoryIsBounded(t *testing.T) {
	c := newClock()
	g := newGateway(t, setup{node: core.Options{Now: c.Now}})
	a := g.register("alice")
	room := a.room("", a)
	const messages = 48
	for i := range messages {
		c.Advance(time.Second)
		a.post(room, fmt.Sprintf("%02d", i)+strings.Repeat("x", core.MaxMessageBytes-2))
	}
	next := messages
	for query := "?limit=1000"; ; {
		r := a.history(room, query)
		require.Equal(t, 200, r.status)
		require.Less(t, len(r.body), 10<<20)
		var page struct {
			Events []struct {
				Body      string `json:"body"`
				Timestamp int64  `json:"timestamp"`
			} `json:"events"`
			HasMore bool `json:"has_more"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.body), &page))
		require.NotEmpty(t, page.Events)
		next -= len(page.Events)
		for i, e := range page.Events {
			require.Equal(t, fmt.Sprintf("%02d", next+i), e.Body[:2])
		}
		require.Equal(t, next > 0, page.HasMore)
		if !page.HasMore {
			break
		}
		query = "?limit=1000&before=" + time.UnixMilli(page.Events[0].Timestamp).UTC().Format(time.RFC3339Nano)
	}
	require.Zero(t, next)
}

func TestHistoryRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign := a.room("", a), b.room("", b)
	const limit = `{"detail":[{"type":"int_parsing","loc":["query","limit"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"%s"}]}`
	const bound = `{"detail":"%s must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"}`
	for _, tc := range []struct {
		room, query string
		status      int
		want        string
	}{
		{"room_x", "", 404, `{"detail":"no such room"}`},
		{"..%2f..", "", 404, `{"detail":"no such room"}`},
		{foreign, "", 403, `{"detail":"not a member of this room"}`},
		{room, "?limit=x", 422, fmt.Sprintf(limit, "x")},
		{room, "?limit=", 422, fmt.Sprintf(limit, "")},
		{room, "?limit=1.5", 422, fmt.Sprintf(limit, "1.5")},
		{room, "?limit=99999999999999999999", 422, fmt.Sprintf(limit, "99999999999999999999")},
		{room, "?since=yesterday", 400, fmt.Sprintf(bound, "since")},
		{room, "?since=1767323045678", 400, fmt.Sprintf(bound, "since")},
		{room, "?before=2026-13-01", 400, fmt.Sprintf(bound, "before")},
		{room, "?before=%00", 400, fmt.Sprintf(bound, "before")},
		{room, "?before=2026-01-02T03:04:05+00:00", 400, fmt.Sprintf(bound, "before")},
		{room, "?since=" + strings.Repeat("9", 5000), 400, fmt.Sprintf(bound, "since")},
	} {
		before := g.node.Applied()
		r := a.history(tc.room, tc.query)
		require.Equal(t, tc.status, r.status, "%s: %s", tc.query, r.body)
		require.Equal(t, tc.want, r.body, tc.query)
		requireDetail(t, r)
		require.Equal(t, before, g.node.Applied())
	}
}

// TestParticipants: members only see it, in the order in which they came, with their presence in that room.
func TestParticipants(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, stranger := g.register("alice"), g.register("bob"), g.register("stranger")
	room := a.room("", a, b)
	b.open("c-b", "&rooms="+room).hello()
	get := func(who *agent, room string) reply {
		return g.do("GET", "/agents/rooms/"+room+"/participants", who.key, "")
	}
	status := func(who *agent) string { return string(g.node.Presence(who.id, room)) }
	require.Equal(t, "live", status(b))
	require.NotEqual(t, "live", status(a))
	for _, who := range []*agent{a, b} {
		r := get(who, room)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Equal(t, fmt.Sprintf(`{"participants":[{"type":"agent","agent_id":%q,"name":"alice","status":%q},`+
			`{"type":"agent","agent_id":%q,"name":"bob","status":"live"}]}`, a.id, status(a), b.id), r.body)
	}
	for who, id := range map[*agent]string{a: "room_x", b: "%00", stranger: room} {
		before := g.node.Applied()
		r := get(who, id)
		require.Equal(t, 404, r.status)
		require.Equal(t, `{"detail":"no such room"}`, r.body)
		requireDetail(t, r)
		require.Equal(t, before, g.node.Applied())
	}
}
