package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdmin(t *testing.T) {
	t.Parallel()
	s := own(t, append(unlimited(), "--areyouai-agent-rate=2", "--areyouai-admin-token", adminToken)...)
	page := func(t *testing.T, name string) answer {
		t.Helper()
		return s.do(t, "GET", "/v1/admin/"+name, adminToken, nil)
	}
	t.Run("order", func(t *testing.T) {
		shows(t, "3.19-order", "14-27", "2-admin-token", "1.4-suffix")
		s.do(t, "POST", "/v1/admin/overview/more", "", nil).refused("not_found")
		s.do(t, "POST", "/v1/admin/overview?admin_token=x", "", nil).refused("method_not_allowed")
		for _, path := range []string{"overview", "nothing"} {
			for _, o := range []object{
				s.do(t, "GET", "/v1/admin/"+path+"?admin_token=x", "", nil, "X-Admin-Token: "+adminToken).refused("invalid_request"),
				s.do(t, "GET", "/v1/admin/"+path+"?admin_token="+adminToken, adminToken, nil).refused("invalid_request"),
			} {
				require.NotEmpty(t, o["hint"])
			}
			for _, token := range []string{"", "x", adminToken + "x", adminToken[1:], s.agent(t).session} {
				s.do(t, "GET", "/v1/admin/"+path, token, nil).refused("unauthorized")
			}
		}
		page(t, "nothing").refused("not_found")
	})
	r, open := s.room(t), s.agent(t).lists(t, nil)
	t.Run("pages", func(t *testing.T) {
		shows(t, "3.19-overview", "3.19-rooms", "3.0-29")
		r.say(t, "one")
		closed := s.room(t)
		closed.close(t, closed.a)
		o := page(t, "overview").has(200, "agents_total int, sessions_active int, rooms_open int, rooms_active int, rooms_closed int, rooms_purged int, "+
			"messages_total int, purge object, generated_at_utc string")
		require.Equal(t, []any{1.0, 1.0, 1.0, 0.0, 1.0}, []any{o["rooms_open"], o["rooms_active"], o["rooms_closed"], o["rooms_purged"], o["messages_total"]})
		require.Equal(t, o["agents_total"], o["sessions_active"])
		purge := shape(t, o["purge"], "scanned int, closed_rooms int, ready_for_purge int, viewer_blocked int, over_retention int, "+
			"oldest_closed_age_seconds int, oldest_ready_age_seconds int, closed_room_grace_seconds int, max_closed_retention_seconds int")
		require.Equal(t, []any{1.0, 0.0, 86400.0, 172800.0},
			[]any{purge["closed_rooms"], purge["ready_for_purge"], purge["closed_room_grace_seconds"], purge["max_closed_retention_seconds"]})
		instant(t, o["generated_at_utc"])
		items := list(t, page(t, "rooms").has(200, "items list"), "items")
		require.Equal(t, anys(closed.id, open.id, r.id), column(t, items, "id"))
		const fields = "id string, agent_a_id string, agent_a_name string, agent_b_id string, agent_b_name string, state string, turn_index int, " +
			"max_turns int, ttl_at string, created_at string"
		shape(t, items[0], fields+", closed_at string")
		shape(t, items[1], fields)
		last := shape(t, items[2], fields)
		require.Equal(t, []any{r.a.name, r.b.name, "ACTIVE", 1.0}, []any{last["agent_a_name"], last["agent_b_name"], last["state"], last["turn_index"]})
	})
	t.Run("audit", func(t *testing.T) {
		shows(t, "3.19-audit", "3.19-events", "3.0-29")
		q := s.room(t)
		st := q.opens(t, q.a, "")
		st.next(t)
		st.close()
		bad := q.speech(t, q.a, "rm -rf x")
		q.a.post(t, q.path("/messages"), bad).refused("policy_blocked")
		q.a.post(t, q.path("/messages"), object{"expected_turn": 0, "ciphertext": "x", "bundle_hash": "0"}).refused("stale_bundle_hash")
		for range 4 {
			q.say(t, "the secret word")
		}
		q.a.post(t, q.path("/messages"), q.speech(t, q.a, "x")).refused("rate_limited")
		var items []any
		seen := func() map[string]bool {
			raw := page(t, "audit").is(200)
			require.NotContains(t, raw.body, "secret word")
			items = list(t, shape(t, raw.object(), "items list"), "items")
			out := map[string]bool{}
			for _, e := range items {
				if at(t, e, "room_id") == q.id {
					out[text(t, e, "event")] = true
				}
			}
			return out
		}
		for _, want := range []string{
			"stream_opened", "stream_closed", "message_policy_blocked", "bundle_hash_mismatch", "message_persisted", "message_rate_limited", "prompt_bundle_generated",
		} {
			waitFor(t, want, func() bool { return seen()[want] })
		}
		last := instant(t, at(t, items, 0, "created_at"))
		for _, e := range items {
			o := shape(t, e, "id any, room_id string, event string, meta string, message_count int, created_at string")
			require.IsType(t, object{}, parse(t, o["meta"].(string)))
			at := instant(t, o["created_at"])
			require.False(t, at.After(last), "newest first")
			last = at
		}
	})
}

func TestTexts(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("markdown", func(t *testing.T) {
		shows(t, "3.20-markdown", "3.0-4")
		for _, path := range []string{"/skill.md", "/nodejs_loop.md", "/python_loop.md"} {
			a := s.do(t, "GET", path, "", nil).is(200)
			require.Equal(t, "text/markdown; charset=utf-8", a.header.Get("Content-Type"))
			require.Equal(t, "public, max-age=300", a.header.Get("Cache-Control"))
			require.Contains(t, a.body, s.url)
			require.NotContains(t, a.body, "{{")
			head := s.do(t, "HEAD", path, "", nil).is(200)
			require.Equal(t, a.header.Get("Content-Type"), head.header.Get("Content-Type"))
		}
		skill := s.do(t, "GET", "/skill.md", "", nil).body
		for _, must := range []string{
			"/v1/agent/register", "/v1/agent/login", "/v1/listings", "/connect", "/context", "/messages", "expected_turn", "bundle_hash",
			"turn_mismatch", "stale_bundle_hash", "room_not_active",
		} {
			require.Contains(t, skill, must)
		}
	})
	t.Run("constants", func(t *testing.T) {
		shows(t, "3.20-mode", "3.0-1", "3.0-2", "13-28")
		s.do(t, "GET", "/v1/mode", "", nil).is(200).exactly(`{"mode":"sse","poll_interval_ms":5000}` + "\n")
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			s.do(t, method, "/healthz", "", nil).is(200).exactly(`{"status":"ok"}` + "\n")
		}
	})
	t.Run("state machine", func(t *testing.T) {
		shows(t, "3.20-machine", "3.0-30", "5-forbidden", "1.3-conflict")
		states := []string{"OPEN", "ACTIVE", "CLOSED", "PURGED"}
		allowed := map[string]bool{"OPEN ACTIVE": true, "OPEN CLOSED": true, "ACTIVE CLOSED": true, "CLOSED PURGED": true}
		for _, current := range states {
			for _, next := range states {
				a := s.do(t, "POST", "/v1/rooms/state-machine", "", object{"current": current, "next": next})
				if allowed[current+" "+next] {
					a.is(200).exactly(`{"result":"ok"}` + "\n")
					continue
				}
				a.refused("conflict")
			}
		}
		s.do(t, "POST", "/v1/rooms/state-machine", "", "[").refused("invalid_request")
	})
}
