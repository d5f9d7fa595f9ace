package main

import (
	"context"
	"slices"
	"sync"
)

// The three scripts, in the order in which they are printed.
const (
	onSwitch   = "switch"
	onAreyouai = "areyouai"
	onEdge     = "edge"
)

var demoScripts = []string{onSwitch, onAreyouai, onEdge}

// The cast, in the order in which they are printed.
const (
	ada  = "Ada"
	bert = "Bert"
	cleo = "Cleo"
)

var demoPeople = []string{ada, bert, cleo}

// line is one message of the conversation with what went over the wire for it.
type line struct {
	speaker, script, text string
	// due are the people who must receive it.
	due []string
	// sent is what the speaker's client sent.
	sent string
	// heard holds per person each time that a client of theirs received it.
	heard map[string][]hearing
}

// hearing is one arrival of a message.
type hearing struct{ script, frame string }

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
	l.heard = map[string][]hearing{}
	b.lines = append(b.lines, l)
	b.byText[l.text] = l
}

// received notes that a client of somebody got a message, in which script and with which frame.
func (b *book) received(person, script, text, frame string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.byText[text]
	if l == nil {
		return
	}
	l.heard[person] = append(l.heard[person], hearing{script, frame})
	close(b.changed)
	b.changed = make(chan struct{})
}

// sent notes how the speaker's client sent a message.
func (b *book) sent(text, request string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.byText[text]; l != nil {
		l.sent = request
	}
}

// await waits until each of some people has the message.
func (b *book) await(ctx context.Context, text string, people []string) error {
	for {
		b.mu.Lock()
		l, changed := b.byText[text], b.changed
		missing := slices.ContainsFunc(people, func(p string) bool { return len(l.heard[p]) == 0 })
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

// shown is a message as it is shown: what was sent for it and what each of the others received.
func (b *book) shown(text string) step {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.byText[text]
	s := step{kind: stepSpeech, speaker: l.speaker, from: l.script, text: l.text}
	for _, person := range demoPeople {
		heard := l.heard[person]
		switch {
		case person == l.speaker:
			s.rows = append(s.rows, row{label: l.script, way: wayOut, wire: l.sent, keep: l.text})
		case len(heard) > 0:
			last := heard[len(heard)-1]
			s.to = append(s.to, last.script)
			s.rows = append(s.rows, row{label: last.script, way: wayIn, wire: last.frame, keep: l.text})
		}
	}
	return s
}

// arrival is how somebody received a message last.
func (b *book) arrival(person, text string) row {
	b.mu.Lock()
	defer b.mu.Unlock()
	heard := b.byText[text].heard[person]
	last := heard[len(heard)-1]
	return row{label: last.script, way: wayIn, wire: last.frame, keep: text}
}

// tally is what the last line of the demo says.
type tally struct{ messages, deliveries, losses, repeats int }

// verdict is the exit of a demo that counted so: the line above says all there is to say.
func (t tally) verdict() error {
	if t.losses != 0 || t.repeats != 0 {
		return &exitError{code: 1}
	}
	return nil
}

// count adds up who received what, wherever their clients were at the time.
func (b *book) count() (t tally) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.messages = len(b.lines)
	for _, l := range b.lines {
		for _, person := range demoPeople {
			n := len(l.heard[person])
			t.deliveries += n
			t.repeats += max(0, n-1)
			if n == 0 && slices.Contains(l.due, person) {
				t.losses++
			}
		}
	}
	return t
}

// direction is a way from one script into another.
type direction struct{ from, to string }

// directions counts the deliveries from each script into each.
func (b *book) directions() map[direction]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	deliveries := map[direction]int{}
	for _, l := range b.lines {
		for _, heard := range l.heard {
			for _, h := range heard {
				deliveries[direction{l.script, h.script}]++
			}
		}
	}
	return deliveries
}
