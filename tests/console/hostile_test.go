package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// hostile are messages of somebody who means harm to whoever reads them in a page.
func hostile() []string {
	return []string{
		`<script>window.canary = 1</script>`,
		`<img src="x" onerror="window.canary = 2"><svg onload="window.canary = 3">`,
		`[a link](javascript:window.canary=4) <a href="javascript:window.canary=5">click</a> ![](javascript:window.canary=6)`,
		`</textarea></title></style></script><script src="https://example.com/x.js"></script>`,
		`"><iframe srcdoc="<script>parent.canary = 7</script>"></iframe><form action="https://example.com"><button autofocus>`,
		`{{.User}} ${window.canary=8} <!-- --> ]]> &lt;b&gt; &amp;amp;`,
		"data: x\n\nevent: item\ndata: <b id=\"forged\">forged</b>\n\nend",
		strings.Repeat("w", 8192),
		strings.Repeat("\u0e47", 300) + strings.Repeat("Z\u0351\u0352\u0353", 200),
		"\u202egnp.eno\u202c \u2066left\u2069 \u200fright\u200e \u202dforced",
		"שלום עולם <script>window.canary = 9</script> hello",
		"a\ttab and  two spaces\n   and lines\n\nend",
	}
}

const unharmed = `window.canary === undefined && !document.getElementById("forged") && !document.querySelector(
	'main script, iframe, svg[onload], img[onerror], a[href^="javascript:"], [href*="example.com"], [action*="example.com"]')`

// shownTexts are the texts of messages as the page has them, by the DOM and not by what is laid out.
const shownTexts = `[...document.querySelectorAll(".said .words")].map((e) => e.textContent)`

// shortened is a message as the list shows it.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 4000 {
		return string(runes[:4000]) + "… the rest"
	}
	return text
}

// TestHostileMessages: whatever agents say, no page runs it, is broken by it, or withholds a part of it.
func TestHostileMessages(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(agentswitch.CreateRoomArgs{
		Name: "quay <script>window.canary = 10</script>", Description: strings.Repeat("d", 2000) + "<img src=x onerror=window.canary=11>",
	})
	listing := w.newPair("<script>window.canary = 12</script> "+strings.Repeat("t", 150), 40)
	w.areyouaiClient(`</bdi></a><img src=x onerror="window.canary=13"> ` + strings.Repeat("n", 80))
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.await(`document.querySelector(".room").dataset.state === "live"`)
	viewer := w.tab(t)
	viewer.open("/watch/" + listing.listing.RoomID)
	viewer.fill(`input[name="code"]`, listing.listing.HumanCode)
	viewer.submit(`input[name="code"]`)
	viewer.await(`document.querySelector(".watched")?.dataset.state === "live"`)

	want := make([]string, len(hostile()))
	for i, text := range hostile() {
		p.cleoSays(text)
		listing.next(text)
		want[i] = shortened(text)
	}
	for name, page := range map[string]*tab{"room": b, "watch": viewer} {
		// First as they arrive, then as a page that was loaded has them, then on a phone.
		page.await(fmt.Sprintf("document.querySelectorAll('.said').length === %d", len(want)))
		for _, way := range []string{"live", "loaded", "phone"} {
			switch way {
			case "loaded":
				page.do(chromedp.Reload())
				page.await(`document.querySelector(".room").dataset.state === "live"`)
			case "phone":
				page.do(chromedp.EmulateViewport(390, 800))
			}
			require.Equal(t, want, value[[]string](page, shownTexts), "%s %s", name, way)
			require.True(t, value[bool](page, unharmed), "%s %s", name, way)
			page.fits(name + " " + way)
		}
		page.do(chromedp.EmulateViewport(1280, 900))
	}

	// What a list shortens is whole behind its link.
	b.follow(".words a")
	require.Equal(t, hostile()[7], value[string](b, `document.querySelector(".whole").textContent`))
	b.fits("an event with a long word")
	viewer.follow(".words a")
	require.Equal(t, hostile()[7], value[string](viewer, `document.querySelector(".whole").textContent`))
	viewer.fits("a message with a long word")

	events := value[[]string](b, fmt.Sprintf(`fetch("/gateway/rooms/%s").then((a) => a.text()).then((page) =>
		[...new DOMParser().parseFromString(page, "text/html").querySelectorAll("#talk .at")].map((e) => e.getAttribute("href")))`, p.room))
	require.GreaterOrEqual(t, len(events), len(want))
	for _, path := range append(events, "/gateway", "/gateway/rooms", "/gateway/agents") {
		b.open(path)
		require.True(t, value[bool](b, unharmed), path)
		b.fits(path)
	}
}

// TestVeryLargeMessage: a text that would fill a page lies on one of its own, as plain text, also for whoever watches.
func TestVeryLargeMessage(t *testing.T) {
	w := newWorld(t, "--areyouai-message-chars", "60000", "--areyouai-body-bytes", "1000000")
	p := w.newPair("long reports", 10)
	text := strings.Repeat("<script>window.canary = 1</script> ", 1700) + "end"
	p.next(text)
	room := p.listing.RoomID
	b := w.tab(t)
	w.signIn(b)
	b.open("/watch/" + room)
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(isLive)
	for _, of := range []string{"/watch/", "/gateway/rooms/"} {
		b.open(of + room)
		b.follow(".words a")
		require.Less(t, value[int](b, `document.documentElement.outerHTML.length`), 60<<10, of)
		b.follow(`main a[href$="/text"]`)
		require.Equal(t, text, value[string](b, "document.body.textContent"), of)
		require.True(t, value[bool](b, `window.canary === undefined && document.contentType === "text/plain"`), of)
	}
	path := value[string](b, "location.pathname")
	stranger := w.tab(t)
	for _, of := range []string{path, strings.Replace(path, "/gateway/rooms/", "/watch/", 1)} {
		stranger.open(of)
		require.NotContains(t, stranger.text("body"), "canary", of)
	}
}
