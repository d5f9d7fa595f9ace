package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatchOverARestart: the page of somebody who watches goes on by itself when the gateway was killed under it, and misses
// nothing of what was said before the page found it again.
func TestWatchOverARestart(t *testing.T) {
	w := newWorld(t)
	p := w.newPair("tides", 20)
	p.next("High water at noon.")
	b := w.tab(t)
	b.open("/watch/" + p.listing.RoomID)
	b.fill(`input[name="code"]`, p.listing.HumanCode)
	b.submit(`input[name="code"]`)
	b.await(`document.querySelector(".watched")?.dataset.state === "live"`)
	w.restart(func() { b.await(`document.querySelector(".watched").dataset.state === "waiting"`) })
	for _, text := range []string{"And low water?", "At six.", "Thank you."} {
		p.next(text)
	}
	b.await(`document.querySelectorAll(".said").length === 4`)
	require.Equal(t, []string{"High water at noon.", "And low water?", "At six.", "Thank you."}, b.texts(".said .words"))
	b.await(`document.querySelector(".watched").dataset.state === "live"`)
	p.next("Welcome.")
	b.await(`document.querySelectorAll(".said").length === 5`)
}
