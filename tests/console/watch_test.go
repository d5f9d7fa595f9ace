package console_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"stele/areyouai"
)

// pair is two agents of areyouai in a room of turns.
type pair struct {
	w          *world
	bert, dora *areyouai.Client
	listing    areyouai.ListingReply
}

func (w *world) areyouaiClient(name string) *areyouai.Client {
	w.t.Helper()
	c, err := areyouai.NewClient(w.url, areyouai.ClientOptions{HTTP: w.http})
	require.NoError(w.t, err)
	_, err = c.Register(w.t.Context(), name)
	require.NoError(w.t, err)
	return c
}

// newPair lets Bert offer a conversation and Dora take the other side.
func (w *world) newPair(topic string, turns int64) *pair {
	w.t.Helper()
	p := &pair{w: w, bert: w.areyouaiClient("bert"), dora: w.areyouaiClient("dora")}
	var err error
	p.listing, err = p.bert.CreateListing(w.t.Context(), areyouai.ListingRequest{Topic: topic, MaxTurns: turns})
	require.NoError(w.t, err)
	_, err = p.dora.Connect(w.t.Context(), p.listing.ID)
	require.NoError(w.t, err)
	return p
}

// next lets whoever has the turn say something.
func (p *pair) next(text string) {
	p.w.t.Helper()
	ctx := p.w.t.Context()
	now, err := p.bert.Context(ctx, p.listing.RoomID)
	require.NoError(p.w.t, err)
	who := p.bert
	if now.NextActorID != p.bert.AgentID() {
		who = p.dora
		now, err = who.Context(ctx, p.listing.RoomID)
		require.NoError(p.w.t, err)
	}
	_, err = who.Send(ctx, p.listing.RoomID, areyouai.SendRequest{ExpectedTurn: now.NextTurn, Ciphertext: text, BundleHash: now.BundleHash})
	require.NoError(p.w.t, err)
}

// TestWatch: somebody with the room's code, who is nobody to the console, reads along and is told how it ends.
func TestWatch(t *testing.T) {
	w := newWorld(t)
	p := w.newPair("which berth for the Aurora?", 4)
	p.next("Berth four is free.")
	room := p.listing.RoomID
	b := w.tab(t)
	b.open("/watch/" + room)
	b.fill(`input[name="code"]`, "not the code")
	b.submit(`input[name="code"]`)
	require.NotEmpty(t, b.text(`[role="alert"]`))
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(`document.querySelector(".watched")?.dataset.state === "live"`)
	require.Equal(t, "which berth for the Aurora?", b.text("h1"))
	require.Equal(t, []string{"Berth four is free."}, b.texts(".said .words"))

	_, err := p.bert.StartTyping(t.Context(), room, 10*time.Second)
	if err != nil {
		_, err = p.dora.StartTyping(t.Context(), room, 10*time.Second)
	}
	require.NoError(t, err)
	b.await(`/writes? …/.test(document.getElementById("standing").innerText)`)
	p.next("Is it deep enough?")
	b.await(`document.querySelectorAll(".said").length === 2`)
	_, err = p.bert.Ack(t.Context(), room, 1)
	require.NoError(t, err)
	b.await(`document.querySelector(".seen")`)
	b.fits("watch")

	// A person without the code sees nothing, also not where the first one is let in.
	other := w.tab(t)
	other.open("/watch/" + room)
	require.Zero(t, other.count(".said"))

	p.next("Nine metres.")
	p.next("Taken, then.")
	b.await(`document.querySelector("#standing .notice")`)
	require.Contains(t, b.text("#standing"), "The room is closed: all turns were used")
	require.Equal(t, []string{"Berth four is free.", "Is it deep enough?", "Nine metres.", "Taken, then."}, b.texts(".said .words"))
	b.follow("#leave button")
	require.Zero(t, b.count(".said"))
}

// TestWatchByLink: a link with the code behind its # fills it in, and the code leaves the address.
func TestWatchByLink(t *testing.T) {
	w := newWorld(t)
	p := w.newPair("tides", 10)
	b := w.tab(t)
	b.open("/watch/" + p.listing.RoomID + "#" + p.listing.HumanCode)
	b.await(`document.querySelector('input[name="code"]').value !== ""`)
	require.Empty(t, value[string](b, "location.hash"))
	b.press("\r")
	b.await(`document.querySelector(".watched")?.dataset.state === "live"`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := p.bert.Close(ctx, p.listing.RoomID)
	require.NoError(t, err)
	b.await(`document.querySelector("#standing .notice")`)
	require.Contains(t, b.text("#standing"), "one of its members closed it")
}

// TestWatchPurged: when the content is destroyed, it leaves the open page, which says so.
func TestWatchPurged(t *testing.T) {
	w := newWorld(t, "--purge-grace", "1s", "--purge-retention", "1s")
	p := w.newPair("secrets", 10)
	p.next("The cargo is gold.")
	b := w.tab(t)
	b.open("/watch/" + p.listing.RoomID)
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(`document.querySelector(".said .words")?.innerText === "The cargo is gold."`)
	_, err := p.bert.Close(t.Context(), p.listing.RoomID)
	require.NoError(t, err)
	b.await(`document.querySelector("#over .notice")`)
	require.Contains(t, b.text("#over"), "destroyed")
	require.NotContains(t, value[string](b, "document.documentElement.outerHTML"), "gold")
	b.open("/watch/" + p.listing.RoomID)
	require.Contains(t, b.text("main"), "destroyed")
}

// TestWatchedOutOfSight: the page of somebody who watches goes on when nobody sees it, also when that begins between a message and
// the frame in which it would be drawn.
func TestWatchedOutOfSight(t *testing.T) {
	w := newWorld(t)
	p := w.newPair("which berth for the Aurora?", 4)
	b := w.tab(t)
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hearing})
	require.NoError(t, err)
	b.open("/watch/" + p.listing.RoomID)
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(`document.querySelector(".watched")?.dataset.state === "live"`)
	value[bool](b, `(window.requestAnimationFrame = () => 0, true)`)
	p.next("Berth four is free.")
	b.await(`heard.some((e) => e.startsWith("item ") && e.includes("Berth four"))`)
	require.Zero(t, b.count(".said"), "the frame has not come")
	b.isSeen(false)
	b.await(`document.querySelectorAll(".said").length === 1`)
	p.next("Is it deep enough?")
	b.await(`document.querySelectorAll(".said").length === 2`)
}
