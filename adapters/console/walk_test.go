package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
)

// TestNobodyReachesWhatIsSomebodyElses walks all routes as a user who is no administrator, with ids of what belongs to others.
// A route with a parameter that is not known here fails: say what a foreign one is. So does one without parameters that
// changes something: say below what it changes of the user's own.
func TestNobodyReachesWhatIsSomebodyElses(t *testing.T) {
	h := newHouse(t, console.Options{})
	p := h.pair("a topic of others", 9)
	p.say(h, "words of others")
	token, err := h.node.NewRegistrationToken(t.Context(), "acme")
	require.NoError(t, err)
	info, err := h.node.TokenInfo(token)
	require.NoError(t, err)
	_, key, err := h.node.NewUserToken(t.Context(), h.olga.ID, "a label of others", h.node.Now().Add(patience))
	require.NoError(t, err)
	foreign := map[string]string{
		":room": p.room, ":version": "2", ":user": h.olga.ID, ":key": key.ID, ":token": info.ID, ":agent": p.ada.ID,
	}
	// What users may do with what is theirs, whatever they send.
	own := []string{"/gateway/account/password", "/gateway/account/tokens", "/gateway/tokens", "/gateway/start/token", "/gateway/agents"}

	karl := h.signedIn("karl")
	for _, r := range console.Routes() {
		path, ids := r.Path, strings.Contains(r.Path, ":")
		for name, id := range foreign {
			path = strings.ReplaceAll(path, name, id)
		}
		require.NotContains(t, path, ":", "%s has a parameter of which the walk knows no foreign one", r.Path)
		if r.Path == "/gateway/sign-out" || r.Path == "/gateway/sign-in" {
			continue
		}
		var a answer
		if r.Method == http.MethodGet {
			if !ids && strings.HasSuffix(path, "/live") {
				// It never ends by itself; what it shows is what its page shows.
				continue
			}
			a = karl.get(path + "?before=9&since=1&as=" + p.ada.ID)
		} else {
			a = karl.post(path, url.Values{"owner": {"acme"}, "agent": {p.ada.ID}, "admin": {"yes"}, "body": {"x"}, "topic": {"x"}, "code": {"x"}})
		}
		where := r.Method + " " + path
		switch {
		case r.Admin:
			require.Equal(t, http.StatusForbidden, a.status, where)
		case r.Anybody:
			require.Less(t, a.status, 500, where)
		case ids:
			require.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, a.status, where)
		case r.Method == http.MethodGet:
			require.Equal(t, http.StatusOK, a.status, where)
		default:
			require.Contains(t, own, r.Path, "a route that changes something has no rule here")
		}
		for _, secret := range []string{"a topic of others", "words of others", "a label of others", info.ID, p.bob.ID} {
			require.NotContains(t, a.body, secret, where)
		}
	}
	sum, _ := h.node.Room(p.room)
	require.Equal(t, 1, sum.Turn)
	require.Equal(t, core.StateActive, sum.State)
	require.Len(t, h.node.RegistrationTokens(), 2, "the other's, and one of the start page")
	require.Len(t, h.node.Users(), 2)

	stranger := h.browser()
	for _, r := range console.Routes() {
		path := r.Path
		for name, id := range foreign {
			path = strings.ReplaceAll(path, name, id)
		}
		if r.Anybody {
			continue
		}
		a := stranger.get(path)
		if r.Method != http.MethodGet {
			a = stranger.post(path, nil)
		}
		require.Equal(t, http.StatusSeeOther, a.status, path)
		require.True(t, strings.HasPrefix(a.header.Get("Location"), "/gateway/sign-in"), path)
	}
}
