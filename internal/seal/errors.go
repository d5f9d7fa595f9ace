package seal

import (
	"errors"
	"strconv"
)

var (
	// ErrNoKey reports that no key is configured.
	ErrNoKey = errors.New("seal: no key is configured")
	// ErrTooLarge reports a secret or an owner beyond the bounds of this package.
	ErrTooLarge = errors.New("seal: too large")
	// ErrMalformed reports a text that Seal can not have written.
	ErrMalformed = errors.New("seal: not a sealed secret")
	// ErrUnknownKey reports a secret that was sealed with a key which this keyset does not have.
	ErrUnknownKey = errors.New("seal: unknown key")
	// ErrTampered reports a secret that was altered, belongs to another owner, or was sealed with other material under the
	// same key id. Which of these it is can not be told.
	ErrTampered = errors.New("seal: the secret was altered, moved to another owner, or sealed with another key")
)

// ConfigError tells what is wrong with the text that a keyset was to be made of. It does not quote that text.
type ConfigError struct {
	// Entry counts the keys from 1.
	Entry int
	// Problem is a sentence for the operator.
	Problem string
}

// Error implements error.
func (e *ConfigError) Error() string {
	return "seal: key " + strconv.Itoa(e.Entry) + ": " + e.Problem
}
