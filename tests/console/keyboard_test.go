package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// focus is what has the keyboard.
type focus struct {
	// Name is what a person calls it, Tag what it is.
	Name, Tag string
	// Place counts it among all that can have the keyboard, in the page's order; -1: nothing has it.
	Place int
	// Ring: it is seen that it has it.
	Ring bool
}

// reachable is all that can have the keyboard, in the page's order.
const reachable = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
	.filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }))`

const readFocus = `(() => {
	const all = ` + reachable + `;
	const e = document.activeElement;
	const style = getComputedStyle(e);
	const box = e.getBoundingClientRect();
	return {
		Name: (e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.innerText || e.name || "").trim().slice(0, 60), Tag: e.localName,
		Place: all.indexOf(e), Ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 0,
	};
})()`

// tabTo presses Tab until something with a name has the keyboard.
func (b *tab) tabTo(name string) {
	b.t.Helper()
	for range 200 {
		b.press("\t")
		if value[focus](b, readFocus).Name == name {
			return
		}
	}
	b.t.Fatalf("Tab does not reach %q on %s", name, b.shows())
}

// TestTabOrder: on every page Tab reaches everything, in the order in which it stands, and it is seen where one is.
func TestTabOrder(t *testing.T) {
	f := newFair(t)
	for _, s := range f.sights() {
		b := f.show(s)
		// From before all that the page has; a field may have the keyboard already.
		value[bool](b, `(document.activeElement.blur(), getSelection().removeAllRanges(), document.body.prepend(Object.assign(
			document.createElement("span"), { tabIndex: -1, id: "begin" })), document.getElementById("begin").focus(), true)`)
		n := value[int](b, reachable+".length")
		for want := range n {
			b.press("\t")
			now := value[focus](b, readFocus)
			require.Equal(t, want, now.Place, "%s: at %+v", s.name, now)
			require.True(t, now.Ring, "%s: it is not seen that %+v has the keyboard", s.name, now)
		}
	}
}

// TestKeyboardAlone: somebody without a mouse signs in, skips to the page, opens a room, speaks, scrolls, reads the newest event
// in three scripts, and makes a token.
func TestKeyboardAlone(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	for range 30 {
		p.bertSays("The crane is free.\nUntil two.")
	}
	b := w.tab(t)
	b.open("/gateway")
	require.Equal(t, "Name", value[focus](b, readFocus).Name, "the field has the keyboard")
	b.press("admin\t" + w.password + "\r")
	b.await(`location.pathname === "/gateway" && document.readyState === "complete"`)

	b.press("\t")
	require.Equal(t, "Skip to the page", value[focus](b, readFocus).Name)
	require.True(t, value[bool](b, `document.activeElement.getBoundingClientRect().left >= 0`), "a skip link that has the keyboard is seen")
	b.press("\r")
	b.await(`document.activeElement.id === "main"`)
	b.press("\t")
	require.True(t, value[bool](b, `document.getElementById("main").contains(document.activeElement)`), "the skip link skips")

	b.open("/gateway/rooms")
	b.tabTo("harbour")
	b.press("\r")
	b.await(`document.readyState === "complete" && ` + isLive)
	b.tabTo("Messages")
	b.await(`document.getElementById("scroller").scrollTop > 0`)
	before := value[int](b, `document.getElementById("scroller").scrollTop`)
	b.press("\u0306")
	b.await(`document.getElementById("scroller").scrollTop < 1`)
	require.Positive(t, before)

	b.tabTo("Join as admin")
	b.press("\r")
	b.await(`document.readyState === "complete" && document.getElementById("say") && ` + isLive)
	b.tabTo("Message")
	b.press("Said without a mouse.")
	b.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.await(`document.querySelector(".said.mine")?.innerText.includes("Said without a mouse.")`)
	require.Equal(t, "textarea", value[focus](b, readFocus).Tag, "the keyboard stays where one writes")

	b.open("/gateway/tokens")
	b.tabTo("Make a token")
	b.press("\r")
	b.await(`document.querySelector(".secret code")`)
	require.NotEmpty(t, strings.TrimSpace(b.text(".secret code")))
}
