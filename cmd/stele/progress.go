package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressAfter is how long something may take before it is shown how far it is.
const progressAfter = time.Second

// progress shows on a terminal how many bytes have passed. Where there is no terminal it shows nothing. It is for one
// goroutine.
type progress struct {
	to    *os.File
	what  string
	total int64
	began time.Time
	n     int64
	bar   *progressbar.ProgressBar
}

// newProgress begins; a total below 0 is one that is not known.
func newProgress(to *os.File, what string, total int64) *progress {
	p := &progress{what: what, total: total, began: time.Now()}
	if term.IsTerminal(int(to.Fd())) {
		p.to = to
	}
	return p
}

// Write implements [io.Writer].
func (p *progress) Write(b []byte) (int, error) {
	p.n += int64(len(b))
	switch {
	case p.to == nil:
	case p.bar == nil && time.Since(p.began) < progressAfter:
	case p.bar == nil:
		p.bar = progressbar.NewOptions64(
			p.total, progressbar.OptionSetWriter(p.to), progressbar.OptionSetDescription(p.what), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetSpinnerChangeInterval(0),
		)
		// How far it is is no reason to stop.
		_ = p.bar.Set64(p.n)
	default:
		_ = p.bar.Set64(p.n)
	}
	return len(b), nil
}

// end takes it off the terminal.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}
