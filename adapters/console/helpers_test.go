package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/console"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
	"stele/internal/password"
)

// patience is far more than anything here needs.
const patience = 60 * time.Second

// secretWord is everybody's password here.
const secretWord = "correct horse"

// house is a console with a node behind it and people who may sign in: olga, an administrator, and karl.
type house struct {
	t          *testing.T
	node       *core.Node
	server     *httptest.Server
	olga, karl core.User
	close      func()
}

func newHouse(t *testing.T, o console.Options) *house {
	t.Helper()
	return newHouseIn(t, memlog.New(), core.Options{}, o)
}

// newHouseIn is a house on a log in which nobody lives yet.
func newHouseIn(t *testing.T, log core.Log, n core.Options, o console.Options) *house {
	t.Helper()
	h := openHouse(t, log, n, o)
	node := h.node
	hash, err := password.Make(secretWord)
	require.NoError(t, err)
	h.olga, err = node.CreateUser(t.Context(), core.NewUser{Name: "olga", PasswordHash: hash, Admin: true})
	require.NoError(t, err)
	h.karl, err = node.CreateUser(t.Context(), core.NewUser{Name: "karl", PasswordHash: hash})
	require.NoError(t, err)
	return h
}

// openHouse is a house with whoever lives in a log; close ends it before the test does.
func openHouse(t *testing.T, log core.Log, n core.Options, o console.Options) *house {
	t.Helper()
	node, err := core.Open(t.Context(), log, n)
	require.NoError(t, err)
	pages := console.New(node, operations.New(node), o)
	h := &house{t: t, node: node, server: httptest.NewServer(pages.Handler())}
	h.close = sync.OnceFunc(func() {
		pages.Drain()
		h.server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, node.Close(ctx))
	})
	t.Cleanup(h.close)
	return h
}

// browser keeps cookies and follows no redirect.
type browser struct {
	t    *testing.T
	base string
	http *http.Client
}

func (h *house) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	return &browser{t: h.t, base: h.server.URL, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn is a browser in which somebody has signed in.
func (h *house) signedIn(name string) *browser {
	h.t.Helper()
	b := h.browser()
	a := b.post("/gateway/sign-in", url.Values{"name": {name}, "password": {secretWord}})
	require.Equal(h.t, http.StatusSeeOther, a.status, a.body)
	return b
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (b *browser) do(r *http.Request) answer {
	b.t.Helper()
	res, err := b.http.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return answer{status: res.StatusCode, header: res.Header, body: string(body)}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.base+path, nil)
	require.NoError(b.t, err)
	return b.do(r)
}

// post sends a form as the console's own page would.
func (b *browser) post(path string, form url.Values) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}
