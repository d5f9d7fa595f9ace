package seal

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const (
	scheme = "enc:v1:"
	// overhead is the nonce before and the tag behind the ciphertext. Source: NIST SP 800-38D, 96-bit nonce, 128-bit tag.
	overhead = 12 + 16

	// MaxPlaintextBytes bounds a secret.
	MaxPlaintextBytes = 16 << 10
	// MaxOwnerBytes bounds the owner id that a secret is bound to.
	MaxOwnerBytes = 1 << 10
)

var (
	// Strict, because the last character of an unpadded text has bits that mean nothing and could be changed unseen.
	encoding = base64.RawURLEncoding.Strict()

	maxEncodedBytes = encoding.EncodedLen(MaxPlaintextBytes + overhead)
)

// Seal encrypts plaintext with the first key and binds it to owner, which [Keyset.Open] must be given again. The result
// has the form that the package comment shows, and differs on every call. Errors are [ErrNoKey] and [ErrTooLarge].
func (s *Keyset) Seal(plaintext []byte, owner string) (string, error) {
	switch {
	case !s.Configured():
		return "", ErrNoKey
	case len(plaintext) > MaxPlaintextBytes, len(owner) > MaxOwnerBytes:
		return "", ErrTooLarge
	}
	k := s.keys[0]
	box := k.aead.Seal(nil, nil, plaintext, k.additionalData(owner))
	return scheme + k.id + ":" + encoding.EncodeToString(box), nil
}

// Open decrypts what [Keyset.Seal] returned for the same owner. Errors are [ErrNoKey], [ErrMalformed], [ErrUnknownKey] and
// [ErrTampered]; sealed is input from a store and may be anything.
func (s *Keyset) Open(sealed, owner string) ([]byte, error) {
	if !s.Configured() {
		return nil, ErrNoKey
	}
	id, text, err := split(sealed)
	if err != nil {
		return nil, err
	}
	k := s.find(id)
	if k == nil {
		return nil, fmt.Errorf("%w %q", ErrUnknownKey, id)
	}
	box, err := encoding.DecodeString(text)
	if err != nil || len(box) < overhead {
		return nil, ErrMalformed
	}
	if len(owner) > MaxOwnerBytes {
		return nil, ErrTampered
	}
	plaintext, err := k.aead.Open(nil, nil, box, k.additionalData(owner))
	if err != nil {
		return nil, ErrTampered
	}
	return plaintext, nil
}

// split checks everything about sealed that needs no key.
func split(sealed string) (id, text string, err error) {
	rest, ok := strings.CutPrefix(sealed, scheme)
	if !ok || len(rest) > MaxKeyIDBytes+1+maxEncodedBytes {
		return "", "", ErrMalformed
	}
	id, text, ok = strings.Cut(rest, ":")
	// The decoder would skip line breaks wherever they stand.
	if !ok || !validKeyID(id) || strings.ContainsAny(text, "\r\n") {
		return "", "", ErrMalformed
	}
	return id, text, nil
}

// additionalData is unambiguous, because a key id has no colon.
func (k *key) additionalData(owner string) []byte {
	return []byte(scheme + k.id + ":" + owner)
}
