package areyouaifront_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

const adminToken = "open sesame"

// TestAdminOrderOfChecks walks down the checks of the pages for operators.
func TestAdminOrderOfChecks(t *testing.T) {
	closed := newGate(t, areyouaifront.Options{})
	open := newGate(t, areyouaifront.Options{AdminToken: adminToken})
	session := open.person("p").token
	for _, tc := range []struct {
		name   string
		gate   *gate
		ask    ask
		status int
		code   string
	}{
		{"path shape", closed, ask{method: "PUT", path: "/v1/admin/overview/x"}, 404, "not_found"},
		{"no page", closed, ask{method: "GET", path: "/v1/admin/"}, 404, "not_found"},
		{"method", closed, ask{method: "POST", path: "/v1/admin/overview"}, 405, "method_not_allowed"},
		{"method of an unknown page", closed, ask{method: "POST", path: "/v1/admin/nothing"}, 405, "method_not_allowed"},
		{"no token configured", closed, ask{method: "GET", path: "/v1/admin/overview?admin_token=x", header: map[string]string{"X-Admin-Token": "x"}}, 503, "admin_not_configured"},
		{"none configured, empty one given", closed, ask{method: "GET", path: "/v1/admin/overview", header: map[string]string{"Authorization": "Bearer "}}, 503, "admin_not_configured"},
		{"header", open, ask{method: "GET", path: "/v1/admin/overview?admin_token=x", token: adminToken, header: map[string]string{"X-Admin-Token": adminToken}}, 400, "invalid_request"},
		{"query", open, ask{method: "GET", path: "/v1/admin/overview?admin_token=" + "open", token: "wrong"}, 400, "invalid_request"},
		{"no bearer", open, ask{method: "GET", path: "/v1/admin/overview"}, 401, "unauthorized"},
		{"wrong bearer", open, ask{method: "GET", path: "/v1/admin/overview", token: adminToken + "x"}, 401, "unauthorized"},
		{"a session", open, ask{method: "GET", path: "/v1/admin/overview", token: session}, 401, "unauthorized"},
		{"unknown page without a bearer", open, ask{method: "GET", path: "/v1/admin/nothing"}, 401, "unauthorized"},
		{"unknown page", open, ask{method: "GET", path: "/v1/admin/nothing", token: adminToken}, 404, "not_found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.gate.do(tc.ask)
			require.Equal(t, tc.status, got.status, got.body)
			require.Equal(t, tc.code, got.code())
			if tc.status == 400 {
				require.Contains(t, got.body, "Authorization: Bearer")
			}
		})
	}
	require.Equal(t, 200, open.get("/v1/admin/overview/", adminToken).status)
}

func TestAdminOverview(t *testing.T) {
	g := newGate(t, areyouaifront.Options{AdminToken: adminToken})
	r := g.room()
	r.talk(3)
	closed := g.room()
	closed.talk(1)
	require.Equal(t, 200, g.post(closed.path("/close"), closed.a.token, "").status)
	g.listing(r.a, `{"topic":"t"}`)
	g.clock.Advance(time.Minute)
	got := as[areyouai.AdminOverview](g, 200, g.get("/v1/admin/overview", adminToken))
	purge := got.Purge
	got.Purge = areyouai.AdminPurge{}
	require.Equal(t, areyouai.AdminOverview{
		AgentsTotal: 4, SessionsActive: 4, RoomsOpen: 1, RoomsActive: 1, RoomsClosed: 1, MessagesTotal: 4,
		GeneratedAt: areyouai.NewTime(g.clock.Now()),
	}, got)
	require.EqualValues(t, 1, purge.ClosedRooms)
	require.EqualValues(t, 60, purge.OldestClosedAgeSeconds)
	require.EqualValues(t, 0, purge.ReadyForPurge)
	require.Positive(t, purge.ClosedRoomGraceSeconds)
	g.clock.Advance(areyouai.SessionTTL)
	require.Zero(t, as[areyouai.AdminOverview](g, 200, g.get("/v1/admin/overview", adminToken)).SessionsActive)
}

// TestAdminRooms lists the newest first, and no more than the page holds.
func TestAdminRooms(t *testing.T) {
	g := newGate(t, areyouaifront.Options{AdminToken: adminToken, Limits: &areyouaifront.Limits{}})
	require.Equal(t, `{"items":[]}`+"\n", g.get("/v1/admin/rooms", adminToken).body)
	r := g.roomOf(`{"topic":"tea","max_turns":7}`)
	r.talk(2)
	require.Equal(t, 200, g.post(r.path("/close"), r.a.token, "").status)
	g.clock.Advance(time.Second)
	open := g.openRoom(r.a)
	items := as[areyouai.AdminRoomsReply](g, 200, g.get("/v1/admin/rooms", adminToken)).Items
	require.Len(t, items, 2)
	require.Equal(t, open.id, items[0].ID)
	require.Nil(t, items[0].ClosedAt)
	got := items[1]
	require.NotNil(t, got.ClosedAt)
	require.Equal(t, []any{r.id, r.a.id, "Ada", r.b.id, "Bob", areyouai.StateClosed, int64(2), int64(7)}, []any{
		got.ID, got.AgentAID, got.AgentAName, got.AgentBID, got.AgentBName, got.State, got.TurnIndex, got.MaxTurns,
	})
	require.Equal(t, g.clock.Now().Add(15*time.Minute-time.Second), got.TTLAt.UTC())

	var last string
	for range areyouai.MaxAdminRooms + 5 {
		g.clock.Advance(time.Second)
		last = g.listing(r.a, `{"topic":"t"}`).RoomID
	}
	items = as[areyouai.AdminRoomsReply](g, 200, g.get("/v1/admin/rooms", adminToken)).Items
	require.Len(t, items, areyouai.MaxAdminRooms)
	require.Equal(t, last, items[0].ID)
}

// TestAudit does what is audited, once each.
func TestAudit(t *testing.T) {
	g := newGate(t, areyouaifront.Options{AdminToken: adminToken, Limits: &areyouaifront.Limits{
		MessagesPerAgent: 2, AccountsPerIP: 4, OpenStreams: 5,
	}})
	require.Equal(t, `{"items":[]}`+"\n", g.get("/v1/admin/audit", adminToken).body)
	r := g.room()
	require.Equal(t, 429, g.post("/v1/agent/login", "", "{}").status)
	s := g.openStream(r.path("/events"), r.a.token, nil)
	s.close()
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 0 }, patience, time.Millisecond)
	require.Equal(t, 409, r.post(r.a, r.message(r.a, "x", staleOnly)).status)
	require.Equal(t, 403, r.post(r.a, r.message(r.a, "rm -rf")).status)
	r.talk(4)
	require.Equal(t, 429, r.post(r.a, r.message(r.a, "x")).status)
	require.Equal(t, 401, r.post(person{}, "").status, "nothing that is listed")

	count := map[areyouai.AuditEvent]int{}
	var items []areyouai.AuditEntry
	require.Eventually(t, func() bool {
		items = as[areyouai.AdminAuditReply](g, 200, g.get("/v1/admin/audit", adminToken)).Items
		clear(count)
		for _, e := range items {
			count[e.Event]++
		}
		return count[areyouai.AuditStreamClosed] == 1
	}, patience, 10*time.Millisecond)
	require.Equal(t, map[areyouai.AuditEvent]int{
		areyouai.AuditIPRateLimited: 1, areyouai.AuditStreamOpened: 1, areyouai.AuditStreamClosed: 1,
		areyouai.AuditBundleHashMismatch: 1, areyouai.AuditMessagePolicyBlocked: 1, areyouai.AuditMessagePersisted: 4,
		areyouai.AuditPromptBundleGenerated: 7, areyouai.AuditMessageRateLimited: 1,
	}, count)
	require.Equal(t, areyouai.AuditEntry{
		ID: int64(len(items)), RoomID: r.id, Event: areyouai.AuditMessageRateLimited, MessageCount: 4,
		Meta: `{"route":"/v1/rooms/{id}/messages"}`, CreatedAt: areyouai.NewTime(g.clock.Now()),
	}, items[0])
	first := items[len(items)-1]
	require.Equal(t, areyouai.AuditIPRateLimited, first.Event)
	require.JSONEq(t, `{"ip":"127.0.0.1","route":"/v1/agent/login"}`, first.Meta)
}

// TestAuditIsBounded: the newest stay, the room of an entry is cut, and no secret gets in.
func TestAuditIsBounded(t *testing.T) {
	g := newGate(t, areyouaifront.Options{AdminToken: adminToken, Limits: &areyouaifront.Limits{PostsPerIP: 1}})
	for i := range areyouai.MaxAdminAudit + 10 {
		g.do(ask{method: http.MethodPost, path: fmt.Sprintf("/v1/rooms/%0100d/messages", i), token: "as_secret", body: `{"x":"as_secret"}`})
	}
	reply := g.get("/v1/admin/audit", adminToken)
	require.NotContains(t, reply.body, "secret")
	items := as[areyouai.AdminAuditReply](g, 200, reply).Items
	require.Len(t, items, areyouai.MaxAdminAudit)
	require.Len(t, items[0].RoomID, 64)
	for i := range items[1:] {
		require.Equal(t, items[i].ID-1, items[i+1].ID)
	}
}

// TestDroppedStreamsAreAudited: a reader that takes nothing loses its stream, and an operator sees it.
func TestDroppedStreamsAreAudited(t *testing.T) {
	o := unlimited()
	o.AdminToken, o.ProgressTimeout = adminToken, 200*time.Millisecond
	g := newGate(t, o)
	r := g.roomOf(`{"topic":"t","max_turns":1000000}`)
	for turn := range 600 {
		cmd := core.PostMessage{Sender: []string{r.a.id, r.b.id}[turn%2], Text: strings.Repeat("x", 8000)}
		_, _, err := g.node.PostMessage(context.Background(), r.id, cmd, nil)
		require.NoError(t, err)
	}
	defer g.openSilent(r, r.a).Close()
	require.Eventually(t, func() bool {
		items := as[areyouai.AdminAuditReply](g, 200, g.get("/v1/admin/audit", adminToken)).Items
		return slices.ContainsFunc(items, func(e areyouai.AuditEntry) bool {
			return e.Event == areyouai.AuditStreamDropped && e.RoomID == r.id
		})
	}, patience, 10*time.Millisecond)
}
