package sqlitelog

import (
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"stele/core"
)

// Causes of a *core.CorruptError that the storage does not notice itself.
var (
	// errForeign: the file is a database, but of another program.
	errForeign = errors.New("the file was not written by this program")
	// errChecksum: a record does not match the checksum stored with it.
	errChecksum = errors.New("checksum mismatch")
	// errLost: there is no log where one was.
	errLost = errors.New("the log is gone")
	// errMissing: positions that were given out are not there.
	errMissing = errors.New("records are missing")
	// errMalformed: a column does not hold what is stored there.
	errMalformed = errors.New("malformed record")
)

// primary returns SQLite's primary result code of an error, 0 when it is not one of SQLite's.
func primary(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return sqlite3.SQLITE_OK
	}
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		// The index of the write-ahead log could not grow: a full disk by another name.
		return sqlite3.SQLITE_FULL
	}
	return e.Code() & 0xff
}

// isFull reports that there is no room.
func isFull(err error) bool {
	return primary(err) == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC)
}

// staysSound reports that a failed write left the log as it was, so that the next one may be tried. After anything else,
// an input or output error above all, nobody knows what the disk holds, and what is written after it might be lost.
func staysSound(err error) bool {
	switch primary(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM:
		return true
	}
	return isFull(err)
}

// refusalOf turns the storage's error into what an append answers with. It stays what it was for staysSound.
func refusalOf(path string, err error) error {
	switch primary(err) {
	case sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM:
		return typed(path, err)
	}
	if isFull(err) || errors.Is(err, core.ErrReadOnly) {
		return typed(path, err)
	}
	return fmt.Errorf("%w: %w", core.ErrReadOnly, typed(path, err))
}

// typed turns what SQLite says into the core's errors.
func typed(path string, err error) error {
	if err == nil || isTyped(err) {
		return err
	}
	switch primary(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR:
		// The statements are fixed, so a mistake in one of them means that the schema is not the one made for them.
		return &core.CorruptError{File: path, Cause: err}
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", core.ErrFull, err)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", core.ErrFull, err)
	case errors.Is(err, errMalformed), errors.Is(err, errForeign), errors.Is(err, errLost):
		return &core.CorruptError{File: path, Cause: err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

func isTyped(err error) bool {
	for _, known := range []error{
		core.ErrCorrupt, core.ErrFull, core.ErrReadOnly, core.ErrNewerFormat, core.ErrNoSnapshot, core.ErrClosed,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
