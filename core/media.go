package core

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrNoMedia: the media store has nothing under that id.
var ErrNoMedia = errors.New("no such media")

// ErrMediaTooLarge: the content is longer than the store's cap.
var ErrMediaTooLarge = errors.New("media is larger than the store accepts")

// Media describes stored content.
type Media struct {
	// ID is the store's name for it, with the prefix "med_".
	ID string
	// Type is the sniffed MIME type, never empty.
	Type string
	// Size is the length in bytes.
	Size int64
	// At is when it was stored.
	At time.Time
}

// MediaStore keeps the bytes of attachments outside the log. Content is durable when Put returns and never changes.
type MediaStore interface {
	// Put reads content to its end, never holding it in memory whole. A failed or oversized Put leaves nothing behind.
	Put(ctx context.Context, content io.Reader) (Media, error)
	// Open returns the content, to be closed by the caller, or [ErrNoMedia].
	Open(ctx context.Context, id string) (io.ReadSeekCloser, Media, error)
	// Delete destroys the content; a missing id is no error.
	Delete(ctx context.Context, id string) error
}
