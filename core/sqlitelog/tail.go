package sqlitelog

import (
	"context"
	"errors"
	"iter"

	"stele/core"
)

// historyPage is how many events are read from the file at a time, fewer when they are large. longestRun is how many
// events of one stream in a row are kept together in a batch, and heaviestRun how many bytes of them.
const (
	historyPage = 512
	longestRun  = 16 * historyPage
	heaviestRun = 32 << 20
)

// Tail implements [core.Log]. Close ends it with [core.ErrClosed]. Live batches are what one transaction committed,
// with the Payload the appender gave. Batches from the file hold about 512 events and end where a stream's run of events
// ends, so that no unit is split; only of a run of more than 8,192, or of more than 32 MiB, a batch may hold a part.
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

// historyAfter reads the next batch of the whole log: a page without the run that its end may have cut, or, when it is all
// one run, as much of that as is kept together.
func (l *Log) historyAfter(ctx context.Context, pos core.Position, batch []core.Recorded) ([]core.Recorded, error) {
	for {
		var full bool
		var err error
		if batch, full, err = l.readPage(ctx, pos, batch); err != nil || !full {
			return batch, err
		}
		if whole := len(batch) - lastRun(batch); whole > 0 {
			return batch[:whole], nil
		}
		if len(batch) >= longestRun || weight(batch) >= heaviestRun {
			return batch, nil
		}
		pos = batch[len(batch)-1].Position
	}
}

// lastRun is how many events at the end of a batch are of one stream.
func lastRun(batch []core.Recorded) int {
	n := 0
	for n < len(batch) && batch[len(batch)-1-n].Stream == batch[len(batch)-1].Stream {
		n++
	}
	return n
}

func weight(batch []core.Recorded) (bytes int) {
	for i := range batch {
		bytes += size(&batch[i])
	}
	return bytes
}

// readPage appends the next page of the whole log, and tells whether it ends before the log does. Positions in the file follow each other without a gap within a life,
// so one that is not there was lost, and one between two lives was never given.
func (l *Log) readPage(ctx context.Context, pos core.Position, batch []core.Recorded) (_ []core.Recorded, full bool, err error) {
	start := len(batch)
	err = l.readers.with(ctx, func(r *reader) (err error) {
		batch, err = r.page(batch, queryHistory, integer(pos), int64(historyPage))
		return err
	})
	if full = errors.Is(err, errFullPage) || len(batch) == start+historyPage; errors.Is(err, errFullPage) {
		err = nil
	}
	want := l.lives.next(pos)
	for i, rec := range batch[start:] {
		if rec.Position != want {
			first := min(want, rec.Position)
			last := max(first, l.lives.previous(rec.Position))
			return batch[:start+i], false, &core.CorruptError{File: l.path, First: first, Last: last, Cause: errMissing}
		}
		want = l.lives.next(want)
	}
	if err == nil && len(batch) == 0 {
		err = &core.CorruptError{File: l.path, First: want, Last: l.feed.last(), Cause: errMissing}
	}
	return batch, full, err
}
