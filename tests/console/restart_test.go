package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestartUnderAnOpenPage: a page that is open while the gateway is killed and started again recovers by itself, misses
// nothing and repeats nothing, and whoever is signed in stays so.
func TestRestartUnderAnOpenPage(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.await(`document.querySelector(".room").dataset.state === "live"`)
	value[bool](b, "window.samePage = true")
	var want []string
	says := func(say func(string), text string) {
		say(text)
		want = append(want, text)
	}
	shown := func() {
		t.Helper()
		b.await(fmt.Sprintf(`document.querySelectorAll(".said").length >= %d`, len(want)))
		b.frames(2)
		require.Equal(t, want, b.texts(".said .words"))
	}
	says(p.adaSays, "before")
	shown()
	for i := range 2 {
		// What is acknowledged just before the end is due to the page after it.
		says(p.bertSays, fmt.Sprintf("last words %d", i))
		w.restart(func() {
			b.await(`document.querySelector(".room").dataset.state === "waiting"`)
			require.Contains(t, b.text("#link"), "does not answer")
		})
		says(p.bertSays, fmt.Sprintf("first words %d", i))
		b.await(`document.querySelector(".room").dataset.state === "live"`)
		says(p.bertSays, fmt.Sprintf("after %d", i))
		shown()
	}
	require.True(t, value[bool](b, "window.samePage"), "without a reload")
	b.open("/gateway/account")
	require.Contains(t, b.text("h1"), "admin", "still signed in")
}
