package memlog

import (
	"context"
	"iter"

	"stele/core"
)

// Tail implements [core.Log]. It ends with [core.ErrClosed] when this log is closed.
func (l *Log) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return func(yield func([]core.Recorded, error) bool) {
		// Joining before the first look means that an append in between leaves its signal in the slot.
		w := l.store.join()
		defer l.store.leave(w)
		var buf []core.Recorded
		pos := after
		for {
			if err := l.usable(ctx); err != nil {
				if ctx.Err() == nil {
					yield(nil, err)
				}
				return
			}
			batch := l.store.after(pos)
			if len(batch) == 0 {
				select {
				case <-w.wake:
				case <-ctx.Done():
				case <-l.closed:
				}
				continue
			}
			pos = batch[len(batch)-1].Position
			if l.store.drop {
				buf = withoutPayload(append(buf[:0], batch...))
				batch = buf
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

func withoutPayload(records []core.Recorded) []core.Recorded {
	for i := range records {
		records[i].Payload = nil
	}
	return records
}
