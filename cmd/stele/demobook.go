package main

import (
	"context"
	"sync"
)

// The three scripts, in the order in which they are printed.
const (
	onSwitch   = "switch"
	onAreyouai = "areyouai"
	onEdge     = "edge"
)

var demoScripts = []string{onSwitch, onAreyouai, onEdge}

// line is one message of the conversation with what went over the wire for it.
type line struct {
	speaker, script, text string
	// wire holds per script the bytes that carried it: sent by its speaker's client, received by the others'.
	wire map[string]string
	// seen counts per script how often its client received it.
	seen map[string]int
	// due are the scripts whose client must receive it.
	due []string
}

// book records who received what. Messages are told apart by their text, which is unique.
type book struct {
	mu      sync.Mutex
	lines   []*line
	byText  map[string]*line
	changed chan struct{}
}

func newBook() *book { return &book{byText: map[string]*line{}, changed: make(chan struct{})} }

// expect announces a message before it is sent.
func (b *book) expect(l *line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.wire, l.seen = map[string]string{}, map[string]int{}
	b.lines = append(b.lines, l)
	b.byText[l.text] = l
}

// received notes that a client got a message, with the frame that carried it.
func (b *book) received(script, text, frame string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.byText[text]
	if l == nil {
		return
	}
	l.seen[script]++
	l.wire[script] = "← " + frame
	close(b.changed)
	b.changed = make(chan struct{})
}

// sent notes how a speaker's client sent a message, unless the message comes back to it on its stream.
func (b *book) sent(script, text, request string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.byText[text]; l != nil && l.wire[script] == "" {
		l.wire[script] = "→ " + request
	}
}

// await waits until everybody who is due has the message.
func (b *book) await(ctx context.Context, text string) error {
	for {
		b.mu.Lock()
		l, changed := b.byText[text], b.changed
		missing := false
		for _, script := range l.due {
			missing = missing || l.seen[script] == 0
		}
		b.mu.Unlock()
		if !missing {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tally is what the last line of the demo says.
type tally struct{ messages, deliveries, losses, repeats int }

func (b *book) count() (t tally) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.messages = len(b.lines)
	for _, l := range b.lines {
		for _, script := range demoScripts {
			t.deliveries += l.seen[script]
			t.repeats += max(0, l.seen[script]-1)
		}
		for _, script := range l.due {
			if l.seen[script] == 0 {
				t.losses++
			}
		}
	}
	return t
}
