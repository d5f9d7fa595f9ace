package areyouaifront_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestListingDefaults(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada := g.person("Ada")
	got := g.post("/v1/listings", ada.token, `{"topic":"  tea  "}`)
	l := as[areyouai.ListingReply](g, 201, got)
	require.Regexp(t, `^hc_[A-Za-z0-9_-]{24}$`, l.HumanCode)
	require.Equal(t, fmt.Sprintf(`{"id":%q,"agent_id":%q,"topic":"tea","tags":[],"max_turns":20,"ttl_seconds":900,"created_at":"2026-04-02T10:00:00Z","connected":false,"room_id":%q,"human_code":%q,"owner_joined":true,"room_state":"OPEN","next_actor_id":%q}`+"\n",
		l.ID, ada.id, l.RoomID, l.HumanCode, ada.id), got.body)
	for _, body := range []string{`{"topic":"t","max_turns":0,"ttl_seconds":-1,"tags":null}`, `{"topic":"t","max_turns":-5,"ttl_seconds":0}`} {
		l := g.listing(ada, body)
		require.EqualValues(t, 20, l.MaxTurns)
		require.EqualValues(t, 900, l.TTLSeconds)
	}
	var facts core.RoomFacts
	require.NoError(t, g.node.ViewRoom(t.Context(), l.RoomID, func(r *core.Room) { facts = r.RoomFacts }))
	require.Equal(t, core.HashSecret(l.HumanCode), facts.HumanCodeHash)
	require.Equal(t, g.clock.Now().Add(24*time.Hour), facts.HumanCodeUntil)
	require.Equal(t, "private", facts.ReadVisibility)
}

// TestSearchShowsWhatCanBeConnected: no dead rooms, no wildcards, never null, bounded.
func TestSearchShowsWhatCanBeConnected(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Sizes: areyouaifront.Sizes{SearchHits: 3}, Limits: &areyouaifront.Limits{}})
	const nothing = `{"items":[]}` + "\n"
	require.Equal(t, nothing, g.get("/v1/listings/search", "").body)
	ada, bob := g.person("Ada"), g.person("Bob")
	list := func(topic string, tags ...string) areyouai.ListingReply {
		g.clock.Advance(time.Second)
		return g.listing(ada, fmt.Sprintf(`{"topic":%q,"tags":[%s],"ttl_seconds":60}`, topic, strings.Join(tags, ",")))
	}
	found := func(q string) (topics []string) {
		for _, item := range as[areyouai.SearchReply](g, 200, g.get("/v1/listings/search?q="+q, "")).Items {
			require.False(t, item.Connected)
			topics = append(topics, item.Topic)
		}
		return topics
	}
	closed, taken := list("closed tea"), list("taken tea")
	require.Equal(t, 200, g.post("/v1/rooms/"+closed.RoomID+"/close", ada.token, "").status)
	require.Equal(t, 201, g.post("/v1/listings/"+taken.ID+"/connect", bob.token, "").status)
	list("100% Tea")
	list("plain", `"ÜBER-tea"`)
	list("under_score")
	require.Equal(t, []string{"under_score", "plain", "100% Tea"}, found(""))
	require.Equal(t, []string{"plain", "100% Tea"}, found("%20TEA%20"))
	require.Equal(t, []string{"plain"}, found("%C3%BCber"))
	require.Equal(t, []string{"100% Tea"}, found("%25"))
	require.Equal(t, []string{"under_score"}, found("_"))
	require.Equal(t, nothing, g.get("/v1/listings/search?q=coffee", "").body)
	list("fourth")
	require.Equal(t, []string{"fourth", "under_score", "plain"}, found(""))
	g.clock.Advance(61 * time.Second)
	require.Equal(t, nothing, g.get("/v1/listings/search", "").body, "expired, and no sweep came by")
}

func TestConnectInOrder(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	ada, bob := g.person("Ada"), g.person("Bob")
	connect := func(l areyouai.ListingReply, p person) answer {
		return g.post("/v1/listings/"+l.ID+"/connect", p.token, "")
	}

	require.Equal(t, `{"error":"listing_not_found","status":404,"recoverable":false}`+"\n", connect(areyouai.ListingReply{ID: "lst_x"}, bob).body)
	l := g.listing(ada, `{"topic":"t"}`)
	require.Equal(t, "forbidden", connect(l, ada).code())
	require.Equal(t, 201, connect(l, bob).status)
	require.Equal(t, "listing_already_connected", connect(l, bob).code())
	require.Equal(t, "forbidden", connect(l, ada).code(), "one's own before connected")

	// A room that is over never comes back: it answers 410, whether it was closed or its time ran out unseen.
	closed := g.listing(ada, `{"topic":"t"}`)
	require.Equal(t, 200, g.post("/v1/rooms/"+closed.RoomID+"/close", ada.token, "").status)
	require.Equal(t, `{"error":"gone","status":410,"recoverable":false}`+"\n", connect(closed, bob).body)
	expired := g.listing(ada, `{"topic":"t","ttl_seconds":5}`)
	g.clock.Advance(5*time.Second + time.Millisecond)
	require.Equal(t, 410, connect(expired, bob).status)
	for _, l := range []areyouai.ListingReply{closed, expired} {
		require.Equal(t, areyouai.StateClosed, as[areyouai.RoomReply](g, 200, g.get("/v1/rooms/"+l.RoomID+"/state", ada.token)).State)
	}
	for _, body := range []string{"", "{}", "not json"} {
		l := g.listing(ada, `{"topic":"t"}`)
		got := g.do(ask{method: "POST", path: "/v1/listings/" + l.ID + "/connect", token: bob.token, body: body, header: map[string]string{"Content-Type": "application/json"}})
		require.Equal(t, 201, got.status, "body %q", body)
	}
}

// TestOneOfManyConnects: of agents that connect at once exactly one gets the place.
func TestOneOfManyConnects(t *testing.T) {
	g := newGate(t, unlimited())
	const callers = 16
	people := make([]person, callers)
	for i := range people {
		people[i] = g.person("p")
	}
	l := g.listing(g.person("owner"), `{"topic":"t"}`)
	codes := make([]string, callers)
	var wg sync.WaitGroup
	for i, p := range people {
		wg.Go(func() {
			if a, err := g.try(ask{method: "POST", path: "/v1/listings/" + l.ID + "/connect", token: p.token}); err == nil {
				codes[i] = fmt.Sprint(a.status, a.code())
			}
		})
	}
	wg.Wait()
	count := map[string]int{}
	for _, c := range codes {
		count[c]++
	}
	require.Equal(t, map[string]int{"201": 1, "409listing_already_connected": callers - 1}, count)
}
