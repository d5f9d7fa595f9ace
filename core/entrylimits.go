package core

import (
	"fmt"
	"strings"
)

// Bounds of the texts of a document, a reference or a group, in bytes of UTF-8. Whoever enters a room is shown those of
// all its documents and references at once.
const (
	MaxEntryDescriptionBytes  = 4 << 10
	MaxEntryInstructionsBytes = 16 << 10
)

// NotAllowedError: the caller lacks a right that is not the room's to give; Reason says whose it is. It is an
// [ErrNotAllowed].
type NotAllowedError struct{ Reason string }

func (e *NotAllowedError) Error() string { return e.Reason }

// Is reports that the error is an [ErrNotAllowed].
func (e *NotAllowedError) Is(target error) bool { return target == ErrNotAllowed }

// checkName refuses a name that is blank or has more than MaxNameCharacters.
func checkName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return &InvalidError{Field: field, Reason: "must not be blank"}
	}
	return checkCharacters(field, name, MaxNameCharacters)
}

// full refuses one more of what there may be a number of.
func full(field, things string, most int) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf("there are %d %s already, as many as there may be", most, things)}
}
