package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
)

func TestPagesAskForASignInAndGoOn(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.browser()
	a := b.get("/gateway?x=1")
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Equal(t, "/gateway/sign-in?next=%2Fgateway%3Fx%3D1", a.header.Get("Location"))
	a = b.get(a.header.Get("Location"))
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `name="next" value="/gateway?x=1"`)

	a = b.post("/gateway/sign-in", url.Values{"name": {"olga"}, "password": {"wrong horse"}, "next": {"/gateway?x=1"}})
	require.Equal(t, http.StatusUnauthorized, a.status)
	require.Contains(t, a.body, "do not belong together")
	require.Empty(t, a.header.Values("Set-Cookie"))

	a = b.post("/gateway/sign-in", url.Values{"name": {"olga"}, "password": {secretWord}, "next": {"/gateway?x=1"}})
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Equal(t, "/gateway?x=1", a.header.Get("Location"))
	cookie := a.header.Get("Set-Cookie")
	for _, word := range []string{"stele_session=stele_", "HttpOnly", "SameSite=Strict", "Path=/gateway"} {
		require.Contains(t, cookie, word)
	}
	require.Equal(t, http.StatusOK, b.get("/gateway").status)
	require.Equal(t, http.StatusSeeOther, b.get("/gateway/sign-in").status, "who is in already need not sign in")

	a = b.post("/gateway/sign-out", nil)
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Equal(t, http.StatusSeeOther, b.get("/gateway").status)
	require.Empty(t, h.node.UserKeys(h.olga.ID), "the session is dead, not only forgotten by the browser")
}

// A password in a URL would be kept by whatever logs URLs.
func TestAURLSignsNobodyIn(t *testing.T) {
	h := newHouse(t, console.Options{})
	inURL := "/gateway/sign-in?" + url.Values{"name": {"olga"}, "password": {secretWord}}.Encode()
	require.Equal(t, http.StatusUnauthorized, h.browser().post(inURL, nil).status)
}

func TestATokenSignsIn(t *testing.T) {
	h := newHouse(t, console.Options{})
	token, _, err := h.node.NewUserToken(t.Context(), h.karl.ID, "test", time.Time{})
	require.NoError(t, err)
	b := h.browser()
	require.Equal(t, http.StatusUnauthorized, b.post("/gateway/sign-in", url.Values{"token": {token + "x"}}).status)
	require.Equal(t, http.StatusSeeOther, b.post("/gateway/sign-in", url.Values{"token": {token}}).status)
	require.Contains(t, b.get("/gateway").body, "karl")
}

// TestASessionEndsWithItsToken: whoever signs in with a token for an hour is not signed in for a week.
func TestASessionEndsWithItsToken(t *testing.T) {
	h := newHouse(t, console.Options{})
	until := h.node.Now().Add(time.Hour)
	token, _, err := h.node.NewUserToken(t.Context(), h.karl.ID, "test", until)
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, h.browser().post("/gateway/sign-in", url.Values{"token": {token}}).status)
	for _, k := range h.node.UserKeys(h.karl.ID) {
		require.True(t, k.Until.Equal(until), k.What)
	}
}

func TestNobodyIsSentElsewhere(t *testing.T) {
	h := newHouse(t, console.Options{})
	for _, next := range []string{"https://evil.example", "//evil.example", "/agents", `/gateway\..\x`, "/gateway/../agents", "javascript:1", ""} {
		a := h.browser().post("/gateway/sign-in", url.Values{"name": {"olga"}, "password": {secretWord}, "next": {next}})
		require.Equal(t, "/gateway", a.header.Get("Location"), next)
	}
}

func TestGuessingIsBounded(t *testing.T) {
	h := newHouse(t, console.Options{SignInsPerIP: 6, SignInsPerName: 3})
	b := h.browser()
	wrong := url.Values{"name": {"olga"}, "password": {"wrong horse"}}
	for range 3 {
		require.Equal(t, http.StatusUnauthorized, b.post("/gateway/sign-in", wrong).status)
	}
	right := url.Values{"name": {"olga"}, "password": {secretWord}}
	require.Equal(t, http.StatusTooManyRequests, b.post("/gateway/sign-in", right).status, "also with the right password")
	token, _, err := h.node.NewUserToken(t.Context(), h.olga.ID, "test", time.Time{})
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, h.browser().post("/gateway/sign-in", url.Values{"token": {token}}).status,
		"nobody can be locked out by others' guesses")
	for range 3 {
		require.Equal(t, http.StatusUnauthorized, b.post("/gateway/sign-in", url.Values{"name": {"karl"}, "password": {"x"}}).status)
	}
	require.Equal(t, http.StatusTooManyRequests, b.post("/gateway/sign-in", url.Values{"token": {token + "x"}}).status, "the address is used up")
	require.Equal(t, http.StatusSeeOther, b.post("/gateway/sign-in", url.Values{"token": {token}}).status,
		"behind a proxy the address is everybody's")
}

func TestOtherSitesChangeNothing(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("olga")
	for name, header := range map[string]http.Header{
		"a browser that says so": {"Sec-Fetch-Site": {"cross-site"}},
		"an older browser":       {"Origin": {"https://evil.example"}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/gateway/sign-out", strings.NewReader(""))
		require.NoError(t, err)
		r.Header = header
		require.Equal(t, http.StatusForbidden, b.do(r).status, name)
	}
	require.Equal(t, http.StatusOK, b.get("/gateway").status)
}

// TestThePublicOriginIsOnesOwn: behind a proxy that asks for the gateway by another name, the console's own forms are taken, and
// those of others are not.
func TestThePublicOriginIsOnesOwn(t *testing.T) {
	for base, origin := range map[string]string{
		"https://rooms.example/":       "https://rooms.example",
		"https://Rooms.example:443/at": "https://rooms.example",
		"http://rooms.example:8080":    "http://rooms.example:8080",
	} {
		h := newHouse(t, console.Options{PublicURL: base})
		b := h.browser()
		for from, want := range map[string]int{origin: http.StatusSeeOther, "https://evil.example": http.StatusForbidden} {
			form := url.Values{"name": {"olga"}, "password": {secretWord}}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/gateway/sign-in", strings.NewReader(form.Encode()))
			require.NoError(t, err)
			r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {from}}
			a := b.do(r)
			require.Equal(t, want, a.status, "%s from %s", base, from)
			if want == http.StatusForbidden {
				require.Contains(t, a.body, "What changes something must come from a page of this console.<")
				require.NotEmpty(t, a.header.Get("Content-Security-Policy"))
			}
		}
	}
}

// TestHeadsOfPages: what answers GET answers HEAD alike, without the page; a live stream has no head to tell.
func TestHeadsOfPages(t *testing.T) {
	h := newHouse(t, console.Options{})
	room := h.room("ops", "olga", h.agent("ada", "olga"))
	b := h.signedIn("olga")
	page := b.get("/gateway").body
	_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	style, _, _ := strings.Cut(rest, `"`)
	for path, want := range map[string]int{
		"/gateway": 200, "/gateway/rooms/" + room: 200, style: 200, "/watch": 200, "/gateway/none": 404,
		"/gateway/agents/" + h.agent("bob", "olga").ID + "/trace": 200,
		"/gateway/live": 405,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, b.base+path, nil)
		require.NoError(t, err)
		r.Header.Set("Accept", "text/event-stream")
		a := b.do(r)
		require.Equal(t, want, a.status, path)
		require.Empty(t, a.body, path)
	}
}

func TestPagesAreCareful(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.signedIn("olga")
	for _, path := range []string{"/gateway", "/gateway/sign-in", "/gateway/none"} {
		a := b.get(path)
		csp := a.header.Get("Content-Security-Policy")
		require.Contains(t, csp, "default-src 'none'")
		require.NotContains(t, csp, "unsafe")
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		require.Equal(t, "same-origin", a.header.Get("Referrer-Policy"), "forms tell the gateway where they are from")
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		require.NotContains(t, a.body, "<script>")
		require.NotContains(t, a.body, "style=")
	}
	require.Equal(t, http.StatusNotFound, b.get("/gateway/none").status)
	require.Equal(t, http.StatusRequestEntityTooLarge,
		h.browser().post("/gateway/sign-in", url.Values{"name": {strings.Repeat("x", 2<<20)}}).status)
}

func TestFilesAreKeptForEverUnderTheirVersion(t *testing.T) {
	h := newHouse(t, console.Options{})
	b := h.browser()
	page := b.get("/gateway/sign-in").body
	_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	path, _, _ := strings.Cut(rest, `"`)
	a := b.get(path)
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "text/css; charset=utf-8", a.header.Get("Content-Type"))
	require.Contains(t, a.header.Get("Cache-Control"), "immutable")
	require.Equal(t, http.StatusNotFound, b.get("/gateway/assets/x/none.css").status)
	require.NotContains(t, b.get("/gateway/assets/x/style.css").header.Get("Cache-Control"), "immutable")
}
