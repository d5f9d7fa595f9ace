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

// bearer is a request as a program makes it.
func (b *browser) bearer(path, token string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.base+path, nil)
	require.NoError(b.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	return b.do(r)
}

// shown is the secret that a page shows this once.
func shown(t *testing.T, a answer) string {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, `<code class="copyable" tabindex="0">`)
	require.True(t, ok, a.body)
	secret, _, _ := strings.Cut(rest, "</code>")
	return secret
}

func TestAPasswordIsChangedByWhoKnowsIt(t *testing.T) {
	h := newHouse(t, console.Options{})
	b, other := h.signedIn("karl"), h.signedIn("karl")
	const change = "/gateway/account/password"
	for problem, form := range map[string]url.Values{
		"That is not the present password.":      {"present": {"wrong horse"}, "password": {"battery staple"}},
		"A password has at least 10 characters.": {"present": {secretWord}, "password": {"staple"}},
		"A password has at most 1024 bytes.":     {"present": {secretWord}, "password": {strings.Repeat("x", 1025)}},
		"That is not the present password. ":     {"password": {"battery staple"}},
	} {
		a := b.post(change, form)
		require.Equal(t, http.StatusBadRequest, a.status, problem)
		require.Contains(t, a.body, strings.TrimSpace(problem))
	}
	require.Equal(t, http.StatusOK, other.get("/gateway").status)
	a := b.post(change, url.Values{"present": {secretWord}, "password": {" battery staple "}})
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, "The password is changed")
	require.Equal(t, http.StatusOK, b.get("/gateway").status, "this browser stays")
	require.Equal(t, http.StatusSeeOther, other.get("/gateway").status, "every other is signed out")
	in := func(word string) int {
		return h.browser().post("/gateway/sign-in", url.Values{"name": {"karl"}, "password": {word}}).status
	}
	require.Equal(t, http.StatusUnauthorized, in(secretWord))
	require.Equal(t, http.StatusUnauthorized, in("battery staple"), "a password is taken as it was typed")
	require.Equal(t, http.StatusSeeOther, in(" battery staple "))
}

func TestGuessingThePresentPasswordIsBounded(t *testing.T) {
	h := newHouse(t, console.Options{SignInsPerName: 2})
	b := h.signedIn("karl")
	wrong := url.Values{"present": {"wrong horse"}, "password": {"battery staple"}}
	for range 2 {
		require.Equal(t, http.StatusBadRequest, b.post("/gateway/account/password", wrong).status)
	}
	right := url.Values{"present": {secretWord}, "password": {"battery staple"}}
	require.Equal(t, http.StatusTooManyRequests, b.post("/gateway/account/password", right).status)
}

func TestATokenOfAPersonIsShownOnceAndEnds(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("karl")
	a := b.post("/gateway/account/tokens", url.Values{"label": {"<i>nightly</i>"}, "lives": {"hour"}})
	require.Equal(t, http.StatusOK, a.status)
	token := shown(t, a)
	require.Equal(t, 1, strings.Count(a.body, token))
	page := b.get("/gateway/account")
	require.NotContains(t, page.body, token)
	require.Contains(t, page.body, "&lt;i&gt;nightly&lt;/i&gt;")

	require.Equal(t, http.StatusOK, h.browser().bearer("/gateway/account", token).status)
	in := h.browser()
	require.Equal(t, http.StatusSeeOther, in.post("/gateway/sign-in", url.Values{"token": {token}}).status)
	var key core.UserKey
	for _, k := range h.node.UserKeys(h.karl.ID) {
		if k.What == core.UserToken {
			key = k
		}
	}
	require.WithinDuration(t, h.node.Now().Add(3600e9), key.Until, patience)
	require.Equal(t, http.StatusNotFound, h.signedIn("olga").post("/gateway/account/keys/"+key.ID+"/revoke", nil).status,
		"nobody ends another one's from the account page")
	require.Equal(t, http.StatusSeeOther, b.post("/gateway/account/keys/"+key.ID+"/revoke", nil).status)
	require.Equal(t, http.StatusSeeOther, h.browser().bearer("/gateway/account", token).status)
	require.Equal(t, http.StatusUnauthorized, h.browser().post("/gateway/sign-in", url.Values{"token": {token}}).status)

	a = b.post("/gateway/account/tokens", url.Values{"label": {"x"}, "lives": {"century"}})
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "hour, day, month or ever")
	a = b.post("/gateway/account/tokens", url.Values{"label": {strings.Repeat("x", 100<<10)}, "lives": {"ever"}})
	require.Equal(t, http.StatusBadRequest, a.status)
}

// TestASessionSaysWhereItIs: by the name of the browser and the system, and not by all that a browser writes.
func TestASessionSaysWhereItIs(t *testing.T) {
	h := newHouse(t, console.Options{})
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                           "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0":            "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36":                         "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile Safari/604.1": "Safari on iPhone",
		"curl/8.14.1":            "curl/8.14.1",
		strings.Repeat("x", 300): strings.Repeat("x", 120),
	} {
		b := h.browser()
		form := url.Values{"name": {"karl"}, "password": {secretWord}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/gateway/sign-in", strings.NewReader(form.Encode()))
		require.NoError(t, err)
		r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "User-Agent": {agent}}
		require.Equal(t, http.StatusSeeOther, b.do(r).status)
		keys := h.node.UserKeys(h.karl.ID)
		require.Equal(t, want, keys[len(keys)-1].Label)
	}
}
