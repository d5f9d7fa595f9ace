package memlog

import (
	"context"
	"sync"

	"stele/core"
)

// Log is one node's connection to a [Store].
type Log struct {
	store *Store

	once   sync.Once
	closed chan struct{}
}

// New makes a store with one log on it.
func New() *Log { return NewStore(Options{}).Open() }

// ID is the identity of the store.
func (l *Log) ID() string { return l.store.id }

// Lives is empty: what is in memory is never replaced by a backup.
func (l *Log) Lives() []core.Position { return nil }

// usable reports why a call cannot go on.
func (l *Log) usable(ctx context.Context) error {
	if l.isClosed() {
		return core.ErrClosed
	}
	return ctx.Err()
}

func (l *Log) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// Append implements [core.Log]. The log keeps the events' slices; nobody may change them afterwards.
func (l *Log) Append(
	ctx context.Context, stream core.Stream, last core.Position, events []core.Event,
) ([]core.Position, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, nil
	}
	first, err := l.store.append(stream, last, events)
	if err != nil {
		return nil, err
	}
	positions := make([]core.Position, len(events))
	for i := range positions {
		positions[i] = first + core.Position(i)
	}
	return positions, nil
}

// Last implements [core.Log].
func (l *Log) Last(ctx context.Context, stream core.Stream) (core.Position, error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	l.store.mu.RLock()
	defer l.store.mu.RUnlock()
	return l.store.streams[stream].last(), nil
}

// Head implements [core.Log].
func (l *Log) Head(ctx context.Context) (core.Position, error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	l.store.mu.RLock()
	defer l.store.mu.RUnlock()
	return l.store.head, nil
}

// Erase implements [core.Log].
func (l *Log) Erase(ctx context.Context, stream core.Stream, upTo core.Position) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.erase(stream, upTo)
	return nil
}

// Close ends the tails of this log and takes the nodes that joined through it off the [core.Peers]. The store and its
// other logs stay.
func (l *Log) Close() error {
	err := core.ErrClosed
	l.once.Do(func() {
		close(l.closed)
		l.store.peers.leaveAll(l)
		err = nil
	})
	return err
}

var (
	_ core.Log   = (*Log)(nil)
	_ core.Peers = (*Log)(nil)
)
