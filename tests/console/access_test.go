package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"stele/tests/internal/npm"
)

// axe is the text of axe-core, which npm installs.
func axe(t *testing.T) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(file)
	npm.Install(t, dir, "how the console's pages are for those who cannot see them well")
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(text)
}

// violation is something that axe-core found.
type violation struct {
	ID, Impact, Help string
	Nodes            []string
}

func (v violation) String() string {
	return fmt.Sprintf("%s (%s): %s\n  %s", v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n  "))
}

// report is what axe-core says of a page.
type report struct {
	// Passes counts the rules that the page keeps.
	Passes     int
	Violations []violation
}

const runAxe = `axe.run(document, { resultTypes: ["violations"] }).then((found) => ({
	Passes: found.passes.length,
	Violations: found.violations.map((v) => ({
		ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.map((n) => n.html.slice(0, 200) + " – " + n.failureSummary.replace(/\n/g, " ")),
	})),
}))`

// look is a way of looking at a page.
type look struct {
	name   string
	scheme string
	width  int64
}

func looks() []look {
	return []look{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}}
}

// as lets the tab look at pages in a way.
func (b *tab) as(l look) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(l.width, 900))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(b.t, err)
}

// cutOff are the links and buttons of lists, and of the bar with the pages, that do not lie wholly in the window.
const cutOff = `[...document.querySelectorAll(".cards a, .cards button, .cards summary, .bar a")]
	.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML)`

// TestAccessibility: axe-core finds nothing serious on any page, in light, in dark and on a phone, no page is wider than the
// window, and no list on a phone hides what one can do behind its edge.
func TestAccessibility(t *testing.T) {
	script := axe(t)
	f := newFair(t)
	for _, s := range f.sights() {
		b := f.show(s)
		// What the developer's tools evaluate is not held to the page's policy.
		_ = value[bool](b, script+"; true")
		for _, l := range looks() {
			b.as(l)
			found := value[report](b, runAxe)
			require.Greater(t, found.Passes, 10, "%s, %s", s.name, l.name)
			for _, v := range found.Violations {
				if v.Impact == "serious" || v.Impact == "critical" {
					t.Errorf("%s, %s: %s", s.name, l.name, v)
				} else {
					t.Logf("%s, %s: %s", s.name, l.name, v)
				}
			}
			b.fits(s.name + " " + l.name)
			if l.width < 400 {
				require.Empty(t, value[[]string](b, cutOff), "%s, %s: what one has to scroll sideways for", s.name, l.name)
			}
		}
	}
}
