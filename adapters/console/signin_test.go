package console_test

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
)

// refusingLog takes nothing while it is told so.
type refusingLog struct {
	core.Log
	why atomic.Pointer[error]
}

func (l *refusingLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if why := l.why.Load(); why != nil {
		return nil, *why
	}
	return l.Log.Append(ctx, s, last, e)
}

func TestSigningInSaysWhenTheLogTakesNothing(t *testing.T) {
	log := &refusingLog{Log: memlog.New()}
	h := newHouseIn(t, log, core.Options{}, console.Options{})
	here := h.signedIn("karl")
	for why, text := range map[error]string{core.ErrFull: "The disk is full", core.ErrReadOnly: "The log takes no changes"} {
		log.why.Store(&why)
		b := h.browser()
		a := b.post("/gateway/sign-in", url.Values{"name": {"karl"}, "password": {secretWord}, "next": {"/gateway/rooms"}})
		require.Equal(t, http.StatusServiceUnavailable, a.status)
		require.Contains(t, a.body, text)
		require.Contains(t, a.body, `value="/gateway/rooms"`, "one may try again from there")
		require.NotContains(t, a.body, "Sign out", "nobody is signed in")
		require.Empty(t, a.header.Values("Set-Cookie"))
		require.Equal(t, http.StatusUnauthorized, b.post("/gateway/sign-in", url.Values{"name": {"karl"}, "password": {"x"}}).status)

		require.Equal(t, http.StatusOK, here.get("/gateway/rooms").status, "who is in goes on looking")
		for _, path := range []string{"/gateway/tokens", "/gateway/start/token", "/gateway/account/tokens"} {
			a = here.post(path, url.Values{"label": {"x"}, "lives": {"hour"}})
			require.Equal(t, http.StatusServiceUnavailable, a.status, path)
		}
	}
	log.why.Store(nil)
	require.Equal(t, http.StatusSeeOther, here.post("/gateway/sign-out", nil).status)
}

// signedInWith is a browser in which somebody has signed in at a gateway whose public address has a scheme: a jar gives a
// secure cookie back over TLS alone, so the test carries it.
func (h *house) signedInWith(name, scheme string) *browser {
	h.t.Helper()
	b := h.browser()
	a := b.post("/gateway/sign-in", url.Values{"name": {name}, "password": {secretWord}})
	require.Equal(h.t, http.StatusSeeOther, a.status, a.body)
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	require.NoError(h.t, err)
	require.Equal(h.t, scheme == "https", cookie.Secure)
	b.http.Transport = carrying{cookie}
	return b
}

// carrying adds a cookie to each request.
type carrying struct{ cookie *http.Cookie }

func (c carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.AddCookie(c.cookie)
	return http.DefaultTransport.RoundTrip(r)
}

func TestCookiesStayOnTLSWhereThereIsTLS(t *testing.T) {
	for scheme, options := range map[string]console.Options{
		"https": {PublicURL: "https://rooms.example"}, "http": {PublicURL: "http://rooms.example"},
	} {
		h := newHouse(t, options)
		b := h.signedInWith("karl", scheme)
		require.Equal(t, http.StatusOK, b.get("/gateway").status)
		a := b.post("/gateway/sign-out", nil)
		gone, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		require.NoError(t, err)
		require.Equal(t, scheme == "https", gone.Secure)
		require.Empty(t, gone.Value)

		p := h.pair("cranes", 9)
		viewer, err := http.ParseSetCookie(h.browser().post(p.path(), url.Values{"code": {p.code}}).header.Get("Set-Cookie"))
		require.NoError(t, err)
		require.Equal(t, scheme == "https", viewer.Secure)
		require.True(t, viewer.HttpOnly)
		require.Equal(t, http.SameSiteStrictMode, viewer.SameSite)
	}
}
