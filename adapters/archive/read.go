package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"stele/core"
	"stele/internal/strictjson"
)

// MediaStore takes the contents of attachments: [core.MediaHold] is one for files that take long to come, [core.Node] another.
type MediaStore interface {
	PutMedia(ctx context.Context, content io.Reader) (core.Media, error)
	DropMedia(ctx context.Context, ids ...string) error
}

// ReadOptions say how a file is read. The zero value finds out what it is and leaves contents of attachments out.
type ReadOptions struct {
	// Form is what the file is; empty: whatever it looks like.
	Form Form
	// SkipUnknown leaves out events of kinds that this program does not know, instead of refusing the file.
	SkipUnknown bool
	// Media takes the contents of attachments; nil: they are read and dropped.
	Media MediaStore
}

// Archive is a file that was read whole.
type Archive struct {
	Form   Form
	Events []core.ImportedEvent
	// Media are the contents that were stored, by the ids in the file.
	Media map[string]core.Media
	// Skipped counts the events that were left out because nobody here knows what they are, LeftOut what else a form says that
	// a log has no place for, by what it is.
	Skipped int
	LeftOut map[string]int
	// Nameless: the form has no name for its room, which is called "Imported conversation" in the events.
	Nameless bool
}

// Discard destroys the contents that were stored: the archive was not used.
func (a *Archive) Discard(ctx context.Context, store MediaStore) error {
	if store == nil || a == nil {
		return nil
	}
	var errs []error
	for _, m := range a.Media {
		errs = append(errs, store.DropMedia(ctx, m.ID))
	}
	return errors.Join(errs...)
}

// Read reads a file of any form to its end. After an error nothing of it is kept. Errors: *[LineError], [ErrEmpty],
// [ErrCutOff], [ErrUnknownForm], and the reader's.
func Read(ctx context.Context, from io.Reader, o ReadOptions) (*Archive, error) {
	l := newLines(from)
	first, err := l.next()
	for err == nil && len(bytes.TrimSpace(first)) == 0 {
		first, err = l.next()
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, ErrEmpty
	case err != nil:
		return nil, err
	}
	if isStele := bytes.HasPrefix(first, []byte(markPrefix)); o.Form == Stele || o.Form == "" && isStele {
		r := &reader{lines: l, o: o, out: &Archive{Form: Stele, Media: map[string]core.Media{}}, wanted: map[string]bool{}, had: map[string]bool{}}
		if err := r.read(ctx, first); err != nil {
			return nil, errors.Join(err, r.out.Discard(context.WithoutCancel(ctx), o.Media))
		}
		return r.out, nil
	}
	whole, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(l.buf), l.from), MaxForeign+1))
	if err != nil {
		return nil, err
	}
	if len(whole) > MaxForeign {
		return nil, fmt.Errorf("the file has more than %d bytes, which %w", MaxForeign, ErrTooLarge)
	}
	return readForeign(whole, o)
}

// reader reads a file of this package's own form.
type reader struct {
	*lines
	o    ReadOptions
	head header
	out  *Archive
	// version is that of the newest event, seen counts them, and bytes is what their lines hold together.
	version, seen uint64
	bytes         int
	// wanted are the attachments of messages, had those whose content was read.
	wanted, had map[string]bool
}

var lineLimits = strictjson.Limits{MaxBytes: MaxLine, MaxDepth: 1024}

func (r *reader) read(ctx context.Context, first []byte) error {
	if err := r.header(first); err != nil {
		return r.fail(err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			return ErrCutOff
		}
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(line, []byte(markPrefix)) {
			if err := r.event(line); err != nil {
				return r.fail(err)
			}
			continue
		}
		ended, err := r.marked(ctx, line)
		if err != nil {
			var at *LineError
			if errors.As(err, &at) || ctx.Err() != nil {
				return err
			}
			return r.fail(err)
		}
		if ended {
			return nil
		}
	}
}

func (r *reader) header(line []byte) error {
	if err := strictjson.UnmarshalLimits(line, &r.head, lineLimits); err != nil {
		return fmt.Errorf("read the header: %w", err)
	}
	switch {
	case r.head.Stele != markRoom || r.head.Format < 1:
		return ErrUnknownForm
	case r.head.Format > format:
		return ErrNewer
	case r.head.Events > core.MaxImportEvents:
		return fmt.Errorf("a room of %d events %w", r.head.Events, ErrTooLarge)
	}
	return nil
}

func (r *reader) event(line []byte) error {
	if r.seen++; r.seen > core.MaxImportEvents {
		return ErrTooLarge
	}
	if r.bytes += len(line); r.bytes > MaxEvents {
		return ErrTooLarge
	}
	if len(r.had) > 0 {
		return wrong("an event comes behind the contents of attachments")
	}
	e, err := core.ParsePlain(line)
	if err != nil {
		return err
	}
	if room, _ := e.Stream.RoomID(); room != r.head.Room.ID {
		return wrong("the event is of another room than the file")
	}
	if e.Version <= r.version {
		return wrong("version %d comes behind %d", e.Version, r.version)
	}
	r.version = e.Version
	p, known := e.Payload.(core.Payload)
	if !known {
		if !r.o.SkipUnknown {
			return &UnknownKindError{Kind: e.Kind}
		}
		r.out.Skipped++
		return nil
	}
	if m, ok := p.(*core.MessagePostedEvent); ok && !e.Erased {
		for _, id := range m.Media {
			r.wanted[id] = true
		}
	}
	r.out.Events = append(r.out.Events, core.ImportedEvent{Line: r.at, At: e.At, Payload: p, Erased: e.Erased})
	return nil
}

// marked reads a line that is no event, and tells whether it was the last.
func (r *reader) marked(ctx context.Context, line []byte) (ended bool, err error) {
	var what struct {
		Stele string `json:"stele"`
	}
	if err := strictjson.UnmarshalLimits(line, &what, lineLimits); err != nil {
		return false, err
	}
	switch what.Stele {
	case markMedia:
		return false, r.media(ctx, line)
	case markEnd:
		return true, r.end(line)
	}
	return false, wrong("a line %.40q has no place here", what.Stele)
}

func (r *reader) end(line []byte) error {
	var t trailer
	if err := strictjson.UnmarshalLimits(line, &t, lineLimits); err != nil {
		return err
	}
	if t.SHA256 != r.before() {
		return ErrChanged
	}
	if t.Events != r.seen || t.Events != r.head.Events || t.Media != len(r.had) {
		return wrong("the file says that it has %d events and %d contents, and has %d and %d", t.Events, t.Media, r.seen, len(r.had))
	}
	for {
		more, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(more)) > 0 {
			return ErrAfterEnd
		}
	}
}
