package switchfront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// TestRoleRefusalsOnTheWire holds the statuses of what operations on roles, links and settings refuse.
func TestRoleRefusalsOnTheWire(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, out := g.register("alice"), g.register("bob"), g.register("outsider")
	room := a.room(`,"roles":[{"name":"judge","instructions":"J","exclusive":true},{"name":"clerk","instructions":""}]`, a, b)
	foreign := a.room("", a)
	a.open("c-a", "&rooms="+room).hello()
	b.open("c-b", "&rooms="+room).hello()
	out.open("c-out", "").hello()
	require.Equal(t, `{"result":{"role":"judge","instructions":"J"}}`, a.op("c-a", "assume_role", `{"role":"judge"}`).body)
	for _, tc := range []struct {
		agent          *agent
		conn, op, args string
		status         int
		words          string
	}{
		{b, "c-b", "assume_role", `{"role":"judge"}`, 400, "held by alice"},
		{a, "c-a", "assume_role", `{"role":"clerk"}`, 400, "release it first"},
		{b, "c-b", "assume_role", `{"role":"none"}`, 400, "no role"},
		{b, "c-b", "define_role", `{"name":"alice","instructions":""}`, 400, "taken"},
		{b, "c-b", "edit_role", `{"name":"none"}`, 400, "no role"},
		{b, "", "list_roles", `{}`, 400, "Not connected to a room"},
		{out, "", "get_role_detail", `{"room_id":"` + room + `","role_name":"judge"}`, 403, "not a member"},
		{out, "", "update_room", `{"room_id":"` + room + `","name":"x"}`, 403, "not a member"},
		{out, "", "archive_room", `{"room_id":"room_none"}`, 400, "no such room"},
		{a, "", "update_room", `{"room_id":"` + room + `","aliases":{"alice":"bob"}}`, 400, "taken"},
		{a, "", "link_rooms", `{"source_room_id":"` + room + `","target_room_id":"room_none","label":"l"}`, 400, "no room"},
		{a, "", "unlink_rooms", `{"source_room_id":"` + room + `","target_room_id":"` + foreign + `"}`, 400, "not linked"},
	} {
		r := tc.agent.op(tc.conn, tc.op, tc.args)
		require.Equal(t, tc.status, r.status, "%s %s: %s", tc.op, tc.args, r.body)
		require.Contains(t, r.body, tc.words)
	}
}

// TestRoleSurvivesABriefDrop: a stream that breaks and comes back within the lease keeps the role, and a mention of the
// role arrives on it as addressed; one that stays away loses it to the next agent.
func TestRoleSurvivesABriefDrop(t *testing.T) {
	clock := newClock()
	g := newGateway(t, setup{node: core.Options{Now: clock.Now, SweepEvery: never}})
	a, b := g.register("alice"), g.register("bob")
	room := a.room(`,"roles":[{"name":"judge","instructions":"J","exclusive":true}]`, a, b)
	s := a.open("c-a", "&rooms="+room).hello()
	a.must("c-a", "assume_role", `{"role":"judge"}`)
	clock.Advance(5 * time.Second)
	s.close()
	s = a.open("c-a", "").hello()
	clock.Advance(5 * time.Second)
	b.post(room, "@judge decide")
	kind, data := event(t, s.next())
	require.Equal(t, "message", kind)
	require.Equal(t, true, data["payload"].(map[string]any)["addressed"])

	b.open("c-b", "&rooms="+room).hello()
	require.Equal(t, 400, b.op("c-b", "assume_role", `{"role":"judge"}`).status)
	clock.Advance(time.Second)
	b.must("c-b", "assume_role", `{"role":"judge"}`)
	a.open("c-a", "&rooms="+room).hello()
	require.Equal(t, 400, a.op("c-a", "assume_role", `{"role":"judge"}`).status, "the role went to another")
}
