package strictjson

import (
	"errors"
	"strconv"
)

var (
	// ErrTooLarge reports a document longer than Limits.MaxBytes, or a number
	// in it longer than MaxNumberBytes.
	ErrTooLarge = errors.New("strictjson: too large")
	// ErrTooDeep reports more nested objects and arrays than Limits.MaxDepth.
	ErrTooDeep = errors.New("strictjson: nested too deeply")
	// ErrInvalidUTF8 reports a string that is not UTF-8.
	ErrInvalidUTF8 = errors.New("strictjson: invalid UTF-8")
	// ErrLoneSurrogate reports an escape that is half of a surrogate pair, where
	// [Limits] asks for whole text: UTF-8 has no form for it.
	ErrLoneSurrogate = errors.New("strictjson: half of a surrogate pair")
)

// SyntaxError reports a document that is not exactly one JSON value.
type SyntaxError struct {
	// Offset is the number of bytes before the offending one.
	Offset int
	// Msg says what was wrong, without quoting the document.
	Msg string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return "strictjson: " + e.Msg + " at byte " + strconv.Itoa(e.Offset)
}

// TypeError reports a value of the wrong JSON type, or a number that does not
// fit, in a document that is otherwise sound.
type TypeError struct {
	// Field is the path of names to the value, joined by full stops; empty for
	// the document itself.
	Field string
	// Want and Got are JSON words: object, array, string, number, integer,
	// boolean.
	Want, Got string
}

// Error implements error.
func (e *TypeError) Error() string {
	if e.Field == "" {
		return "strictjson: got " + e.Got + ", want " + e.Want
	}
	return "strictjson: field " + strconv.Quote(e.Field) + ": got " + e.Got + ", want " + e.Want
}
