package edge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
	agentswitch "stele/switch"
	"stele/tests/internal/npm"
)

// chromium is the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	npm.Lacks(t, "chromium", "the edge door with a browser's WebSocket and EventSource")
	return ""
}

// browse starts a browser of its own, which ends with the test. One that breaks down while it starts, as happens on a busy
// machine, says nothing about the gateway: there is another try.
func browse(t *testing.T) tab {
	t.Helper()
	path := chromium(t)
	flags := []string{
		"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync",
	}
	var err error
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
		t.Cleanup(cancel)
		options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir())}
		for _, flag := range flags {
			options = append(options, chromedp.Flag(flag, true))
		}
		ctx, stop := chromedp.NewExecAllocator(ctx, options...)
		t.Cleanup(stop)
		ctx, _ = chromedp.NewContext(ctx)
		t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
		if err = chromedp.Do(ctx, chromedp.Navigate("about:blank")); err == nil {
			return tab{t, ctx}
		}
		t.Log(err)
	}
	require.NoError(t, err)
	return tab{}
}

// pages serves the clients' files under an origin of its own.
func pages(t *testing.T, dir string) string {
	t.Helper()
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(srv.Close)
	return srv.URL
}

// tab is a tab of a browser of its own.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// load opens the page of an origin.
func (b tab) load(origin string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(origin+"/page.html")))
	b.await("window.loaded")
}

// await waits until an expression of the page is true.
func (b tab) await(expression string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Poll[chromedp.Void](expression,
		chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))), expression)
}

// evaluate calls a function of the page with arguments, and waits for what it promises.
func evaluate[T any](b tab, function string, args ...any) T {
	b.t.Helper()
	texts := make([]string, len(args))
	for i, arg := range args {
		text, err := json.Marshal(arg)
		require.NoError(b.t, err)
		texts[i] = string(text)
	}
	call := fmt.Sprintf("window.%s(%s)", function, strings.Join(texts, ", "))
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](call, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, call)
	return value
}

// places are the addresses of a conversation at a gateway, for all transports.
func places(url, path, token string) map[string]string {
	return map[string]string{
		"ws": "ws" + strings.TrimPrefix(url, "http") + path, "token": token,
		"sse": url + path + "?subscribe=state,messages,events&token=" + token, "rpc": url + path + "/rpc",
	}
}

// mirrors is what the page's mirrors hold, and how often each was greeted.
type mirrors struct {
	Socket, Source struct {
		State    string
		Messages []string
		Events   []int
		Faults   []string
	}
	Links, Streams int
}

// TestBrowserMirrors: a page mirrors a room over the browser's own WebSocket and EventSource, also over a cut of both.
func TestBrowserMirrors(t *testing.T) {
	t.Parallel()
	dir := here(t)
	page := browse(t)
	origin, foreign := pages(t, dir), pages(t, dir)
	w := newWorld(t, "--edge-origins", origin)
	c := newCutter(t, strings.TrimPrefix(w.url, "http://"), 0)
	room := w.room(t.Context(), "shown", "private")
	path := "/agents/alice/" + room
	at := places(c.url(), path, w.agents["bob"].Key)
	writer := newEdgeWriter(t, places(w.url, path, "")["ws"], w.agents["alice"].Key)

	says := func(text string) {
		t.Helper()
		_, err := w.client("alice").PostNotice(t.Context(), agentswitch.MessageRequest{RoomID: room, Content: text})
		require.NoError(t, err)
	}
	says("before")
	page.load(origin)
	evaluate[chromedp.Void](page, "begin", at)
	writer("setRoomState", map[string]any{"patch": superjson.NewObject(
		superjson.Member{Key: "due", Value: superjson.DateOf(time.UnixMilli(1767323045678))},
		superjson.Member{Key: "tags", Value: superjson.NewSet(superjson.String("a"))},
		superjson.Member{Key: "gone", Value: superjson.Int(1)},
	)})
	says("live")
	writer("emitEvent", "mark:1")
	page.await(`window.caughtUp(2, "mark:1")`)

	c.cutAll()
	writer("setRoomState", map[string]any{"patch": superjson.NewObject(
		superjson.Member{Key: "gone", Value: superjson.Null{}}, superjson.Member{Key: "none", Value: superjson.Undefined{}},
	)})
	called := evaluate[map[string]string](page, "call", at, "postMessage", []string{"from the page"})
	require.NotEmpty(t, called["event_id"])
	writer("emitEvent", "mark:2")
	page.await(`window.caughtUp(3, "mark:2")`)

	got := evaluate[mirrors](page, "report", []string{"due", "tags", "gone", "none"})
	require.Equal(t, [2]int{2, 2}, [2]int{got.Links, got.Streams}, "connections of each mirror")
	require.Equal(t, got.Socket, got.Source)
	require.Equal(t, []string{"before", "live", "from the page"}, got.Socket.Messages)
	require.Empty(t, got.Socket.Faults)
	for i, seq := range got.Socket.Events {
		require.Equal(t, i+1, seq)
	}
	require.Equal(t, `{"json":{"due":"2026-01-02T03:04:05.678Z","tags":["a"],"none":null},`+
		`"meta":{"values":{"due":["Date"],"tags":["set"],"none":["undefined"]},"v":1}}`, got.Socket.State)

	page.load(foreign)
	knocked := evaluate[[]string](page, "knock", at)
	require.Equal(t, []string{"closed with 1006", "refused", "TypeError"}, knocked, "a page of another origin")
}

// newEdgeWriter connects to an address and returns what calls there.
func newEdgeWriter(t *testing.T, address, token string) func(method string, args ...any) {
	t.Helper()
	client, err := edgeframes.NewClient(address, edgeframes.ClientOptions{Token: token, Subscribe: []edgeframes.Stream{}})
	require.NoError(t, err)
	client.Start(t.Context())
	t.Cleanup(client.Close)
	return func(method string, args ...any) {
		t.Helper()
		_, err := client.Call(t.Context(), method, args...)
		require.NoError(t, err)
	}
}
