package memlog

import (
	"context"
	"slices"
	"sync"

	"stele/core"
)

// Snapshots keeps snapshots in memory.
type Snapshots struct {
	mu     sync.Mutex
	byName map[string]core.Snapshot
	closed bool
}

// NewSnapshots makes an empty one.
func NewSnapshots() *Snapshots {
	return &Snapshots{byName: make(map[string]core.Snapshot)}
}

// Load implements [core.Snapshots].
func (s *Snapshots) Load(ctx context.Context, name string) (core.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return core.Snapshot{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return core.Snapshot{}, core.ErrClosed
	}
	snap, ok := s.byName[name]
	if !ok {
		return core.Snapshot{}, core.ErrNoSnapshot
	}
	snap.Data = slices.Clone(snap.Data)
	return snap, nil
}

// Save implements [core.Snapshots].
func (s *Snapshots) Save(ctx context.Context, name string, snap core.Snapshot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	snap.Data = slices.Clone(snap.Data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return core.ErrClosed
	}
	s.byName[name] = snap
	return nil
}

// Delete implements [core.Snapshots].
func (s *Snapshots) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return core.ErrClosed
	}
	delete(s.byName, name)
	return nil
}

// Close forgets everything.
func (s *Snapshots) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return core.ErrClosed
	}
	s.closed, s.byName = true, nil
	return nil
}

var _ core.Snapshots = (*Snapshots)(nil)
