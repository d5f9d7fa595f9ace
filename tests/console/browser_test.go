package console_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/tests/internal/npm"
	"stele/tests/internal/program"
)

// patience is how long anything may take that should happen at once. Machines are busy.
const patience = 60 * time.Second

// otherName is a name by which the browser reaches this machine over plain http and does not know that it is this machine: it
// keeps back some of what it tells the gateway then.
const otherName = "gateway.test"

// stele is the program under test, chrome the browser that looks at it.
var (
	stele  = program.Program{Patience: patience}
	chrome browser
)

// testsWithBrowser ends the browser before leaks are looked for.
type testsWithBrowser struct{ *testing.M }

func (m testsWithBrowser) Run() int {
	defer chrome.end()
	return m.M.Run()
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(testsWithBrowser{m}, goleak.Cleanup(func(code int) {
		if err := stele.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// browser is one Chromium for all tests, begun by the first that wants it.
type browser struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// start returns the context of the browser.
func (b *browser) start(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		npm.Lacks(t, "chromium", "the console's pages in a browser")
	}
	b.once.Do(func() { b.run(path) })
	require.NoError(t, b.err)
	return b.ctx
}

// run starts the browser. One that breaks down while it starts, as happens on a busy machine, says nothing about the gateway:
// there is another try.
func (b *browser) run(path string) {
	flags := []string{
		"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "hide-scrollbars", "disable-lcd-text",
	}
	for range 3 {
		dir, err := os.MkdirTemp("", "stele-browser-")
		if err != nil {
			b.err = err
			return
		}
		options := []chromedp.ExecAllocatorOption{
			chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.Flag("font-render-hinting", "none"),
			chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("lang", "en-GB"),
			chromedp.Flag("host-resolver-rules", "MAP "+otherName+" 127.0.0.1"),
		}
		for _, flag := range flags {
			options = append(options, chromedp.Flag(flag, true))
		}
		allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(allocator)
		b.ctx, b.stop = ctx, func() {
			_ = chromedp.Cancel(ctx)
			cancel()
			_ = os.RemoveAll(dir)
		}
		if b.err = chromedp.Do(ctx, chromedp.Navigate("about:blank")); b.err == nil {
			return
		}
		b.stop()
		b.stop = nil
	}
}

func (b *browser) end() {
	if b.stop != nil {
		b.stop()
	}
}
