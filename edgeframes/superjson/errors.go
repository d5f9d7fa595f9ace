package superjson

import (
	"errors"
	"fmt"
)

// What can be wrong with a text or a value, to be compared with errors.Is.
var (
	// ErrSyntax: the text is not JSON.
	ErrSyntax = errors.New("not valid JSON")
	// ErrInvalidUTF8: the text is not UTF-8.
	ErrInvalidUTF8 = errors.New("not valid UTF-8")
	// ErrNoEnvelope: the text is JSON null, in which no value can be.
	ErrNoEnvelope = errors.New("no envelope")
	// ErrMeta: "meta" has a shape no release of the library prints.
	ErrMeta = errors.New("malformed meta")
	// ErrPath: an annotation path has a backslash that escapes nothing.
	ErrPath = errors.New("invalid path")
	// ErrForbiddenKey: a path, or a key to encode, is __proto__, prototype or
	// constructor, which in JavaScript would reach the prototype (CWE-1321).
	ErrForbiddenKey = errors.New("forbidden key")
	// ErrUnknownType: an annotation names a type that is not registered here.
	ErrUnknownType = errors.New("unknown type")
	// ErrConvert: the JSON at an annotated place cannot become the type named.
	ErrConvert = errors.New("cannot convert")
	// ErrCycle: the shared references close a circle, which only a Codec with Cycles
	// builds.
	ErrCycle = errors.New("circular reference")
	// ErrReference: a shared reference starts at a place that does not exist.
	ErrReference = errors.New("dangling reference")
	// ErrTooLarge: longer than MaxBytes, or than MaxExpanded when written out.
	ErrTooLarge = errors.New("too large")
	// ErrTooDeep: nested deeper than MaxDepth.
	ErrTooDeep = errors.New("nested too deep")
	// ErrTooMany: more annotations than MaxAnnotations.
	ErrTooMany = errors.New("too many annotations")
	// ErrTooLong: a path or a bigint beyond its limit.
	ErrTooLong = errors.New("too long")
)

// DecodeError says why a text could not be decoded. It wraps one of the errors of
// this package.
type DecodeError struct {
	// Offset is the byte at which reading stopped, or -1 when the fault lies in
	// the meaning of an annotation.
	Offset int
	// Detail says what was wrong there; it may quote type names and keys of the
	// text, shortened, and never a value.
	Detail string
	// Err is the kind of the fault.
	Err error
}

// Error implements error.
func (e *DecodeError) Error() string {
	msg := "superjson: " + e.Err.Error()
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	if e.Offset >= 0 {
		msg += fmt.Sprintf(" at byte %d", e.Offset)
	}
	return msg
}

// Unwrap returns the kind of the fault.
func (e *DecodeError) Unwrap() error { return e.Err }

// EncodeError says why a value could not be encoded. It wraps [ErrForbiddenKey],
// [ErrTooDeep], [ErrTooLarge] when shared parts written out in full grow beyond
// MaxExpanded, or [ErrConvert] for a Go type that has no form in JavaScript.
type EncodeError struct {
	// Detail names the key or the Go type.
	Detail string
	// Err is the kind of the fault.
	Err error
}

// Error implements error.
func (e *EncodeError) Error() string {
	if e.Detail == "" {
		return "superjson: " + e.Err.Error()
	}
	return "superjson: " + e.Err.Error() + ": " + e.Detail
}

// Unwrap returns the kind of the fault.
func (e *EncodeError) Unwrap() error { return e.Err }

func fault(kind error, format string, args ...any) error {
	return &DecodeError{Offset: -1, Detail: fmt.Sprintf(format, args...), Err: kind}
}

// quote shortens text of the peer for an error message.
func quote(s string) string {
	const longest = 64
	if len(s) > longest {
		return fmt.Sprintf("%.64q…", s)
	}
	return fmt.Sprintf("%q", s)
}
