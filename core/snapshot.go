package core

import "context"

// Snapshot is a state folded up to a position.
type Snapshot struct {
	// Log is the identity of the log it was folded from.
	Log string
	// Format is the version of Data's encoding; another format is ignored.
	Format int
	// At is the position up to which events are in it.
	At Position
	// Data is the encoded state.
	Data []byte
}

// Snapshots keeps the newest snapshot per name beside the log. It is a cache: losing it loses nothing, so Load answers
// [ErrNoSnapshot] for whatever is missing or fails its checksum. It is safe for concurrent use.
type Snapshots interface {
	Load(ctx context.Context, name string) (Snapshot, error)
	Save(ctx context.Context, name string, s Snapshot) error
	// Delete destroys a snapshot: when it returns, no byte of it or of an older one under that name is left. A missing name
	// is no error.
	Delete(ctx context.Context, name string) error
	Close() error
}
