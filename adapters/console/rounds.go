package console

import (
	"bytes"
	"time"

	"stele/adapters/transport"
	"stele/internal/sse"
)

const (
	// asidePace is the least time between two looks at what stands around a conversation; lookEvery the longest: presence that
	// lapses wakes nobody.
	asidePace = 300 * time.Millisecond
	lookEvery = 2 * time.Second
)

// turn is why a live stream goes round again.
type turn int

const (
	// ended: the page is gone, or the console drains.
	ended turn = iota
	// woken: something has happened.
	woken
	// ticked: nothing has, for a while.
	ticked
	// due: it is time to look at what stands around the conversation, if it may have changed.
	due
)

// rounds is what all live streams wait for in the same way. It belongs to its stream's goroutine; stop must be called once.
type rounds struct {
	console *Console
	out     *transport.EventStream
	ticker  *time.Ticker
	// stale tells that what stands around the conversation may have changed since it was looked at; soon when it is due.
	stale  bool
	looked time.Time
	soon   <-chan time.Time
}

// newRounds begins the rounds of a stream that looks around every so often at least.
func (c *Console) newRounds(out *transport.EventStream, every time.Duration) *rounds {
	return &rounds{console: c, out: out, ticker: time.NewTicker(every)}
}

func (r *rounds) stop() { r.ticker.Stop() }

// next waits until there is something to do. wake tells of what is to be written, around of what is to be looked at; either may
// be nil. A silence is broken on the way.
func (r *rounds) next(wake, around <-chan struct{}) (turn, error) {
	for {
		if r.stale && r.soon == nil {
			r.soon = time.After(max(0, asidePace-time.Since(r.looked)))
		}
		select {
		case <-wake:
			return woken, nil
		case <-around:
			r.stale = true
			return woken, nil
		case <-r.soon:
			r.soon, r.stale, r.looked = nil, false, time.Now()
			return due, nil
		case <-r.ticker.C:
			return ticked, nil
		case <-r.out.Idle():
			if err := r.out.KeepAlive(); err != nil {
				return ended, err
			}
		case <-r.console.life.Done():
			return ended, nil
		case <-r.out.Context().Done():
			return ended, nil
		}
	}
}

// part is a part of a page that is looked at again and again: the template that shows it, which is the name of its event too,
// and what that gets.
type part struct {
	Name string
	Data any
}

// shownParts are the parts of a page as it has them, by name.
type shownParts map[string][]byte

// news returns the frames of those parts of a page that have changed.
func (s shownParts) news(p *pages, page string, parts ...part) ([]byte, error) {
	var b []byte
	for _, one := range parts {
		piece, err := p.piece(page, one.Name, one.Data)
		if err != nil {
			return nil, err
		}
		if now, ok := s[one.Name]; !ok || !bytes.Equal(now, piece) {
			s[one.Name] = piece
			b = sse.Append(b, sse.Frame{Event: one.Name, Data: piece})
		}
	}
	return b, nil
}

// tell writes the parts of its page that have changed.
func (r *rounds) tell(s shownParts, page string, parts ...part) error {
	b, err := s.news(r.console.pages, page, parts...)
	if err != nil || len(b) == 0 {
		return err
	}
	return r.out.Write(b)
}
