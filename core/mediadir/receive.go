package mediadir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"

	"stele/core"
)

// tempSuffix marks a file that is not complete. No id ends so.
const tempSuffix = ".part"

// receive copies content into a new file and syncs it.
func (s *Store) receive(ctx context.Context, name string, content io.Reader) (size int64, kind string, err error) {
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := &sniffer{to: f}
	// One byte more than the cap tells content that ends there from content that goes on.
	size, err = io.Copy(w, io.LimitReader(&checked{ctx, content}, s.opts.MaxBytes+1))
	switch {
	case err != nil:
		return 0, "", storageError(err)
	case size > s.opts.MaxBytes:
		return 0, "", fmt.Errorf("%w: at most %d bytes", core.ErrMediaTooLarge, s.opts.MaxBytes)
	}
	return size, http.DetectContentType(w.head), storageError(f.Sync())
}

// storageError names a full disk as the core does.
func storageError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", core.ErrFull, err)
	}
	return err
}

// sniffer keeps the first bytes of what it passes on.
type sniffer struct {
	to   io.Writer
	head []byte
}

func (w *sniffer) Write(p []byte) (int, error) {
	if missing := sniffed - len(w.head); missing > 0 {
		w.head = append(w.head, p[:min(missing, len(p))]...)
	}
	return w.to.Write(p)
}

// checked looks at a context before each read.
type checked struct {
	ctx  context.Context
	from io.Reader
}

func (r *checked) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
