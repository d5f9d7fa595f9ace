package sqlitelog

import (
	"context"

	"stele/core"
)

// Erase implements [core.Log]. The freed bytes are overwritten in the file, and the write-ahead log, which holds older
// copies of pages, is emptied before Erase returns. Only when somebody else holds a transaction open on the file, as a
// database shell or a backup can, those copies stay: then it returns [core.ErrTraces], and a later Erase clears them.
func (l *Log) Erase(ctx context.Context, stream core.Stream, upTo core.Position) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	return l.writer.do(ctx, func(w *writer) error { return w.erase(stream, upTo) })
}

func (w *writer) erase(stream core.Stream, upTo core.Position) error {
	if w.broken != nil {
		return w.broken
	}
	changed, err := w.conn.change(queryErase, string(stream), integer(upTo))
	if err != nil {
		return w.refuse(err)
	}
	if changed > 0 {
		w.traces = true
		w.feed.forget()
	}
	if !w.traces {
		return nil
	}
	emptied, err := emptyWAL(w.conn)
	if err != nil {
		return w.refuse(err)
	}
	w.traces = !emptied
	if w.traces {
		return core.ErrTraces
	}
	return nil
}

// emptyWAL moves everything from the write-ahead log into the file and truncates it. It reports false when somebody
// still reads from it.
func emptyWAL(c *conn) (emptied bool, err error) {
	busy, err := c.integer(queryEmptyWAL)
	return err == nil && busy == 0, err
}
