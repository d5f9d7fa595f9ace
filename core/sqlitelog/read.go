package sqlitelog

import (
	"context"
	"errors"
	"iter"
	"math"

	"stele/core"
)

// A read takes a short page first, for callers that soon have what they want, and longer ones when they go on.
const (
	firstPage   = 32
	longestPage = 512
	// pageBytes is the weight at which a page ends early: one that is read over must not hold hundreds of large records.
	pageBytes = 2 << 20
)

// Read implements [core.Log]. No connection is held while the caller works on a record.
func (l *Log) Read(ctx context.Context, stream core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	return l.pages(ctx, stream, after, queryForward)
}

// ReadBack implements [core.Log]. No connection is held while the caller works on a record.
func (l *Log) ReadBack(ctx context.Context, stream core.Stream, before core.Position) iter.Seq2[core.Recorded, error] {
	if before == 0 {
		before = math.MaxInt64
	}
	return l.pages(ctx, stream, before, queryBack)
}

// pages yields page after page of a stream until one ends although it had room.
func (l *Log) pages(
	ctx context.Context, stream core.Stream, from core.Position, query string,
) iter.Seq2[core.Recorded, error] {
	return func(yield func(core.Recorded, error) bool) {
		var page []core.Recorded
		pos := from
		for limit := firstPage; ; limit = min(4*limit, longestPage) {
			page = page[:0]
			err := l.readers.with(ctx, func(r *reader) (err error) {
				page, err = r.page(page, query, string(stream), integer(pos), int64(limit))
				return err
			})
			full := errors.Is(err, errFullPage)
			if full {
				err = nil
			}
			for _, rec := range page {
				if !yield(rec, nil) {
					return
				}
			}
			if err != nil {
				yield(core.Recorded{}, err)
				return
			}
			if !full && len(page) < limit {
				return
			}
			pos = page[len(page)-1].Position
		}
	}
}

// Last implements [core.Log].
func (l *Log) Last(ctx context.Context, stream core.Stream) (last core.Position, err error) {
	err = l.readers.with(ctx, func(r *reader) error {
		n, err := r.conn.integer(queryLast, string(stream))
		last = core.Position(n)
		return typed(l.path, err)
	})
	return last, err
}

// Head implements [core.Log].
func (l *Log) Head(ctx context.Context) (core.Position, error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	return l.feed.last(), nil
}

// integer is a position as the database compares it. There are none beyond its largest integer, so that stands for all.
func integer(pos core.Position) int64 { return int64(min(pos, math.MaxInt64)) }
