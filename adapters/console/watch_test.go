package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/adapters/transport"
	"stele/core"
	"stele/core/memlog"
)

// pair is a room of turns with a code, and its two speakers.
type pair struct {
	room, code string
	ada, bob   core.Agent
	turn       int
}

func (h *house) pair(topic string, maxTurns int) *pair {
	h.t.Helper()
	p := &pair{ada: h.agent("ada", "acme"), bob: h.agent("bob", "other")}
	made, err := h.node.CreateListing(h.t.Context(), core.NewListing{
		Owner: core.NewMember{Agent: p.ada.ID, Name: "Ada", Handle: "ada"}, Topic: topic, MaxTurns: maxTurns, TTLSeconds: 3600,
	}, nil)
	require.NoError(h.t, err)
	p.room, p.code = made.Room, made.HumanCode
	sum, _ := h.node.Room(p.room)
	bob := core.ConnectListing{Member: core.NewMember{Agent: p.bob.ID, Name: "Bob", Handle: "bob"}}
	_, err = h.node.ConnectListing(h.t.Context(), sum.Listing.ID, bob, nil)
	require.NoError(h.t, err)
	return p
}

// say lets whoever has the turn speak.
func (p *pair) say(h *house, text string) {
	h.t.Helper()
	who := p.ada
	if p.turn%2 == 1 {
		who = p.bob
	}
	h.says(p.room, who, text)
	p.turn++
}

func (p *pair) path() string { return "/watch/" + p.room }

// watches is a browser in which somebody watches.
func (h *house) watches(p *pair) *browser {
	h.t.Helper()
	b := h.browser()
	a := b.post(p.path(), url.Values{"code": {p.code}})
	require.Equal(h.t, http.StatusSeeOther, a.status, a.body)
	require.Equal(h.t, p.path(), a.header.Get("Location"))
	return b
}

// until reads events up to the first of a name, with what it must contain.
func until(t *testing.T, next func() event, name, contains string) event {
	t.Helper()
	for range 1000 {
		if e := next(); e.name == name && strings.Contains(e.data, contains) {
			return e
		}
	}
	t.Fatalf("no %s with %q came", name, contains)
	return event{}
}

func TestWatchingAsksForTheCode(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 10)
	p.say(h, "hello bob")
	b := h.browser()
	a := b.get(p.path())
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `method="post" action="`+p.path()+`"`, "the code goes into no URL")
	require.NotContains(t, a.body, "hello bob")
	require.NotContains(t, a.body, "cranes", "not even the name is told")
	csp := a.header.Get("Content-Security-Policy")
	require.Contains(t, csp, "default-src 'none'")
	require.NotContains(t, csp, "unsafe")

	a = b.post(p.path(), url.Values{"code": {p.code + "x"}})
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, "Code does not open this room.")
	require.Empty(t, a.header.Values("Set-Cookie"))
	require.NotContains(t, a.body, p.code)
	for _, path := range []string{"/earlier?before=9", "/at/3"} {
		require.Equal(t, http.StatusForbidden, b.get(p.path()+path).status)
	}
	require.Equal(t, http.StatusOK, b.get(p.path()+"?code="+p.code).status)
	require.NotContains(t, b.get(p.path()+"?code="+p.code).body, "hello bob", "a code in the URL opens nothing")

	a = b.post(p.path(), url.Values{"code": {" " + p.code + "\n"}})
	require.Equal(t, http.StatusSeeOther, a.status)
	cookie := a.header.Get("Set-Cookie")
	for _, word := range []string{"stele_viewer=hv_", "HttpOnly", "SameSite=Strict", "Path=" + p.path() + ";"} {
		require.Contains(t, cookie, word)
	}
	a = b.get(p.path())
	require.Contains(t, a.body, "hello bob")
	require.Contains(t, a.body, "cranes")
	require.Equal(t, 1, h.node.ActiveViewers(p.room))
	require.Equal(t, http.StatusSeeOther, b.post(p.path(), url.Values{"code": {p.code}}).status)
	require.Equal(t, 1, h.node.ActiveViewers(p.room), "who watches already is no second viewer")

	require.Equal(t, http.StatusNotFound, b.get("/watch/room_none").status)
	require.Equal(t, http.StatusNotFound, b.post("/watch/room_none", url.Values{"code": {"x"}}).status)
	require.Equal(t, "/watch/a%2Fb%3Fc", b.get("/watch?room=a/b%3Fc").header.Get("Location"))
	require.Contains(t, b.get("/watch").body, `name="room"`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+p.path()+"/leave", nil)
	require.NoError(t, err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, b.do(r).status)
}

func TestGuessingCodesIsBounded(t *testing.T) {
	h := newHouse(t, console.Options{Guesses: transport.NewGuesses(5, 3, time.Minute)})
	p := h.pair("cranes", 10)
	other := h.room("other", "acme")
	guess := func(room, code string) int {
		return h.browser().post("/watch/"+room, url.Values{"code": {code}}).status
	}
	for range 3 {
		require.Equal(t, http.StatusForbidden, guess(p.room, "wrong"))
	}
	require.Equal(t, http.StatusTooManyRequests, guess(p.room, p.code), "the room is used up")
	for range 2 {
		require.Equal(t, http.StatusForbidden, guess(other, "wrong"))
	}
	require.Equal(t, http.StatusTooManyRequests, guess(other, "wrong"), "the address is used up")
}

func TestViewersSeeWhatIsSaidAndNothingElse(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("<b>cranes</b>", 10)
	for _, hostile := range []string{"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "[x](javascript:alert(1))"} {
		p.say(h, hostile)
	}
	_, _, err := h.node.PostMessage(t.Context(), p.room, core.PostMessage{
		Sender: p.bob.ID, Text: "see", Attachments: []core.Attachment{{Media: "med_1", Filename: "<u>plan</u>.pdf", Type: "application/pdf", Size: 9}},
	}, nil)
	require.NoError(t, err)
	_, err = h.node.CreateDocument(t.Context(), p.room, core.CreateDocument{Agent: p.ada.ID, Name: "the secret plan", Content: "x"}, nil)
	require.NoError(t, err)
	_, err = h.node.EmitEvent(t.Context(), p.room, core.EmitEvent{Actor: p.ada.ID, Type: "progress.private"}, nil)
	require.NoError(t, err)
	b := h.watches(p)
	page := b.get(p.path()).body
	for _, bad := range []string{"<script>alert", "<img src=x", "<b>cranes", `href="javascript`, "<u>plan", "/gateway/media", "med_1", "the secret plan", "progress.private"} {
		require.NotContains(t, page, bad)
	}
	require.Contains(t, page, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, page, "&lt;u&gt;plan&lt;/u&gt;.pdf", "of a file the name alone")
	next := follow(t, b, p.path()+"/live?since=0")
	for turn := range 4 {
		e := until(t, next, "item", "")
		require.Contains(t, e.data, fmt.Sprintf(`data-turn="%d">`, turn), "nothing but what was said")
		require.NotContains(t, e.data, `class="who"></bdi>`, "nothing but what somebody said")
		require.NotContains(t, e.data, "<script>")
		require.NotContains(t, e.data, "<img")
	}
	until(t, next, "aside", "")

	long := strings.Repeat(`"'<&`, 2000)
	h.says(p.room, p.ada, long)
	require.Contains(t, until(t, next, "item", "").data, `data-turn="4">`, "neither documents nor events come between")
	sum, _ := h.node.Room(p.room)
	page = b.get(p.path()).body
	require.Less(t, len(page), 100<<10)
	whole := fmt.Sprintf("%s/at/%d", p.path(), sum.Version)
	require.Contains(t, page, `href="`+whole+`"`)
	require.Contains(t, b.get(whole).body, strings.Repeat("&#34;&#39;&lt;&amp;", 2000))
	require.Equal(t, http.StatusNotFound, b.get(p.path()+"/at/1").status, "what is no message is not shown")
	require.Equal(t, http.StatusForbidden, h.browser().get(whole).status)
}

func TestALongConversationIsWatchedInPieces(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 200)
	for i := range 150 {
		p.say(h, fmt.Sprintf("message number %d.", i))
	}
	b := h.watches(p)
	body, seen := b.get(p.path()).body, 0
	for {
		seen += strings.Count(body, "message number ")
		_, rest, more := strings.Cut(body, `data-before="`)
		if !more {
			break
		}
		before, _, _ := strings.Cut(rest, `"`)
		body = b.get(p.path() + "/earlier?before=" + before).body
		require.Contains(t, b.get(p.path()+"?before="+before).body, "<!doctype html>", "also without a script")
	}
	require.Equal(t, 150, seen)
}

func TestWatchingIsLive(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 3)
	p.say(h, "before")
	b := h.watches(p)
	sum, _ := h.node.Room(p.room)
	next := follow(t, b, fmt.Sprintf("%s/live?since=%d", p.path(), sum.Version))
	e := until(t, next, "aside", "")
	require.Contains(t, e.data, "1 of 3")
	require.Contains(t, e.data, "<dd>2</dd>", "turns that are left")
	require.Contains(t, e.data, `<bdi>bob</bdi>`, "whose turn it is")

	_, err := h.node.StartTyping(t.Context(), p.room, p.bob.ID, 10*time.Second)
	require.NoError(t, err)
	require.Contains(t, until(t, next, "standing", "writes").data, "bob")
	require.NoError(t, h.node.Ack(t.Context(), p.bob.ID, p.room, 1))
	require.Contains(t, until(t, next, "aside", "has read up to #0").data, `data-name="bob" data-read="0"`)
	require.Contains(t, b.get(p.path()).body, "Read by <bdi>bob</bdi>")

	p.say(h, "<i>now</i>")
	e = until(t, next, "item", "")
	require.Contains(t, e.data, "&lt;i&gt;now&lt;/i&gt;")
	p.say(h, "the last")
	require.NotEqual(t, e.id, until(t, next, "item", "the last").id)
	require.Contains(t, until(t, next, "standing", "closed").data, "all turns were used")
	require.Contains(t, b.get(p.path()).body, "the last", "the transcript stays")
	require.Contains(t, b.get(p.path()).body, "The room is closed")
}

// TestWatchingGoesOnAfterARestart: the browser asks with what it saw last, and gets exactly the rest.
func TestWatchingGoesOnAfterARestart(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	h := newHouseIn(t, store.Open(), core.Options{NodeID: "first"}, console.Options{})
	p := h.pair("cranes", 50)
	b := h.watches(p)
	next := follow(t, b, p.path()+"/live?since=0")
	p.say(h, "number 0.")
	last := until(t, next, "item", "number 0.").id
	h.close()

	h = openHouse(t, store.Open(), core.Options{NodeID: "second"}, console.Options{})
	for i := 1; i < 5; i++ {
		p.say(h, fmt.Sprintf("number %d.", i))
	}
	b.base = h.server.URL
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+p.path()+"/live?since=0", nil)
	require.NoError(t, err)
	r.Header.Set("Last-Event-ID", last)
	next = followRequest(t, b, r)
	for i := 1; i < 5; i++ {
		require.Contains(t, until(t, next, "item", "").data, fmt.Sprintf("number %d.", i))
	}
	require.Equal(t, http.StatusBadRequest, b.get(p.path()+"/live?since=x").status)
}

func TestWatchersAreBounded(t *testing.T) {
	h := newHouse(t, console.Options{WatchersPerRoom: 1})
	p := h.pair("cranes", 9)
	b := h.watches(p)
	until(t, follow(t, b, p.path()+"/live"), "aside", "")
	require.Equal(t, http.StatusTooManyRequests, b.get(p.path()+"/live").status)
	require.Equal(t, http.StatusOK, b.get(p.path()).status)
}

// What comes before the first message is nothing, and no place to say that nothing was said.
func TestTheBeginOfAWatchedConversation(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 100)
	b := h.watches(p)
	require.Contains(t, b.get(p.path()).body, "Nothing was said yet")
	for i := range 60 {
		p.say(h, fmt.Sprintf("message %d.", i))
	}
	_, rest, more := strings.Cut(b.get(p.path()).body, `data-before="`)
	require.True(t, more)
	before, _, _ := strings.Cut(rest, `"`)
	for _, path := range []string{"/earlier?before=", "?before="} {
		require.NotContains(t, b.get(p.path()+path+before).body, "Nothing was said yet", path)
	}
}

// A page in whose part nobody spoke goes on behind it, and does not repeat what comes when one scrolls up.
func TestAWatchedPageRepeatsNothing(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 100)
	p.say(h, "long ago")
	for range 2100 {
		_, err := h.node.EmitEvent(t.Context(), p.room, core.EmitEvent{Actor: p.ada.ID, Type: "progress"}, nil)
		require.NoError(t, err)
	}
	b := h.watches(p)
	body := b.get(p.path()).body
	require.NotContains(t, body, "long ago")
	_, rest, _ := strings.Cut(body, `data-since="`)
	since, _, _ := strings.Cut(rest, `"`)
	next := follow(t, b, p.path()+"/live?since="+since)
	p.say(h, "just now")
	require.Contains(t, until(t, next, "item", "").data, "just now")
}
