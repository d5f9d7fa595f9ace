package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheBookCountsPeople: who changes the protocol is the same receiver. What comes on both sides of the move is a repeat,
// what comes on neither is a loss, and nobody who was not due can lose anything.
func TestTheBookCountsPeople(t *testing.T) {
	b := newBook()
	everybody := []string{bert, cleo}
	for _, text := range []string{"before", "between", "after"} {
		b.expect(&line{speaker: ada, script: onSwitch, text: text, due: everybody})
		b.received(bert, onAreyouai, text, text)
	}
	b.received(cleo, onEdge, "before", "f1")
	b.received(cleo, onAreyouai, "after", "f3")
	b.received(cleo, onAreyouai, "said by nobody", "f4")
	require.Equal(t, tally{messages: 3, deliveries: 5, losses: 1}, b.count())
	b.received(cleo, onAreyouai, "between", "f2")
	require.Equal(t, tally{messages: 3, deliveries: 6}, b.count())
	b.received(cleo, onAreyouai, "before", "again")
	require.Equal(t, tally{messages: 3, deliveries: 7, repeats: 1}, b.count())
	require.Equal(t, map[direction]int{
		{onSwitch, onAreyouai}: 6, {onSwitch, onEdge}: 1,
	}, b.directions())
}

// TestALostMessageIsCounted: a scene waits for what is lost until the demo's time is up. The last line counts it all the same,
// and losses and repeats are failures.
func TestALostMessageIsCounted(t *testing.T) {
	var out bytes.Buffer
	c := &cast{book: newBook(), show: printTo(&out)}
	lose := func(ctx context.Context, c *cast) error {
		c.book.expect(&line{speaker: ada, script: onSwitch, text: "hi", due: []string{bert, cleo}})
		c.book.received(bert, onAreyouai, "hi", "hi")
		return c.book.await(ctx, "hi", []string{bert, cleo})
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	got, err := c.perform(ctx, lose, func(context.Context, *cast) error { panic("the scene before broke off") })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, tally{messages: 1, deliveries: 1, losses: 1}, got)
	require.Contains(t, out.String(), "1 messages, 1 deliveries, 1 losses, 0 repeats\n")

	require.NoError(t, tally{messages: 2, deliveries: 4}.verdict())
	for _, bad := range []tally{got, {repeats: 1}} {
		var exit *exitError
		require.ErrorAs(t, bad.verdict(), &exit)
		require.Equal(t, 1, exit.code)
	}
}

// TestAMessageIsShownAsItWent: the speaker's row is what it sent, those of the others what they received, and the title
// names only scripts in which it arrived.
func TestAMessageIsShownAsItWent(t *testing.T) {
	b := newBook()
	b.expect(&line{speaker: bert, script: onAreyouai, text: "hi", due: demoPeople})
	b.sent("hi", "POST /messages\n{}")
	b.received(bert, onAreyouai, "hi", "its own")
	b.received(ada, onSwitch, "hi", "id: 1\ndata: {}\n\n")
	var out bytes.Buffer
	printTo(&out)(b.shown("hi"))
	require.Equal(t, "\nBert (areyouai → switch): hi\n"+
		"  switch    ← id: 1\n            data: {}\n"+
		"  areyouai  → POST /messages\n            {}\n", out.String())
}
