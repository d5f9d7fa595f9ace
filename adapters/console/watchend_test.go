package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
)

func TestAViewerThatLeavesIsTold(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 9)
	p.say(h, "hello bob")
	b := h.watches(p)
	next := follow(t, b, p.path()+"/live?since=0")
	until(t, next, "item", "hello bob")
	old, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+p.path()+"/live", nil)
	require.NoError(t, err)
	for _, c := range b.http.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(b.base, "http://"), Path: p.path()}) {
		old.AddCookie(c)
	}
	require.Equal(t, http.StatusSeeOther, b.post(p.path()+"/leave", nil).status)
	require.Contains(t, until(t, next, "over", "").data, "You have left.")
	require.Zero(t, h.node.ActiveViewers(p.room))
	require.NotContains(t, b.get(p.path()).body, "hello bob")
	a := h.browser().do(old)
	require.Contains(t, a.body, "event: over", "a page that asks again is told as well")
	require.Contains(t, a.body, "You have left.")
	require.NotContains(t, a.body, "hello bob")
	require.Contains(t, h.browser().get(p.path()+"/live").body, "You do not watch this room any more.")
}

// viewerToken is what a browser watches a room with.
func (b *browser) viewerToken(p *pair) string {
	b.t.Helper()
	at, err := url.Parse(b.base + p.path())
	require.NoError(b.t, err)
	for _, c := range b.http.Jar.Cookies(at) {
		if c.Name == "stele_viewer" {
			return c.Value
		}
	}
	b.t.Fatal("there is no token")
	return ""
}

// TestAnOpenPageHoldsThePurge: who watches is heard of while the stream is open, and no longer; at the end of what may be kept,
// the page is told and has nothing more to show.
func TestAnOpenPageHoldsThePurge(t *testing.T) {
	now := newClock()
	h := newHouseIn(t, memlog.New(), core.Options{
		Now: now.Now, Purge: core.PurgePolicy{Grace: 10 * time.Second, Retention: 90 * time.Second},
	}, console.Options{})
	p := h.pair("cranes", 1)
	b := h.watches(p)
	token := b.viewerToken(p)
	next := follow(t, b, p.path()+"/live?since=0")
	p.say(h, "the only")
	until(t, next, "standing", "closed")
	for step := range 4 {
		now.Advance(20 * time.Second)
		// Others come, so that the page is told of their number, and one leaves, which wakes it.
		for range step + 1 {
			_, err := h.node.JoinViewers(t.Context(), p.room, p.code)
			require.NoError(t, err)
		}
		other, err := h.node.JoinViewers(t.Context(), p.room, p.code)
		require.NoError(t, err)
		require.NoError(t, h.node.LeaveViewers(t.Context(), p.room, other))
		until(t, next, "aside", "")
		require.NoError(t, h.node.CheckViewer(p.room, token), "it was heard of a short time ago")
	}
	require.Contains(t, b.get(p.path()).body, "the only")

	now.Advance(20 * time.Second)
	over := until(t, next, "over", "")
	require.Contains(t, over.data, "has been destroyed")
	require.Contains(t, over.data, "as long as this gateway keeps")
	a := b.get(p.path())
	require.Equal(t, http.StatusGone, a.status)
	require.Contains(t, a.body, "as long as this gateway keeps")
	require.NotContains(t, a.body, "the only")
	require.Equal(t, http.StatusGone, b.post(p.path(), url.Values{"code": {p.code}}).status)
	require.Equal(t, http.StatusForbidden, b.get(p.path()+"/earlier?before=9").status)
	require.Contains(t, b.get(p.path()+"/live").body, "has been destroyed")
}

// TestNobodyHoldsThePurge: a page that was closed holds nothing.
func TestNobodyHoldsThePurge(t *testing.T) {
	now := newClock()
	h := newHouseIn(t, memlog.New(), core.Options{Now: now.Now, Purge: core.PurgePolicy{Grace: 10 * time.Second}}, console.Options{})
	p := h.pair("cranes", 1)
	p.say(h, "the only")
	b := h.watches(p)
	require.Contains(t, b.get(p.path()).body, "the only")
	now.Advance(core.ViewerLife + time.Second)
	a := b.get(p.path())
	require.Equal(t, http.StatusGone, a.status)
	require.Contains(t, a.body, "nobody watched it")
}

func TestTheCodeEndsAndTheViewWithIt(t *testing.T) {
	now := newClock()
	h := newHouseIn(t, memlog.New(), core.Options{Now: now.Now, Lives: core.Lives{HumanCode: time.Hour}}, console.Options{})
	p := h.pair("cranes", 9)
	p.say(h, "hello bob")
	b := h.watches(p)
	next := follow(t, b, p.path()+"/live?since=0")
	until(t, next, "item", "hello bob")
	now.Advance(2 * time.Hour)
	require.Contains(t, until(t, next, "over", "").data, "The code has ended")
	a := b.get(p.path())
	require.NotContains(t, a.body, "hello bob")
	require.Contains(t, a.body, "The code has ended")
}

// TestAnOpenRoomForgetsWhatWasPurged: the page of somebody who is signed in has what was said, and is loaded again without it.
func TestAnOpenRoomForgetsWhatWasPurged(t *testing.T) {
	now := newClock()
	h := newHouseIn(t, memlog.New(), core.Options{Now: now.Now, Purge: core.PurgePolicy{Grace: 10 * time.Second}}, console.Options{})
	p := h.pair("cranes", 1)
	b := h.signedIn("olga")
	next := follow(t, b, "/gateway/rooms/"+p.room+"/live?since=1")
	p.say(h, "the only")
	until(t, next, "item", "the only")
	now.Advance(core.ViewerLife + 20*time.Second)
	require.NotContains(t, b.get("/gateway/rooms/"+p.room).body, "the only")
	until(t, next, "item", "room.purged")
	until(t, next, "over", "")
}
