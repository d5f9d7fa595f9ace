package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// painted is a stretch of wire text as the page shows it.
type painted struct {
	Slab, Field, Text, Color, Ground string
}

const readSlabs = `[...document.querySelectorAll(".slab")].flatMap((slab) => [...slab.querySelectorAll("pre [data-field]")].map((e) => ({
	Slab: slab.classList[1], Field: e.dataset.field, Text: e.innerText,
	Color: getComputedStyle(e).color, Ground: getComputedStyle(e).backgroundColor,
})))`

// TestStele: an event is read in three scripts beside the log's own words, the same field in the same colour wherever it
// stands, with the matrix's notes on what a script leaves out.
func TestStele(t *testing.T) {
	w := newWorld(t)
	p := w.newParty(harbour())
	p.adaSays("@bert is the crane free at noon?")
	b := w.tab(t)
	w.signIn(b)
	b.open("/gateway/rooms/" + p.room)
	b.follow(".said .at")
	require.Equal(t, []string{"The log", "switch", "areyouai", "edge"}, b.texts(".slab h2"))

	stretches := value[[]painted](b, readSlabs)
	paint := map[string]painted{}
	texts := map[string]map[string]string{}
	for _, s := range stretches {
		if first, ok := paint[s.Field]; ok {
			require.Equal(t, []string{first.Color, first.Ground}, []string{s.Color, s.Ground}, "%s in %s and %s", s.Field, first.Slab, s.Slab)
		} else {
			paint[s.Field] = s
		}
		if texts[s.Field] == nil {
			texts[s.Field] = map[string]string{}
		}
		texts[s.Field][s.Slab] = s.Text
	}
	for _, field := range []string{"text", "sender_name", "position", "turn", "id", "at"} {
		require.Contains(t, paint, field)
	}
	require.NotEqual(t, paint["text"].Color, paint["sender"].Color, "two fields in one colour")
	for _, slab := range []string{"core", "switch", "areyouai", "edge"} {
		require.Equal(t, `"@bert is the crane free at noon?"`, texts["text"][slab], slab)
	}
	require.Equal(t, texts["id"]["switch"], texts["id"]["areyouai"])

	notes := b.texts(".slab .note")
	require.Len(t, notes, 4)
	require.Contains(t, notes[1], "Not to its own sender.")
	require.Regexp(t, `(?s)Leaves out .*turn`, notes[1])
	require.Regexp(t, `(?s)Leaves out .*addressed`, notes[2], "areyouai does not tell who is addressed")
	require.Regexp(t, `(?s)Leaves out .*position`, notes[3])
	require.Contains(t, b.texts(".aligned th[scope=row]"), "text")
	b.fits("stele")

	// The neighbours are reached from here, and another's place can be taken.
	before := value[string](b, "location.pathname")
	b.follow(`a[rel="prev"]`)
	require.NotEqual(t, before, value[string](b, "location.pathname"))
	b.follow(`a[rel="next"]`)
	require.Equal(t, before, value[string](b, "location.pathname"))
	b.do(selects(`select[name="as"]`, "ada"))
	b.follow(".as button")
	require.Equal(t, []string{"Silent to this receiver."}, b.texts(".slab.switch .silent"), "the protocol does not bring back what one said")
}
