package core

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"go.uber.org/zap"
)

// damageBehind returns the damage that an error is about, if it lies behind a cursor and has a place.
func damageBehind(cursor Position, err error) *CorruptError {
	var damage *CorruptError
	if !errors.As(err, &damage) || damage.First <= cursor {
		return nil
	}
	return damage
}

// PassDamage moves the cursor onto the first damaged position that an error of Read is about, so that the next Read goes on
// behind it. The reader misses what lay there and nothing else: from is the position before it. ok is false when the error is
// about something else.
func (r *Reader) PassDamage(err error) (from, at Position, ok bool) {
	damage := damageBehind(r.cursor, err)
	if damage == nil {
		return 0, 0, false
	}
	r.Seek(damage.First)
	return damage.First - 1, damage.First, true
}

// back yields the events before a position, newest first, and passes over damage: a client that is told of a gap reads the room
// again, and is better served with what is left of it than with nothing.
func (h History) back(ctx context.Context, before Position) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		for {
			var damage *CorruptError
			for rec, err := range h.node.log.ReadBack(ctx, h.stream, before) {
				if errors.As(err, &damage) && damage.First != 0 && damage.First < before {
					h.node.zap.Error("history passes over damage", zap.String("room", h.room), zap.Error(err))
					break
				}
				if err != nil {
					yield(Recorded{}, fmt.Errorf("read %s back: %w", h.stream, err))
					return
				}
				if !yield(rec, nil) {
					return
				}
			}
			if damage == nil {
				return
			}
			before = damage.First
		}
	}
}
