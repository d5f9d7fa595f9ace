package console_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// another opens one more tab beside a tab, with its cookies.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, _ := chromedp.NewContext(b.ctx)
	more := &tab{t: b.t, base: b.base, ctx: ctx}
	b.t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	require.NoError(b.t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
	return more
}

// isSeen tells a page whether somebody sees it, as a browser does when tabs are changed.
func (b *tab) isSeen(seen bool) {
	b.t.Helper()
	state := "visible"
	if !seen {
		state = "hidden"
	}
	value[bool](b, fmt.Sprintf(`(() => {
		Object.defineProperty(document, "visibilityState", { value: %q, configurable: true });
		Object.defineProperty(document, "hidden", { value: document.visibilityState === "hidden", configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
		return true;
	})()`, state))
}

// TestManyTabs: a browser has six connections to a gateway at most, and each live page needs one. Pages that nobody sees give
// theirs back, so that more of them can be open, and have missed nothing when they are seen again.
func TestManyTabs(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	p.adaSays("before")
	b := w.tab(t)
	w.signIn(b)
	room := "/gateway/rooms/" + p.room
	b.open(room)
	b.await(isLive)
	tabs := []*tab{b}
	more := func() {
		next := b.another()
		next.open(room)
		next.await(isLive)
		tabs = append(tabs, next)
	}
	for range 4 {
		more()
	}
	for _, each := range tabs {
		each.isSeen(false)
	}
	for _, each := range tabs {
		each.await(`document.querySelector(".room").dataset.state === "resting"`)
	}
	for range 3 {
		more()
	}
	p.cleoSays("meanwhile")
	tabs[len(tabs)-1].await(`document.querySelectorAll(".said").length === 2`)
	require.Equal(t, 1, b.count(".said"), "nobody sees it")
	b.isSeen(true)
	// A browser that kept the page tells of both.
	value[bool](b, `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
	b.await(isLive)
	p.bertSays("after")
	b.await(`document.querySelectorAll(".said").length === 3`)
	require.Equal(t, []string{"before", "meanwhile", "after"}, b.texts(".said .words"))
}
