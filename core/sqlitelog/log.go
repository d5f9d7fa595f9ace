package sqlitelog

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/core"
)

// Log is an open log. It is safe for concurrent use.
type Log struct {
	path    string
	opts    Options
	id      string
	renewed string
	lives   lives

	lock    *lockFile
	feed    *feed
	writer  *writer
	readers *pool

	once    sync.Once
	closing chan struct{}
}

// ID implements [core.Log].
func (l *Log) ID() string { return l.id }

// Renewed says why the log got a new identity when it was opened; empty when it did not. Whoever opens the log should
// tell the operator.
func (l *Log) Renewed() string { return l.renewed }

// Writable says why the last append was refused by the storage, nil when it was not. With [core.ErrFull] the next append
// is tried and succeeds once there is room; with [core.ErrReadOnly] it may be that the log must be opened again first.
// Reading goes on in either case.
func (l *Log) Writable() error {
	if err := l.writer.refusal.Load(); err != nil {
		return *err
	}
	return nil
}

// Append implements [core.Log]. The log keeps the bytes of the events; nobody may change them afterwards. The slice of
// events stays the caller's.
func (l *Log) Append(
	ctx context.Context, stream core.Stream, last core.Position, events []core.Event,
) ([]core.Position, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, nil
	}
	r := &request{stream: stream, last: last, records: make([]core.Recorded, len(events)), done: make(chan struct{})}
	for i, e := range events {
		e.At = time.UnixMilli(e.At.UnixMilli()).UTC()
		r.records[i] = core.Recorded{Event: e, Stream: stream}
	}
	if err := l.writer.submit(ctx, r); err != nil {
		return nil, err
	}
	positions := make([]core.Position, len(events))
	for i := range positions {
		positions[i] = r.records[i].Position
	}
	return positions, nil
}

// usable reports why a call cannot go on.
func (l *Log) usable(ctx context.Context) error {
	select {
	case <-l.closing:
		return core.ErrClosed
	default:
		return ctx.Err()
	}
}

// Close implements [core.Log]. Appends that wait already are still written. It does not wait for the consumers of tails
// and reads, only for the page one of them may be reading.
func (l *Log) Close() error {
	err := core.ErrClosed
	l.once.Do(func() {
		close(l.closing)
		<-l.writer.gone
		err = errors.Join(l.readers.close(), l.writer.conn.close(), l.lock.release())
	})
	return err
}

var _ core.Log = (*Log)(nil)
