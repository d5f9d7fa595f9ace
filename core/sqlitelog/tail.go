package sqlitelog

import (
	"context"
	"iter"

	"stele/core"
)

// historyPage bounds a batch that is read from the file.
const historyPage = 512

// Tail implements [core.Log]. Close ends it with [core.ErrClosed]. Batches from the file hold at most 512 events; live
// ones are what one transaction committed, with the Payload the appender gave.
//
// A tail takes what it can from the feed and reads the rest from the file, so the join of history and live is not a
// moment but a question asked each time. Everything the feed has dropped was committed before, so the file has it; and
// what the file gives beyond the feed's head is left out later because it is not after the tail's position.
func (l *Log) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return func(yield func([]core.Recorded, error) bool) {
		// Joining before the first look means that a commit in between leaves its signal in the slot.
		w := l.feed.join()
		defer l.feed.leave(w)
		var page []core.Recorded
		pos := after
		for {
			if err := l.usable(ctx); err != nil {
				if ctx.Err() == nil {
					yield(nil, err)
				}
				return
			}
			batch, behind := l.feed.after(pos)
			var err error
			if behind {
				page, err = l.historyAfter(ctx, pos, page[:0])
				batch = page
			}
			if len(batch) > 0 {
				pos = batch[len(batch)-1].Position
				if !yield(batch, nil) {
					return
				}
			}
			if err != nil {
				if ctx.Err() == nil {
					yield(nil, err)
				}
				return
			}
			if len(batch) > 0 {
				continue
			}
			select {
			case <-w.wake:
			case <-ctx.Done():
			case <-l.closing:
			}
		}
	}
}

// historyAfter reads the next page of the whole log. Positions in the file follow each other without a gap within a life,
// so one that is not there was lost, and one between two lives was never given.
func (l *Log) historyAfter(ctx context.Context, pos core.Position, page []core.Recorded) ([]core.Recorded, error) {
	err := l.readers.with(ctx, func(r *reader) (err error) {
		page, err = r.page(page, queryHistory, integer(pos), int64(historyPage))
		return err
	})
	want := l.lives.next(pos)
	for i, rec := range page {
		if rec.Position != want {
			first := min(want, rec.Position)
			last := max(first, l.lives.previous(rec.Position))
			return page[:i], &core.CorruptError{File: l.path, First: first, Last: last, Cause: errMissing}
		}
		want = l.lives.next(want)
	}
	if err == nil && len(page) == 0 {
		err = &core.CorruptError{File: l.path, First: want, Last: l.feed.last(), Cause: errMissing}
	}
	return page, err
}
