package core

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// ErrNoMedia: the media store has nothing under that id, or no message of that room has it.
var ErrNoMedia = errors.New("no such media")

// ErrMediaTooLarge: the content is longer than the store's cap.
var ErrMediaTooLarge = errors.New("media is larger than the store accepts")

// ErrNoMediaStore: the node was opened without a place for attachments.
var ErrNoMediaStore = errors.New("attachments are not stored here")

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
	// Stored yields the ids of what was stored before a time.
	Stored(ctx context.Context, before time.Time) iter.Seq2[string, error]
}

// mediaPlace is the message that carries an attachment.
type mediaPlace struct {
	Room    string `json:"room"`
	Message string `json:"message"`
}

// MediaURI is the pointer by which clients name an attachment.
func MediaURI(id string) string { return mediaScheme + id }

// MediaOf reads a pointer that [MediaURI] made; false for any other.
func MediaOf(uri string) (id string, ok bool) {
	if len(uri) <= len(mediaScheme) || uri[:len(mediaScheme)] != mediaScheme {
		return "", false
	}
	return uri[len(mediaScheme):], true
}

const (
	mediaScheme = "mxc://stele/"
	mediaPrefix = "med_"
)

// PutMedia stores content that is to be attached to a message. Until a message has it nobody can open it; what no message
// has after an hour is destroyed, unless a [MediaHold] keeps it. Errors: [ErrMediaTooLarge], [ErrNoMediaStore], and the reader's.
func (n *Node) PutMedia(ctx context.Context, content io.Reader) (Media, error) {
	if n.opts.Media == nil {
		return Media{}, ErrNoMediaStore
	}
	if !n.enter() {
		return Media{}, ErrDraining
	}
	defer n.leave()
	return n.opts.Media.Put(ctx, content)
}

// DropMedia destroys content that no message has. What cannot be destroyed now is found by the housekeeping.
func (n *Node) DropMedia(ctx context.Context, ids ...string) error {
	var errs []error
	for _, id := range ids {
		if _, used := n.index.mediaPlace(id); !used && n.opts.Media != nil {
			errs = append(errs, n.opts.Media.Delete(ctx, id))
		}
	}
	return errors.Join(errs...)
}

// MediaRoom is the room of the message that carries an attachment, false when none does.
func (n *Node) MediaRoom(id string) (room string, ok bool) {
	place, ok := n.index.mediaPlace(id)
	return place.Room, ok
}

// OpenMedia returns an attachment of a message in a room, for a member of that room; the caller closes it. Errors:
// [ErrNoRoom], [ErrNotMember], [ErrNoMedia] also for what was posted in another room or erased since.
func (n *Node) OpenMedia(ctx context.Context, agent, room, id string) (io.ReadSeekCloser, Attachment, error) {
	if err := n.checkMember(agent, room); err != nil {
		return nil, Attachment{}, err
	}
	place, ok := n.index.mediaPlace(id)
	if !ok || place.Room != room || n.opts.Media == nil {
		return nil, Attachment{}, ErrNoMedia
	}
	_, posted, err := n.HistoryOf(room).Message(ctx, place.Message)
	if errors.Is(err, ErrNoMessage) {
		return nil, Attachment{}, ErrNoMedia
	}
	if err != nil {
		return nil, Attachment{}, err
	}
	for _, a := range posted.Attachments {
		if a.Media == id {
			f, _, err := n.opts.Media.Open(ctx, id)
			return f, a, err
		}
	}
	return nil, Attachment{}, ErrNoMedia
}

func (x *index) mediaPlace(id string) (mediaPlace, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, ok := x.s.Media[id]
	return p, ok
}

// noteMedia remembers which message carries which attachments.
func (x *index) noteMedia(room string, p *MessagePostedEvent) {
	for _, id := range p.Media {
		set(&x.s.Media, id, mediaPlace{Room: room, Message: p.ID})
	}
}
