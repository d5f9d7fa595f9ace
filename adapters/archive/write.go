package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"stele/core"
	"stele/internal/strictjson"
)

// WriteOptions say what goes into a file.
type WriteOptions struct {
	// Log is the identity of the log, At when the file is made.
	Log string
	At  time.Time
	// Media adds the contents of attachments.
	Media bool
}

// Written is what went into a file.
type Written struct {
	Room   string         `json:"room"`
	Name   string         `json:"name"`
	State  core.RoomState `json:"state"`
	Events uint64         `json:"events"`
	// Media counts the contents that are in it, Missing those of attachments that are not to be had any more.
	Media   int `json:"media"`
	Missing int `json:"missing"`
}

// Write writes a room as one file. What came before an error is recognised as cut off.
func Write(ctx context.Context, to io.Writer, x *core.Exported, o WriteOptions) (Written, error) {
	w := &writer{to: to, sum: sha256.New(), room: x, seen: map[string]bool{}}
	w.out = Written{Room: x.Room.ID, Name: x.Room.Name, State: x.Room.State}
	err := w.line(headerOf(x, o))
	if err == nil {
		err = w.events(ctx)
	}
	if err == nil && o.Media {
		err = w.contents(ctx)
	}
	if err != nil {
		return w.out, err
	}
	return w.out, w.line(trailer{
		Stele: markEnd, Events: w.out.Events, Media: w.out.Media, SHA256: hex.EncodeToString(w.sum.Sum(nil)),
	})
}

// writer writes lines and sums them up.
type writer struct {
	to   io.Writer
	sum  hash.Hash
	buf  []byte
	room *core.Exported
	out  Written
	// media are the attachments in the order in which they came, seen those that are listed.
	media []string
	seen  map[string]bool
}

func (w *writer) line(v any) (err error) {
	if w.buf, err = strictjson.Append(w.buf[:0], v); err != nil {
		return err
	}
	return w.flush()
}

func (w *writer) flush() error {
	w.buf = append(w.buf, '\n')
	// A hash takes everything.
	_, _ = w.sum.Write(w.buf)
	_, err := w.to.Write(w.buf)
	return err
}

func (w *writer) events(ctx context.Context) (err error) {
	for e, rerr := range w.room.Events(ctx) {
		if rerr != nil {
			return rerr
		}
		if w.buf, err = e.AppendPlain(w.buf[:0]); err != nil {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		w.out.Events++
		w.note(e)
	}
	return ctx.Err()
}

// note remembers the attachments of a message.
func (w *writer) note(e *core.Entry) {
	p, ok := e.Payload.(*core.MessagePostedEvent)
	if !ok || e.Erased {
		return
	}
	for _, id := range p.Media {
		if !w.seen[id] {
			w.seen[id] = true
			w.media = append(w.media, id)
		}
	}
}

func (w *writer) contents(ctx context.Context) error {
	for _, id := range w.media {
		switch err := w.content(ctx, id); {
		case errors.Is(err, core.ErrNoMedia):
			w.out.Missing++
		case err != nil:
			return fmt.Errorf("attachment %s: %w", id, err)
		default:
			w.out.Media++
		}
	}
	return nil
}

func (w *writer) content(ctx context.Context, id string) (err error) {
	f, m, err := w.room.OpenMedia(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := w.line(mediaLine{Stele: markMedia, ID: id, Size: m.Size}); err != nil {
		return err
	}
	piece := make([]byte, min(part, m.Size))
	for left := m.Size; left > 0; left -= int64(len(piece)) {
		piece = piece[:min(left, part)]
		if _, err := io.ReadFull(f, piece); err != nil {
			return err
		}
		if err := errors.Join(ctx.Err(), w.line(partLine{Stele: markPart, Data: piece})); err != nil {
			return err
		}
	}
	return nil
}

func headerOf(x *core.Exported, o WriteOptions) header {
	r := &x.Room
	h := header{
		Stele: markRoom, Format: format, Log: o.Log, ExportedAt: o.At, Events: core.VersionCount(r.Version), Media: o.Media,
		Erased: r.State == core.StatePurged,
		Room: roomHead{
			ID: r.ID, Name: r.Name, State: r.State, Floor: r.Floor, Messages: r.Turn, CreatedAt: r.CreatedAt,
			ClosedAt: timeOf(r.ClosedAt), PurgedAt: timeOf(r.PurgedAt), Members: membersOf(r),
		},
	}
	for _, d := range r.Documents {
		h.Room.Documents = append(h.Room.Documents, documentHead{ID: d.ID, Name: d.Name})
	}
	return h
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
