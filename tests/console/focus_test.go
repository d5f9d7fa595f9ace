package console_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatSomebodyIsAtComesUpToDate: a part of a page in which the focus is stays as it is, and shows what has become of it as
// soon as the focus leaves.
func TestWhatSomebodyIsAtComesUpToDate(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b, over := w.tab(t), w.tab(t)
	w.signIn(b)
	w.signIn(over)
	b.open("/gateway/rooms/" + p.room)
	b.await(isLive)
	over.await(`document.getElementById("link").innerText === "Live"`)
	value[bool](b, `(() => { const e = document.getElementById("aside"); e.tabIndex = -1; e.focus(); return true; })()`)
	value[bool](over, `(document.querySelector('[data-part="traffic"] summary').focus(), true)`)
	p.cleoSays("It is taken.")
	b.await(`document.querySelectorAll(".said").length === 1`)
	time.Sleep(3 * time.Second)
	require.Regexp(t, `Turn\s+0\s`, b.text("#aside .facts"), "what somebody is at stays")
	for _, each := range []*tab{b, over} {
		value[bool](each, `(document.activeElement.blur(), true)`)
	}
	b.await(`/Turn\s+1\s/.test(document.querySelector("#aside .facts").innerText)`)
	over.await(`document.querySelector(".chart title").textContent.startsWith("1 message ")`)
}
