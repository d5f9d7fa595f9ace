package mediadir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/mediadir"
)

func open(t *testing.T, dir string, o mediadir.Options) *mediadir.Store {
	t.Helper()
	s, err := mediadir.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s *mediadir.Store, content string) core.Media {
	t.Helper()
	m, err := s.Put(t.Context(), strings.NewReader(content))
	require.NoError(t, err)
	return m
}

func get(t *testing.T, s *mediadir.Store, id string) (string, core.Media) {
	t.Helper()
	f, m, err := s.Open(t.Context(), id)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return string(b), m
}

// names lists what lies in a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestPutOpen(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_900_000, time.UTC)
	dir := filepath.Join(t.TempDir(), "new", "media")
	s := open(t, dir, mediadir.Options{Now: func() time.Time { return at }})
	for kind, content := range map[string]string{
		"text/plain; charset=utf-8": "hello",
		"text/html; charset=utf-8":  "<!DOCTYPE html><p>" + strings.Repeat("x", 5000),
		"image/png":                 "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 100_000),
		"application/pdf":           "%PDF-1.7",
		"application/octet-stream":  "\x01\x02\x03",
	} {
		m := put(t, s, content)
		require.Regexp(t, `^med_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, m.ID)
		require.Equal(t, core.Media{ID: m.ID, Type: kind, Size: int64(len(content)), At: at.Truncate(time.Millisecond)}, m)
		got, again := get(t, s, m.ID)
		require.Equal(t, content, got)
		require.Equal(t, m, again)

		info, err := os.Stat(filepath.Join(dir, m.ID))
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
	m := put(t, s, "")
	require.Zero(t, m.Size)
	require.NotEmpty(t, m.Type)
	require.NoError(t, s.Close())

	got, again := get(t, open(t, dir, mediadir.Options{}), m.ID)
	require.Empty(t, got)
	require.Equal(t, m, again, "another opening knows the same")
}

// The type does not depend on how the content comes in.
func TestSniffedAcrossReads(t *testing.T) {
	s := open(t, t.TempDir(), mediadir.Options{})
	m, err := s.Put(t.Context(), iotest.OneByteReader(strings.NewReader("GIF89a and so on")))
	require.NoError(t, err)
	require.Equal(t, "image/gif", m.Type)
}

func TestSeek(t *testing.T) {
	s := open(t, t.TempDir(), mediadir.Options{})
	f, _, err := s.Open(t.Context(), put(t, s, "0123456789").ID)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	_, err = f.Seek(-3, io.SeekEnd)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "789", string(b))
}

func TestCap(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, mediadir.Options{MaxBytes: 1000})
	kept := put(t, s, strings.Repeat("x", 1000))

	endless := &counting{}
	_, err := s.Put(t.Context(), endless)
	require.ErrorIs(t, err, core.ErrMediaTooLarge)
	require.LessOrEqual(t, endless.n, 64<<10, "reading goes on long after the cap")
	_, err = s.Put(t.Context(), strings.NewReader(strings.Repeat("x", 1001)))
	require.ErrorIs(t, err, core.ErrMediaTooLarge)
	require.Equal(t, []string{kept.ID}, names(t, dir), "an oversized Put leaves nothing behind")
}

// counting is content without end.
type counting struct{ n int }

func (c *counting) Read(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func TestFailingReader(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, mediadir.Options{})
	broken := errors.New("connection broke")
	_, err := s.Put(t.Context(), io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Empty(t, names(t, dir))

	_, err = s.Put(t.Context(), iotest.ErrReader(io.ErrUnexpectedEOF))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a body that was cut off is no end")
	require.Empty(t, names(t, dir))
}

func TestContext(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, mediadir.Options{})
	m := put(t, s, "hello")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Put(ctx, io.MultiReader(strings.NewReader("half"), cancelling(cancel), strings.NewReader("rest")))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{m.ID}, names(t, dir))
	_, _, err = s.Open(ctx, m.ID)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.Delete(ctx, m.ID), context.Canceled)
	require.Equal(t, []string{m.ID}, names(t, dir))
}

// cancelling is empty content that ends a context.
type cancelling func()

func (c cancelling) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, mediadir.Options{})
	m := put(t, s, "hello")
	f, _, err := s.Open(t.Context(), m.ID)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Delete(t.Context(), m.ID))
	}
	require.Empty(t, names(t, dir))
	_, _, err = s.Open(t.Context(), m.ID)
	require.ErrorIs(t, err, core.ErrNoMedia)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "hello", string(b), "a download that has begun ends well")
	require.NoError(t, f.Close())
}

// Whatever is not an id in its one spelling is no such media, and touches nothing.
func TestStrangeIDs(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "media")
	s := open(t, dir, mediadir.Options{})
	good := put(t, s, "hello").ID
	raw := strings.TrimPrefix(good, "med_")
	outside := filepath.Join(outer, good)
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	before := names(t, dir)

	for _, id := range []string{
		"", ".", "..", "/", "med_", "med_..", "med_/../" + good, "../" + good, outside, "./" + good, good + "/", good + "/.",
		good + ".part", good + "\x00", "\x00" + good, good + "\n", " " + good, raw, "MED_" + raw, strings.ToUpper(good),
		"med_" + strings.ToUpper(raw), "med_" + strings.ReplaceAll(raw, "-", ""), "med_{" + raw + "}", "med_urn:uuid:" + raw,
		"med_6ba7b810-9dad-11d1-80b4-00c04fd430c8", "med_00000000-0000-0000-0000-000000000000",
		"med_" + raw[:14] + "4" + raw[15:], "..\\" + good, "med_%2e%2e%2f", strings.Repeat("../", 20) + "etc/passwd",
		"med_" + strings.Repeat("a", 100_000),
	} {
		_, _, err := s.Open(t.Context(), id)
		require.ErrorIs(t, err, core.ErrNoMedia, "%.80q", id)
		require.NoError(t, s.Delete(t.Context(), id), "%.80q", id)
	}
	require.Equal(t, before, names(t, dir))
	require.FileExists(t, outside)
	got, _ := get(t, s, good)
	require.Equal(t, "hello", got)
}

// A link or a directory under a good name is not followed.
func TestNotAFile(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "media")
	s := open(t, dir, mediadir.Options{})
	id := put(t, s, "hello").ID
	path := filepath.Join(dir, id)
	require.NoError(t, os.WriteFile(filepath.Join(outer, "secret"), []byte("secret"), 0o600))

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("../secret", path))
	_, _, err := s.Open(t.Context(), id)
	require.Error(t, err)

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	_, _, err = s.Open(t.Context(), id)
	require.ErrorIs(t, err, core.ErrNoMedia)
}

// What a killed Put left is removed when the directory is opened; nothing else is.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	m := put(t, open(t, dir, mediadir.Options{}), "hello")
	require.NoError(t, os.WriteFile(filepath.Join(dir, m.ID+".part"), []byte("half"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	s := open(t, dir, mediadir.Options{})
	require.Equal(t, []string{m.ID, "notes.txt"}, names(t, dir))
	got, _ := get(t, s, m.ID)
	require.Equal(t, "hello", got)
}

func TestConcurrent(t *testing.T) {
	s := open(t, t.TempDir(), mediadir.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			content := bytes.Repeat(fmt.Appendf(nil, "%d ", i), 20_000)
			m, err := s.Put(t.Context(), bytes.NewReader(content))
			if err != nil {
				t.Errorf("put: %v", err)
				return
			}
			f, _, err := s.Open(t.Context(), m.ID)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			defer func() { _ = f.Close() }()
			if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
				t.Errorf("content %d came back wrong: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// Content is never held in memory whole.
func TestStreamed(t *testing.T) {
	const size = 32 << 20
	s := open(t, t.TempDir(), mediadir.Options{MaxBytes: 2 * size})
	var before, later runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := s.Put(t.Context(), io.LimitReader(&counting{}, size))
	runtime.ReadMemStats(&later)
	require.NoError(t, err)
	require.EqualValues(t, size, m.Size)
	require.Less(t, later.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
