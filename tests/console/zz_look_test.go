package console_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestZZLook(t *testing.T) {
	f := newFair(t)
	for _, s := range f.sights() {
		b := f.show(s)
		for _, l := range []look{{"phone", "dark", 390}, {"desk", "light", 1280}} {
			b.as(l)
			if l.width < 500 {
				b.do(chromedp.EmulateViewport(390, 1400))
			}
			b.frames(4)
			shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			_ = os.WriteFile("/tmp/look/"+strings.ReplaceAll(s.name, " ", "-")+"-"+l.name+".png", shot, 0o644)
		}
	}
}
