package sqlitelog

import (
	"context"

	"stele/core"
)

// MaxLives is how many lives a log may have.
const MaxLives = maxLives

// Next returns the first position after pos that an event of a log with these earlier lives may have.
func Next(ends []core.Position, pos core.Position) core.Position { return lives(ends).next(pos) }

// Previous returns the last position before pos that an event of such a log has.
func Previous(ends []core.Position, pos core.Position) core.Position {
	return lives(ends).previous(pos)
}

// Exec runs a statement on the writer's connection, in its goroutine.
func (l *Log) Exec(query string) error {
	return l.writer.do(context.Background(), func(w *writer) error {
		_, err := w.conn.scalar(query)
		return err
	})
}

// Setting returns what a pragma says on the writer's connection.
func (l *Log) Setting(pragma string) (v any, err error) {
	err = l.writer.do(context.Background(), func(w *writer) (err error) {
		v, err = w.conn.scalar("PRAGMA " + pragma)
		return err
	})
	return v, err
}

// Hold keeps the writer busy until release is called. It returns once the writer is.
func (l *Log) Hold() (release func()) {
	held, free := make(chan struct{}), make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = l.writer.do(context.Background(), func(*writer) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		close(free)
		<-gone
	}
}

// Waiting returns how many requests are queued.
func (l *Log) Waiting() int { return len(l.writer.queue) }

// Kept returns how many events, and bytes of them, the feed holds.
func (l *Log) Kept() (events, bytes int) {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()
	return l.feed.events, l.feed.bytes
}

// Remembered returns how many streams the writer remembers.
func (l *Log) Remembered() (n int) {
	_ = l.writer.do(context.Background(), func(w *writer) error {
		n = len(w.heads.young) + len(w.heads.old)
		return nil
	})
	return n
}
