package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
)

// A page whose stream broke off hears that there is nothing to follow any more, and does not ask for ever.
func TestAStreamOfNobodyIsOver(t *testing.T) {
	h := newHouse(t, console.Options{})
	ada := h.agent("ada", "acme")
	room := h.room("ops", "acme", ada)
	nobody, karl := h.browser(), h.signedIn("karl")
	for _, path := range []string{"/live", "/agents/" + ada.ID + "/live", "/agents/" + ada.ID + "/trace", "/rooms/" + room + "/live?since=1"} {
		require.Equal(t, "over", follow(t, nobody, "/gateway"+path)().name, path)
	}
	for _, path := range []string{"/gateway/agents/" + ada.ID + "/live", "/gateway/rooms/" + room + "/live?since=1", "/watch/none/live?since=1"} {
		require.Equal(t, "over", follow(t, karl, path)().name, path)
	}
}

// A page's own script learns that somebody is not signed in any more; people are sent to the page for that.
func TestWhatNobodySaysIsNotTakenForSaid(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.browser()
	path := "/gateway/rooms/" + h.room("ops", "karl", h.agent("ada", "karl")) + "/say"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+path, strings.NewReader("body=hello"))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "text/plain")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	a := b.do(r)
	require.Equal(t, http.StatusUnauthorized, a.status)
	require.Contains(t, a.body, "not signed in")
	require.Equal(t, http.StatusSeeOther, b.post(path, url.Values{"body": {"hello"}}).status)
}

// A page's own script shows a line, so that whatever is refused is one.
func TestAScriptIsToldInALine(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("karl")
	others := h.room("ops", "acme", h.agent("ada", "acme"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/gateway/rooms/"+others+"/say", strings.NewReader("body=hello"))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"text/plain"}, "Sec-Fetch-Site": {"same-origin"}}
	a := b.do(r)
	require.Equal(t, http.StatusNotFound, a.status)
	require.Contains(t, a.header.Get("Content-Type"), "text/plain")
	require.Equal(t, "No such room.", a.body)
}

// A page that has events which the log has lost, since a backup was put back, is loaded again.
func TestAPageOfALostLifeIsLoadedAgain(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("cranes", 10)
	p.say(h, "kept")
	sum, _ := h.node.Room(p.room)
	lost := fmt.Sprintf("/live?since=%d", sum.Version+5)
	require.Equal(t, "over", follow(t, h.signedIn("olga"), "/gateway/rooms/"+p.room+lost)().name)
	require.Equal(t, "anew", follow(t, h.watches(p), p.path()+lost)().name)
}
