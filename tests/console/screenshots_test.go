package console_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// maxPicture bounds a picture of the documentation, in bytes.
const maxPicture = 150_000

// picture writes what the tab shows, from the top to so many pixels below it.
func (b *tab) picture(file string, height float64) {
	b.t.Helper()
	b.frames(4)
	shot, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, Clip: &page.Viewport{Width: 1280, Height: height, Scale: 1}, CaptureBeyondViewport: new(true),
	})
	require.NoError(b.t, err)
	small, err := lean(shot.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(file, small, 0o644))
	require.Less(b.t, len(small), maxPicture, file)
}

// TestScreenshots writes the pictures of the documentation into the folder that STELE_SCREENSHOTS names: a conversation that is
// always the same, as it looks in light.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("STELE_SCREENSHOTS")
	if dir == "" {
		t.Skip("pictures are made by make screenshots")
	}
	w := newWorld(t)
	p := w.newParty(agentswitch.CreateRoomArgs{
		Name: "harbour", Description: "Berths, cranes and crews of the day.",
		Roles: []agentswitch.RoleArgs{
			{Name: "pilot", Instructions: "Bring ships in.", Exclusive: true}, {Name: "crew", Instructions: "Load and unload."},
		},
	})
	ctx := t.Context()
	_, err := p.ada.AssumeRole(ctx, "pilot")
	require.NoError(t, err)
	_, err = p.ada.CreateRoomDocument(ctx, agentswitch.CreateDocumentArgs{
		Name: "tides", Description: "High and low water, this week", Content: "08:12 4.1 m",
	})
	require.NoError(t, err)
	p.adaSays("Good morning @bert and @cleo, is the crane free at noon?")
	p.bertSays("It is, until two o'clock.")
	_, err = p.cleo.Call(ctx, "set_room_state", map[string]any{"patch": map[string]any{"crane": "booked", "berth": 4}})
	require.NoError(t, err)
	p.cleoSays("I can have the crew there by 11:45 – ça va?")
	p.adaSays("@cleo perfect. Berth four, then: nine metres of water, and the Aurora draws seven.")
	p.bertSays("I tell the pilot. Anything for the way back?")
	p.adaSays("@bert forty crates of oranges, if the crew has an hour.")
	pair := w.newPair("which berth for the Aurora?", 8)
	pair.next("Berth four is free.")
	pair.next("Is it deep enough?")

	b := w.tab(t)
	w.signIn(b)
	b.as(looks()[0])
	b.open("/gateway/rooms/" + p.room)
	b.follow(`form[action$="/join"] button`)
	b.await(isLive)
	b.fill("#say textarea", "Well done, all three. I sign the papers at one.")
	b.do(clicks("#say button"))
	b.await(`document.querySelector(".said.mine")`)
	value[bool](b, `(document.activeElement.blur(), true)`)
	b.await(`document.querySelectorAll("aside .people .presence.live").length >= 3`)
	b.await(`document.getElementById("link").innerText === "Live"`)
	b.picture(filepath.Join(dir, "room.png"), value[float64](b, `document.querySelector(".room").getBoundingClientRect().bottom + 4`))

	b.follow(`.said .at`)
	b.picture(filepath.Join(dir, "stele.png"), value[float64](b, `Math.min(1300, document.querySelector(".stele").getBoundingClientRect().bottom + 8)`))

	b.open("/gateway")
	b.await(`document.querySelector("main .figure")`)
	b.picture(filepath.Join(dir, "overview.png"), value[float64](b, `document.querySelector("main").lastElementChild.getBoundingClientRect().bottom + 24`))
}
