package console_test

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// hearing lets a page keep what its live stream told it, once it has dealt with that, in "heard".
const hearing = `window.heard = [];
	const listen = EventSource.prototype.addEventListener;
	EventSource.prototype.addEventListener = function (name, handle) {
		listen.call(this, name, (event) => { handle(event); heard.push(name + " " + event.data); });
	};`

// TestWhatSomebodyIsAtComesUpToDate: a part of a page in which the focus is stays as it is, and shows what has become of it as
// soon as the focus leaves.
func TestWhatSomebodyIsAtComesUpToDate(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b, over := w.tab(t), w.tab(t)
	w.signIn(b)
	w.signIn(over)
	for _, each := range []*tab{b, over} {
		_, err := chromedp.Call(each.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hearing})
		require.NoError(t, err)
	}
	b.open("/gateway/rooms/" + p.room)
	over.open("/gateway")
	b.await(isLive)
	over.await(`document.getElementById("link").innerText === "Live"`)
	value[bool](b, `(() => { const e = document.getElementById("aside"); e.tabIndex = -1; e.focus(); return true; })()`)
	value[bool](over, `(document.querySelector('[data-part="traffic"] summary').focus(), true)`)
	p.cleoSays("It is taken.")
	b.await(`document.querySelectorAll(".said").length === 1`)
	b.await(`heard.some((e) => e.startsWith("aside ") && /<dt>Turn<\/dt><dd>1</.test(e))`)
	over.await(`heard.some((e) => e.startsWith("traffic ") && e.includes(">1 message "))`)
	require.Regexp(t, `Turn\s+0\s`, b.text("#aside .facts"), "what somebody is at stays")
	require.Regexp(t, "^0 messages ", value[string](over, `document.querySelector(".chart title").textContent`))
	for _, each := range []*tab{b, over} {
		value[bool](each, `(document.activeElement.blur(), true)`)
	}
	b.await(`/Turn\s+1\s/.test(document.querySelector("#aside .facts").innerText)`)
	over.await(`document.querySelector(".chart title").textContent.startsWith("1 message ")`)
}
