package console_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// tab is a tab with cookies of its own. It closes with its test, which fails when something went wrong in it.
type tab struct {
	t    *testing.T
	base string
	ctx  context.Context

	mu sync.Mutex
	// wrong is what went wrong.
	wrong []string
}

// tab opens a tab on the world's gateway.
func (w *world) tab(t *testing.T) *tab {
	t.Helper()
	browser := chrome.start(t)
	ctx, _ := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t: t, base: w.url, ctx: ctx}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.wrong, "what went wrong in the tab")
	})
	return b
}

// hear is told of every event of the tab.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		// Over plain http a browser says of one of the headers that it does not need it.
		needless := strings.HasPrefix(e.Entry.Text, "The Cross-Origin-Opener-Policy header has been ignored")
		if e.Entry.Level == cdplog.EntryLevelError && e.Entry.Source != cdplog.EntrySourceNetwork && !needless {
			b.wrong = append(b.wrong, string(e.Entry.Source)+": "+e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, b.base+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			b.wrong = append(b.wrong, "request to "+url)
		}
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...))
}

// open goes to a page of the gateway.
func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// follow clicks on something that leads to another page, and waits for that. It does the rest of its arguments first.
func (b *tab) follow(css string, before ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.do(before...)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible))
	require.NoError(b.t, err, css)
}

// submit sends the form that a field stands in by the Enter key, and waits for the next page.
func (b *tab) submit(css string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.RunResponse(ctx, chromedp.SendKeys(chromedp.CSS(css), "\r"))
	require.NoError(b.t, err, css)
}

// fill types into a field.
func (b *tab) fill(css, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(css), text, chromedp.NodeVisible))
}

// press presses keys, wherever the focus is.
func (b *tab) press(keys string, options ...chromedp.KeyOption) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys, options...))
}

// await waits until an expression of the page is true, also over a change of the page.
func (b *tab) await(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.t.Fatalf("in vain waited for %s (%v) on %s:\n%s", expression, err, b.base, b.shows())
		}
	}
}

// shows is the text of the page, for messages of failed tests.
func (b *tab) shows() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText.slice(0, 3000)"))
	if err != nil {
		return err.Error()
	}
	return text
}

// value evaluates an expression of the page, a promise or not.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return v
}

// text is what people read in the first element of a selector.
func (b *tab) text(css string) string {
	b.t.Helper()
	return strings.TrimSpace(value[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", css)))
}

// texts is the same of all its elements.
func (b *tab) texts(css string) []string {
	b.t.Helper()
	return value[[]string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.innerText.trim())", css))
}

// count is how many elements a selector has.
func (b *tab) count(css string) int {
	b.t.Helper()
	return value[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", css))
}

// tooWide are the innermost elements that reach beyond a window that the page does not fit into.
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
	.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 160)).slice(-4).concat("…")`

// fits checks that the page is not wider than the window.
func (b *tab) fits(msg string) {
	b.t.Helper()
	require.Empty(b.t, value[[]string](b, tooWide), "what makes the page wider than the window: %s", msg)
}

// clicks clicks on the first element of a selector.
func clicks(css string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible)
}

// selects picks the option with a text.
func selects(css, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const list = document.querySelector(%q);
		const option = [...list.options].find((o) => o.text === %q);
		if (!option) throw new Error("no such option");
		list.value = option.value;
		list.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, css, text))
}

// opened opens what is folded behind a summary.
func opened(summary string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void [...document.querySelectorAll("summary")].find((s) => s.innerText === %q).click()`, summary))
}
