package core

import (
	"context"
	"iter"
)

// Before yields the room's events with a version below the one given, newest first; 0 means from the newest event that this
// node has. What is damaged is left out.
func (h History) Before(ctx context.Context, version uint64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		_, head, err := h.seek(ctx, func(mark) bool { return true })
		if err != nil {
			yield(nil, err)
			return
		}
		start := head + 1
		if version > 0 {
			at, err := h.PositionOf(ctx, version)
			if err != nil {
				yield(nil, err)
				return
			}
			start = at + 1
		}
		for rec, err := range h.back(ctx, start) {
			if err != nil {
				yield(nil, err)
				return
			}
			if version > 0 && rec.Version >= version || rec.hollow() {
				continue
			}
			if err := rec.decode(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Entry{Recorded: rec}, nil) {
				return
			}
		}
	}
}
