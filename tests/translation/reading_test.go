package translation_test

import (
	"context"
	"fmt"
	"sync"

	"stele/tests/translation"
)

// reading collects what one view shows during a leg.
type reading struct {
	mu      sync.Mutex
	got     translation.Reading
	changed chan struct{}
}

func newReading(v translation.View, from translation.Numbers) *reading {
	return &reading{
		got:     translation.Reading{View: v, After: from.In(v), Until: from.In(v)},
		changed: make(chan struct{}),
	}
}

func (r *reading) add(number uint64, says string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got.Lines = append(r.got.Lines, translation.Line{Number: number, Says: says})
	r.got.Until = max(r.got.Until, number)
	close(r.changed)
	r.changed = make(chan struct{})
}

// cursor is where the view goes on, and a channel that closes when that changes.
func (r *reading) cursor() (uint64, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.Until, r.changed
}

// await waits until the view has shown what has a number. What it shows instead, or never, is for the checker to tell.
func (r *reading) await(ctx context.Context, number uint64) error {
	for {
		at, changed := r.cursor()
		if at >= number {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s stands at %d and not at %d: %w", r.got.View, at, number, ctx.Err())
		}
	}
}

// result is what was read; the reading is over.
func (r *reading) result() translation.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got
}
