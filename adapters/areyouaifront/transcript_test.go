package areyouaifront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

// TestTranscriptChecks: the order of the refusals, each with what the later ones would refuse as well.
func TestTranscriptChecks(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedRoom()
	dead := g.watchedRoom()
	dead.close()
	dead.purge()
	for _, tc := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"code in the query", "/v1/rooms/room_x/transcript?human_code=", `{`, 400, "invalid_request"},
		{"no JSON", "/v1/rooms/room_x/transcript", `{`, 400, "invalid_request"},
		{"blank code", "/v1/rooms/room_x/transcript", `{"human_code":" "}`, 403, "forbidden"},
		{"code longer than any", "/v1/rooms/room_x/transcript", `{"human_code":"` + strings.Repeat("x", 600) + `"}`, 403, "forbidden"},
		{"no room", "/v1/rooms/room_x/transcript", `{"human_code":"hc_x"}`, 404, "room_not_found"},
		{"purged", dead.path("/transcript"), `{"human_code":"hc_x"}`, 410, "gone"},
		{"wrong code", w.path("/transcript"), `{"human_code":"hc_x"}`, 403, "forbidden"},
		{"another room's code", w.path("/transcript"), `{"human_code":"` + dead.code + `"}`, 403, "forbidden"},
		{"expired code", w.path("/transcript"), `{"human_code":"` + w.code + `"}`, 403, "forbidden"},
	} {
		got := g.post(tc.path, "", tc.body)
		require.Equal(t, tc.status, got.status, "%s: %s", tc.name, got.body)
		require.Equal(t, tc.code, got.code(), tc.name)
	}
	require.Contains(t, g.post(w.path("/transcript")+"?human_code=x", "", "{}").body, "JSON body")
	require.Equal(t, 405, g.get(w.path("/transcript")+"?human_code="+w.code, "").status)
}

// TestTranscriptShowsTheConversation: to people, with who read what.
func TestTranscriptShowsTheConversation(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	w := g.watchedListing(`{"topic":" Tea <or> \"messages\":[] coffee ","ttl_seconds":3600}`)
	open := as[areyouai.TranscriptReply](g, 200, w.transcript(" "+w.code+" "))
	require.Equal(t, areyouai.NewTranscriptReply(areyouai.TranscriptReply{
		RoomID: w.id, RoomTopic: `Tea <or> "messages":[] coffee`, AgentAID: w.a.id, NextActorID: w.a.id, State: areyouai.StateOpen,
		LastFetch: map[string]int64{},
	}), open)
	g.clock.Advance(time.Second)
	w.connect()
	active := as[areyouai.TranscriptReply](g, 200, w.transcript(w.code))
	require.Equal(t, g.clock.Now(), active.NextActorSince.Time, "the first turn begins with the connect")
	require.Equal(t, 200, g.post(w.path("/context/ack"), w.a.token, `{"turn_index":0}`).status)
	first := as[areyouai.TranscriptReply](g, 200, w.transcript(w.code))
	require.Equal(t, map[string]int64{w.a.id: 0}, first.LastFetch, "the first turn is one to have read too")
	w.say(w.a, `one "messages":[] `)
	g.clock.Advance(time.Minute)
	w.say(w.b, "two\n\u2028")
	stalled := as[areyouai.TranscriptReply](g, 200, w.transcript(w.code))
	require.Equal(t, g.clock.Now(), stalled.NextActorSince.Time)
	g.clock.Advance(time.Hour / 2)
	again := as[areyouai.TranscriptReply](g, 200, w.transcript(w.code))
	require.Equal(t, stalled.NextActorSince, again.NextActorSince, "people see for how long nobody answers")
	w.say(w.a, "three")
	require.Equal(t, 200, g.post(w.path("/context/ack"), w.b.token, `{"turn_index":3}`).status)
	require.Equal(t, 200, g.post(w.path("/context/ack"), w.a.token, `{"turn_index":1}`).status)
	w.close()
	raw := w.transcript(w.code)
	require.Contains(t, raw.body, `"purged_at":null`)
	require.True(t, strings.HasSuffix(raw.body, "}\n"))
	done := as[areyouai.TranscriptReply](g, 200, raw)
	require.Nil(t, done.NextActorSince)
	require.Empty(t, done.NextActorID)
	require.Equal(t, areyouai.StateClosed, done.State)
	require.Equal(t, g.clock.Now(), done.ClosedAt.Time)
	require.EqualValues(t, 3, done.TurnIndex)
	require.Equal(t, map[string]int64{w.a.id: 1, w.b.id: 3}, done.LastFetch)
	var said []string
	for i, m := range done.Messages {
		require.EqualValues(t, i, m.Turn)
		require.Equal(t, []person{w.a, w.b}[i%2].id, m.SenderID)
		said = append(said, fmt.Sprintf("%s: %s (%v)", m.SenderName, m.Ciphertext, m.ReadByOpponent))
	}
	require.Equal(t, []string{`Ada: one "messages":[] (true)`, "Bob: two (false)", "Ada: three (true)"}, said)
}

// TestLongTranscript: one that is much longer than a page comes whole, and the gateway holds about a page of it.
func TestLongTranscript(t *testing.T) {
	g := newGate(t, unlimited())
	w := watched{room: g.commons(), code: "code"}
	ada, bob := w.a, w.b
	const count = 40
	text := strings.Repeat("long ", 10_000)
	for i := range count {
		_, _, err := g.node.PostMessage(t.Context(), w.id, core.PostMessage{Sender: bob.id, Text: fmt.Sprint(i, " ", text)}, nil)
		require.NoError(t, err)
	}
	got := as[areyouai.TranscriptReply](g, 200, w.transcript("code"))
	require.Len(t, got.Messages, count)
	for i, m := range got.Messages {
		require.EqualValues(t, i, m.Turn)
		require.Equal(t, fmt.Sprint(i, " ", text), m.Ciphertext)
	}
	require.Equal(t, ada.id, got.AgentAID, "without sides: who has been there longest")
	require.Equal(t, bob.id, got.AgentBID)
	require.Empty(t, got.NextActorID)

	// A reader that stops half-way loses what it has: it must not take it for the whole.
	url, client := g.narrow()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+w.path("/transcript"), strings.NewReader(`{"human_code":"code"}`))
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	closeNow(t, g, w)
	w.purge()
	var whole areyouai.TranscriptReply
	require.Error(t, json.NewDecoder(resp.Body).Decode(&whole))
	require.Equal(t, "gone", w.transcript("code").code())
}

func closeNow(t *testing.T, g *gate, w watched) {
	t.Helper()
	_, _, err := g.node.CloseRoom(t.Context(), w.id, core.CloseRoom{Actor: w.a.id}, nil)
	require.NoError(t, err)
}

// TestGuessingCodes: wrong codes are counted, right ones never, and too many wrong ones shut out both for a while.
func TestGuessingCodes(t *testing.T) {
	limits := areyouaifront.Limits{GuessesPerIP: 3}
	g := newGate(t, areyouaifront.Options{Limits: &limits})
	w := g.watchedRoom()
	for range 10 {
		require.Equal(t, 200, w.transcript(w.code).status)
		w.viewer()
		require.Equal(t, 404, g.post("/v1/rooms/room_x/transcript", "", `{"human_code":"hc_x"}`).status)
	}
	require.Equal(t, "forbidden", w.transcript("hc_a").code())
	require.Equal(t, "forbidden", w.viewers("join", "hc_b", "").code())
	require.Equal(t, "forbidden", w.transcript("hc_c").code())
	for _, refused := range []answer{w.transcript("hc_d"), w.transcript(w.code), w.viewers("join", w.code, "")} {
		require.Equal(t, "rate_limited", refused.code())
		require.Equal(t, "60", refused.header.Get("Retry-After"))
	}
	g.clock.Advance(time.Minute)
	require.Equal(t, 200, w.transcript(w.code).status)
}
