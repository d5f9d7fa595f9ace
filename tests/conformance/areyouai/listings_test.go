package conformance

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func TestListings(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	create := func(t *testing.T, body any) answer {
		t.Helper()
		return a.post(t, "/v1/listings", body)
	}
	const fields = "id string, agent_id string, topic string, tags list, max_turns int, ttl_seconds int, created_at string, connected bool, " +
		"room_id string, human_code string, owner_joined bool, room_state string, next_actor_id string"
	t.Run("reply", func(t *testing.T) {
		shows(t, "3.2-reply", "3.2-tags", "3.2-topic", "3.2-ttl", "3.0-7", "13-21")
		tags := []any{" Two Words ", "", "é"}
		o := create(t, object{"topic": "  Tea?\n", "tags": tags, "max_turns": 7, "ttl_seconds": 60}).has(201, fields)
		for name, want := range (object{
			"agent_id": a.id, "topic": "Tea?", "tags": tags, "max_turns": 7.0, "ttl_seconds": 60.0, "connected": false,
			"owner_joined": true, "room_state": "OPEN", "next_actor_id": a.id,
		}) {
			require.Equal(t, want, o[name], name)
		}
		state := a.get(t, "/v1/rooms/"+o["room_id"].(string)+"/state").is(200).object()
		require.Equal(t, time.Minute, instant(t, state["ttl_at"]).Sub(instant(t, state["created_at"])))
		require.Equal(t, o["created_at"], state["created_at"])
		require.Equal(t, 7.0, state["max_turns"])
	})
	t.Run("defaults", func(t *testing.T) {
		shows(t, "3.2-defaults", "10-max_turns", "10-ttl_seconds", "10-tags")
		for _, body := range []object{{}, {"max_turns": 0, "ttl_seconds": 0, "tags": nil}, {"max_turns": -5, "ttl_seconds": -1, "tags": []any{}}} {
			body["topic"] = "t"
			o := create(t, body).has(201, fields)
			require.Equal(t, []any{20.0, 900.0, []any{}}, []any{o["max_turns"], o["ttl_seconds"], o["tags"]})
		}
	})
	t.Run("bounds", func(t *testing.T) {
		shows(t, "10-topic", "10-tags", "10-max_turns", "10-ttl_seconds")
		create(t, object{"topic": repeat("é", 1024)}).is(201)
		create(t, object{"topic": repeat("é", 1025)}).refused("invalid_request")
		many := []string{}
		for range 64 {
			many = append(many, repeat("é", 128))
		}
		create(t, object{"topic": "t", "tags": many}).is(201)
		create(t, object{"topic": "t", "tags": append(many, "more")}).refused("invalid_request")
		for _, tags := range []any{[]any{repeat("x", 129)}, []any{7}, []any{nil}, "tag", object{}} {
			create(t, object{"topic": "t", "tags": tags}).refused("invalid_request")
		}
		for _, n := range []string{`"max_turns":2147483648`, `"max_turns":1e99`, `"max_turns":"7"`, `"max_turns":1.5`, `"ttl_seconds":9223372036854775807`, `"ttl_seconds":99999999999999999999`} {
			create(t, `{"topic":"t",`+n+`}`).refused("invalid_request")
		}
		create(t, object{"topic": "t", "max_turns": 2147483647}).is(201)
	})
	t.Run("order", func(t *testing.T) {
		shows(t, "3.2-order")
		s.do(t, "PUT", "/v1/listings", "", "[").refused("method_not_allowed")
		s.do(t, "POST", "/v1/listings", "", "[").refused("unauthorized")
		for _, bad := range []any{"", "[", "[]", object{}, object{"topic": " \n"}, object{"topic": 7}} {
			create(t, bad).refused("invalid_request")
		}
	})
	t.Run("events", func(t *testing.T) {
		shows(t, "3.2-events", "5-new", "3.2-code", "6-first")
		r := a.lists(t, nil)
		events := r.history(t, a, 0)
		require.Equal(t, []string{"room.created", "room.joined"}, kinds(events))
		for _, e := range events {
			require.Equal(t, a.id, e["sender_id"])
		}
		b := s.agent(t)
		for _, body := range []string{
			s.do(t, "GET", "/v1/listings/search", "", nil).body, r.a.get(t, r.path("/state")).body, r.a.get(t, r.path("/context")).body,
			b.post(t, "/v1/listings/"+r.listing+"/connect", nil).body, r.a.post(t, r.path("/join"), nil).body, r.transcript(t).is(200).body,
			r.a.get(t, r.path("/events/history")).body,
		} {
			require.NotContains(t, body, r.code)
		}
	})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("match", func(t *testing.T) {
		shows(t, "3.3-match", "3.3-items", "3.3-order", "3.0-8")
		word := unique("Wörd")
		first := a.lists(t, object{"topic": "About " + word + " and more"})
		second := a.lists(t, object{"tags": []string{"x", "TAG-" + word}, "max_turns": 3, "ttl_seconds": 77})
		for _, q := range []string{word, strings.ToLower(word), "  " + strings.ToUpper(word) + " "} {
			hits := s.search(t, q)
			require.Equal(t, []any{second.listing, first.listing}, column(t, hits, "id"), q)
			o := shape(t, hits[0], "id string, agent_id string, topic string, tags list, max_turns int, ttl_seconds int, connected bool, created_at string")
			require.Equal(t, []any{a.id, second.topic, 3.0, 77.0, false}, []any{o["agent_id"], o["topic"], o["max_turns"], o["ttl_seconds"], o["connected"]})
		}
		require.Equal(t, []any{first.listing}, column(t, s.search(t, "about "+word), "id"))
		all := s.do(t, "GET", "/v1/listings/search", "", nil).has(200, "items list")
		require.NotEmpty(t, all["items"])
		require.NotEmpty(t, s.search(t, "  "))
	})
	t.Run("literal", func(t *testing.T) {
		shows(t, "14-8", "13-19")
		word := unique("literal")
		a.lists(t, object{"topic": word + " abc"})
		exact := a.lists(t, object{"topic": word + " a%c_d"})
		require.Equal(t, []any{exact.listing}, column(t, s.search(t, word+" a%c_"), "id"))
		require.Empty(t, s.search(t, word+" a_c"))
		a2 := s.do(t, "GET", "/v1/listings/search?q="+url.QueryEscape(unique("nothing")), "", nil).is(200)
		a2.exactly(`{"items":[]}` + "\n")
		for i := range 120 {
			a.lists(t, object{"topic": fmt.Sprint(word, " many ", i)})
		}
		require.Len(t, s.search(t, word+" many"), 100)
	})
	t.Run("live", func(t *testing.T) {
		shows(t, "3.3-unconnected", "14-8", "13-19")
		open, connected, closed := a.lists(t, nil), a.lists(t, nil), a.lists(t, nil)
		brief := a.lists(t, object{"ttl_seconds": 1})
		connected.connects(t, s.agent(t))
		closed.close(t, a)
		require.True(t, open.found(t, open.topic))
		require.False(t, connected.found(t, connected.topic))
		require.False(t, closed.found(t, closed.topic))
		waitFor(t, "what expired is not found", func() bool { return !brief.found(t, brief.topic) })
	})
}

func TestConnect(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("order", func(t *testing.T) {
		shows(t, "3.4-order", "1.3-listing_not_found", "1.3-listing_already_connected")
		r, b := s.agent(t).lists(t, nil), s.agent(t)
		path := "/v1/listings/" + r.listing + "/connect"
		s.do(t, "GET", path, "", nil).refused("method_not_allowed")
		s.do(t, "POST", "/v1/listings/lst_none/connect", "", nil).refused("unauthorized")
		b.post(t, "/v1/listings/lst_none/connect", nil).refused("listing_not_found")
		r.a.post(t, path, nil).refused("forbidden")
		r.connects(t, b)
		r.a.post(t, path, nil).refused("forbidden")
		b.post(t, path, nil).refused("listing_already_connected")
		s.agent(t).post(t, path, nil).refused("listing_already_connected")
	})
	t.Run("reply", func(t *testing.T) {
		shows(t, "3.4-reply", "3.4-events", "3.4-delivery", "3.4-ttl", "3.0-9", "5-activated", "6-first", "13-6", "8.3-reasons")
		r, b := s.agent(t).lists(t, nil), s.agent(t)
		before := r.state(t)
		st, _ := r.a.stream(t, "")
		o := b.post(t, "/v1/listings/"+r.listing+"/connect", nil).is(201).object()
		require.Equal(t, object{
			"room_id": r.id, "human_code": "", "agent_a_id": r.a.id, "agent_b_id": b.id, "room_state": "ACTIVE",
			"listing_id": r.listing, "next_turn_a": r.a.id, "next_actor_id": r.a.id,
		}, o)
		turn := st.hears(t, "room.turn_ready").body
		require.Equal(t, []any{"room_activated", r.id, 0.0, r.a.id}, []any{turn["reason"], turn["room_id"], turn["next_turn"], turn["next_actor_id"]})
		after := r.state(t)
		require.Equal(t, before["ttl_at"], after["ttl_at"])
		require.Equal(t, []any{b.id, "ACTIVE", 0.0}, []any{after["agent_b_id"], after["state"], after["turn_index"]})
		events := r.history(t, b, 0)
		require.Equal(t, []string{"room.created", "room.joined", "room.joined", "room.state_changed"}, kinds(events))
		require.Equal(t, []any{b.id, b.id}, []any{events[2]["sender_id"], events[3]["sender_id"]})
	})
	t.Run("at once", func(t *testing.T) {
		shows(t, "3.4-once", "16-2", "5-once")
		for range 5 {
			r := s.agent(t).lists(t, nil)
			var all []*agent
			for range 4 {
				all = append(all, s.agent(t))
			}
			got := make([]answer, len(all))
			var group sync.WaitGroup
			for i, b := range all {
				group.Go(func() { got[i] = b.post(t, "/v1/listings/"+r.listing+"/connect", nil) })
			}
			group.Wait()
			won := 0
			for i, a := range got {
				if a.status == 201 {
					won++
					require.Equal(t, all[i].id, r.state(t)["agent_b_id"])
					continue
				}
				a.refused("listing_already_connected")
			}
			require.Equal(t, 1, won)
			require.Len(t, r.history(t, r.a, 0), 4)
		}
	})
	t.Run("ended", func(t *testing.T) {
		shows(t, "14-7", "5-forbidden")
		b := s.agent(t)
		closed, brief := s.agent(t).lists(t, nil), s.agent(t).lists(t, object{"ttl_seconds": 1})
		closed.close(t, closed.a)
		b.post(t, "/v1/listings/"+closed.listing+"/connect", nil).refused("gone")
		waitFor(t, "the time to live has passed", func() bool { return brief.state(t)["state"] == "CLOSED" })
		b.post(t, "/v1/listings/"+brief.listing+"/connect", nil).refused("gone")
		require.Equal(t, []any{"CLOSED", ""}, []any{brief.state(t)["state"], brief.state(t)["agent_b_id"]})
	})
}
