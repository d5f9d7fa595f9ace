package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBackToAnOpenPage: whoever comes back to a room by the browser's button sees what was said meanwhile and what is said from
// then on, also when the browser has kept the page.
func TestBackToAnOpenPage(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	b := w.tab(t)
	w.signIn(b)
	p.cleoSays("before")
	b.open("/gateway/rooms/" + p.room)
	b.await(isLive)
	b.follow(".said .at")
	p.cleoSays("meanwhile")
	value[bool](b, "(setTimeout(() => history.back()), true)")
	b.await(`document.querySelectorAll(".said").length === 2`)
	p.cleoSays("after")
	b.await(`document.querySelectorAll(".said").length === 3`)
	require.Equal(t, []string{"before", "meanwhile", "after"}, b.texts(".said .words"))
}
