package wake

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"stele/internal/strictjson"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// maxFileBytes bounds what is read back; the largest file holds a config with a long command line.
	maxFileBytes = 1 << 20
	lockFile     = "lock"
	tempPrefix   = ".tmp-"
	// asideSuffix marks a damaged file that was moved out of the way for a person to look at.
	asideSuffix = ".damaged"
)

// ErrInUse is the error of a folder on which another sidecar runs.
var ErrInUse = errors.New("wake: the folder is in use by a running sidecar")

// DamagedError is a file whose content cannot be read back. Its text never holds any of the content.
type DamagedError struct {
	// Path is the file's path.
	Path  string
	cause error
}

// Error names the file.
func (e *DamagedError) Error() string { return fmt.Sprintf("wake: %s is damaged: %v", e.Path, e.cause) }

// Unwrap returns what is wrong with the content.
func (e *DamagedError) Unwrap() error { return e.cause }

// diskError is a file that could not be read or written. Going on without it could lose a wake.
type diskError struct{ cause error }

func (e *diskError) Error() string { return fmt.Sprintf("wake: %v", e.cause) }

func (e *diskError) Unwrap() error { return e.cause }

// folder is the sidecar's folder on disk. A write replaces a file as a whole: after a crash at any moment there is the
// old content or the new one. Every write and removal is on the disk itself before it returns.
type folder struct {
	root string
	// step is asked before and after every durable step. Its error is taken for the step's own; tests stop a sidecar
	// there.
	step func(name string) error
	// sync brings a file or a directory to the disk.
	sync func(*os.File) error
	lock *os.File
}

func newFolder(root string) *folder {
	return &folder{root: root, step: func(string) error { return nil }, sync: (*os.File).Sync}
}

func (f *folder) path(name string) string { return filepath.Join(f.root, name) }

// make makes the folder and the given ones below it.
func (f *folder) make(below ...string) error {
	for _, sub := range append([]string{""}, below...) {
		if err := os.MkdirAll(f.path(sub), dirMode); err != nil {
			return &diskError{err}
		}
	}
	return nil
}

// seize locks the folder until release, and clears away what a crash in the midst of a write left.
func (f *folder) seize(now time.Time) error {
	file, err := os.OpenFile(f.path(lockFile), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return &diskError{err}
	}
	if err := lockPatiently(file); err != nil {
		return errors.Join(err, file.Close())
	}
	f.lock = file
	f.clearTemps(now)
	return nil
}

// lockPatiently tries for half a second, since a look at the status holds the lock for a moment.
func lockPatiently(file *os.File) error {
	for try := range 10 {
		if try > 0 {
			time.Sleep(50 * time.Millisecond)
		}
		locked, err := tryLock(file)
		if locked || err != nil {
			return err
		}
	}
	return ErrInUse
}

func (f *folder) release() error {
	if f.lock == nil {
		return nil
	}
	file := f.lock
	f.lock = nil
	return file.Close()
}

// inUse tells whether a sidecar runs on the folder.
func (f *folder) inUse() (bool, error) {
	file, err := os.OpenFile(f.path(lockFile), os.O_RDWR, fileMode)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, &diskError{err}
	}
	defer file.Close()
	locked, err := tryLock(file)
	return !locked, err
}

// clearTemps removes half-written files. A young one may belong to a login that runs right now.
func (f *folder) clearTemps(now time.Time) {
	for _, sub := range []string{"", wakesDir, tokensDir} {
		entries, err := os.ReadDir(f.path(sub))
		if err != nil {
			continue
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && strings.HasPrefix(e.Name(), tempPrefix) && now.Sub(info.ModTime()) > time.Hour {
				// One that stays does no harm.
				_ = os.Remove(f.path(filepath.Join(sub, e.Name())))
			}
		}
	}
}

// write replaces a file by v as JSON.
func (f *folder) write(name string, v any) (err error) {
	data, err := strictjson.Marshal(v)
	if err != nil {
		return fmt.Errorf("wake: %s: %w", name, err)
	}
	if err := f.step(name); err != nil {
		return err
	}
	path := f.path(name)
	temp, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*")
	if err != nil {
		return &diskError{err}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(append(data, '\n'))
	if err == nil {
		err = f.sync(temp)
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return &diskError{err}
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return &diskError{err}
	}
	return f.settle(name)
}

// settle makes a change of a directory durable.
func (f *folder) settle(name string) error {
	dir, err := os.Open(filepath.Dir(f.path(name)))
	if err != nil {
		return &diskError{err}
	}
	if err := errors.Join(f.sync(dir), dir.Close()); err != nil {
		return &diskError{err}
	}
	return f.step(name)
}

// read decodes a file. The error wraps fs.ErrNotExist when there is none and is a *DamagedError when it cannot be read.
func (f *folder) read(name string, v any) error {
	file, err := os.Open(f.path(name))
	if err != nil {
		return &diskError{err}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return &diskError{err}
	}
	if err := strictjson.UnmarshalLimits(data, v, strictjson.Limits{MaxBytes: maxFileBytes}); err != nil {
		return &DamagedError{Path: f.path(name), cause: err}
	}
	return nil
}

// isMissing tells an error of read for a file that is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// remove deletes a file; one that is not there is fine.
func (f *folder) remove(name string) error {
	if err := f.step(name); err != nil {
		return err
	}
	err := os.Remove(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &diskError{err}
	}
	return f.settle(name)
}

// setAside renames a damaged file, so that its place is free and a person can still look at it.
func (f *folder) setAside(name string) error {
	if err := f.step(name); err != nil {
		return err
	}
	if err := os.Rename(f.path(name), f.path(name)+asideSuffix); err != nil {
		return &diskError{err}
	}
	return f.settle(name)
}

// list returns the names of the JSON files in a directory, with the directory.
func (f *folder) list(sub string) ([]string, error) {
	entries, err := os.ReadDir(f.path(sub))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &diskError{err}
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), tempPrefix) {
			names = append(names, filepath.Join(sub, e.Name()))
		}
	}
	return names, nil
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// fileOf is the name of a room's file in a directory. Ids are chosen by a server: one that is not plain, such as
// "../../x", must not decide where a file goes (CWE-22), so its hash stands in.
func fileOf(sub, roomID string) string {
	if !plainID.MatchString(roomID) {
		sum := sha256.Sum256([]byte(roomID))
		roomID = "sha256." + hex.EncodeToString(sum[:])
	}
	return filepath.Join(sub, roomID+".json")
}
