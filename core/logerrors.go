package core

import (
	"errors"
	"fmt"
)

// Kinds of failure that a log reports. Compare with errors.Is.
var (
	// ErrConflict: the stream's last position was not the one expected; nothing was written.
	ErrConflict = errors.New("stream was written by somebody else first")
	// ErrFull: the disk has no room; the append failed, reading goes on.
	ErrFull = errors.New("no space left for the log")
	// ErrReadOnly: the log accepts no appends at the moment.
	ErrReadOnly = errors.New("log is read-only")
	// ErrClosed: the log was closed.
	ErrClosed = errors.New("log is closed")
	// ErrLocked: another process has the log open.
	ErrLocked = errors.New("log is in use by another process")
	// ErrNewerFormat: a newer program wrote the log.
	ErrNewerFormat = errors.New("log was written by a newer version of the program")
	// ErrCorrupt: stored bytes are not what was written.
	ErrCorrupt = errors.New("log is damaged")
	// ErrTraces: the content was destroyed, but somebody else reads the log's file, so that older copies of its pages stay
	// for now.
	ErrTraces = errors.New("somebody else reads the log, so that older copies of what was erased stay")
	// ErrNoSnapshot: there is no usable snapshot under that name.
	ErrNoSnapshot = errors.New("no snapshot")
	// ErrNoPeer: no node answers under that name.
	ErrNoPeer = errors.New("no such node")
)

// ConflictError says where a compare-and-swap failed. It is an [ErrConflict].
type ConflictError struct {
	Stream         Stream
	Expected, Last Position
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("append to %s: expected last position %d, found %d", e.Stream, e.Expected, e.Last)
}

// Is reports that the error is an [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// CorruptError names the damaged place. It is an [ErrCorrupt].
type CorruptError struct {
	// File is the path of the damaged file.
	File string
	// First and Last bound the damaged positions; both 0 when the damage is not in a record.
	First, Last Position
	// Cause is what the storage said.
	Cause error
}

func (e *CorruptError) Error() string {
	where := e.File
	if e.First != 0 {
		where = fmt.Sprintf("%s, positions %d to %d", e.File, e.First, e.Last)
	}
	return fmt.Sprintf("log is damaged: %s: %v", where, e.Cause)
}

// Is reports that the error is an [ErrCorrupt].
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Cause }
