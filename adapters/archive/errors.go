package archive

import (
	"errors"
	"fmt"

	"stele/core"
)

// Refusals of a file. Compare with errors.Is.
var (
	// ErrEmpty: there is nothing in it.
	ErrEmpty = errors.New("the file is empty")
	// ErrCutOff: its last line is missing.
	ErrCutOff = errors.New("the file is cut off: its last line is missing")
	// ErrChanged: it is not what was written.
	ErrChanged = errors.New("the file was changed: its checksum does not match")
	// ErrAfterEnd: something comes behind its last line.
	ErrAfterEnd = errors.New("something comes behind the end")
	// ErrUnknownForm: it is of no form that is known here.
	ErrUnknownForm = errors.New("the file is neither an export of a room, an areyouai transcript, a read_context answer nor messages frames")
	// ErrLineTooLong: a line is longer than MaxLine.
	ErrLineTooLong = fmt.Errorf("is longer than %d bytes", MaxLine)
	// ErrTooLarge: the file is larger than can be imported at once.
	ErrTooLarge = errors.New("is more than can be imported at once")
	// ErrNewer: a newer program wrote it.
	ErrNewer = errors.New("the file is of a newer format than this program reads")
)

// UnknownKindError: an event is of a kind that this program does not know.
type UnknownKindError struct{ Kind core.Kind }

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("the kind %.100q is not known here: a newer program wrote it", string(e.Kind))
}

// wrong is a refusal of a line by its content.
func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }

// asLine tells whether an error is a line's.
func asLine(err error, into **LineError) bool { return errors.As(err, into) }
