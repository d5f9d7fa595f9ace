package mediadir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"stele/core"
)

// sniffed is how many bytes http.DetectContentType looks at.
const sniffed = 512

// Options of a [Store]. The zero value is right for most.
type Options struct {
	// MaxBytes is the longest content that is accepted. 0 means 20 MiB.
	MaxBytes int64
	// IDs makes the ids; the zero value draws from the operating system.
	IDs core.IDs
	// Now is the clock that stamps the ids; nil means time.Now.
	Now func() time.Time
}

// Store keeps content in a directory. It is safe for concurrent use.
type Store struct {
	root *os.Root
	opts Options
}

// Open opens a directory for content, creates it if it is missing, and removes what an interrupted Put left there. No
// other process may use the directory at the same time.
func Open(dir string, o Options) (*Store, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = 20 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, opts: o}
	if err := s.sweep(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// Put implements [core.MediaStore]. It looks at ctx between reads; a reader that blocks must end by itself.
func (s *Store) Put(ctx context.Context, content io.Reader) (core.Media, error) {
	now := s.opts.Now().UTC().Truncate(time.Millisecond)
	id := s.opts.IDs.New(idPrefix, now)
	temp := id + tempSuffix
	size, kind, err := s.receive(ctx, temp, content)
	if err == nil {
		err = s.root.Rename(temp, id)
	}
	if err != nil {
		return core.Media{}, errors.Join(err, s.removeIfThere(temp))
	}
	if err := s.sync(); err != nil {
		return core.Media{}, errors.Join(err, s.removeIfThere(id))
	}
	return core.Media{ID: id, Type: kind, Size: size, At: now}, nil
}

// Open implements [core.MediaStore].
func (s *Store) Open(ctx context.Context, id string) (io.ReadSeekCloser, core.Media, error) {
	at, err := parseID(id)
	if err != nil {
		return nil, core.Media{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, core.Media{}, err
	}
	f, err := s.root.Open(id)
	if errors.Is(err, os.ErrNotExist) {
		return nil, core.Media{}, core.ErrNoMedia
	}
	if err != nil {
		return nil, core.Media{}, err
	}
	m := core.Media{ID: id, At: at}
	if m.Size, m.Type, err = describe(f); err != nil {
		return nil, core.Media{}, errors.Join(err, f.Close())
	}
	return f, m, nil
}

// describe returns the length and the type of a file and leaves it at its beginning.
func describe(f *os.File) (size int64, kind string, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	if !info.Mode().IsRegular() {
		return 0, "", fmt.Errorf("%w: %s is not a file", core.ErrNoMedia, info.Name())
	}
	var head [sniffed]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, "", err
	}
	return info.Size(), http.DetectContentType(head[:n]), nil
}

// Delete implements [core.MediaStore]. It is durable when it returns. What is being read stays readable until it is
// closed.
func (s *Store) Delete(ctx context.Context, id string) error {
	if _, err := parseID(id); err != nil {
		return nil // nothing is stored under what is no id
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.removeIfThere(id); err != nil {
		return err
	}
	return s.sync()
}

// Stored implements [core.MediaStore]. The time of storing is the one in the id.
func (s *Store) Stored(ctx context.Context, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		names, err := s.names()
		for _, name := range names {
			if ctx.Err() != nil {
				break
			}
			if at, err := parseID(name); err != nil || !at.Before(before) {
				continue
			}
			if !yield(name, nil) {
				return
			}
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			yield("", err)
		}
	}
}

// names lists everything in the directory.
func (s *Store) names() ([]string, error) {
	d, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	return names, errors.Join(err, d.Close())
}

// Close frees the directory. Content that was opened stays open.
func (s *Store) Close() error { return s.root.Close() }

func (s *Store) removeIfThere(name string) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// sync makes names durable.
func (s *Store) sync() error {
	d, err := s.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sweep removes temporary files.
func (s *Store) sweep() error {
	names, err := s.names()
	errs := []error{err}
	for _, name := range names {
		if strings.HasSuffix(name, tempSuffix) {
			errs = append(errs, s.removeIfThere(name))
		}
	}
	return errors.Join(errs...)
}

var _ core.MediaStore = (*Store)(nil)
