package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// DefaultKeyID is the id of a key that was configured without one.
	DefaultKeyID = "default"
	// MaxKeyIDBytes bounds a key id.
	MaxKeyIDBytes = 64
	// MinMaterialBytes is the least length of key material. One SHA-256 is no protection for what can be guessed, so a
	// short word must not become a key. Sixteen random characters are enough.
	MinMaterialBytes = 16
	// MaxKeys bounds a keyset: more would be a mistake in the configuration, not a rotation.
	MaxKeys = 64
)

// Keyset seals with its first key and opens with all of them. Nil and the zero value have no key and answer [ErrNoKey].
// It is immutable and safe for concurrent use.
type Keyset struct {
	// The keys stand behind pointers, so that package fmt, when it meets a Keyset in somebody's unexported field and can
	// not call Format there, prints addresses instead of keys (CWE-532).
	keys []*key
}

type key struct {
	id   string
	aead cipher.AEAD
}

// SingleKey returns a keyset of one key with the id [DefaultKeyID]. White space around the material is ignored; empty
// material gives a keyset without a key, which is how a program says that none is configured. An error is a
// [*ConfigError].
func SingleKey(material string) (*Keyset, error) {
	material = strings.TrimSpace(material)
	if material == "" {
		return &Keyset{}, nil
	}
	k, err := newKey(DefaultKeyID, material)
	if err != nil {
		return nil, &ConfigError{Entry: 1, Problem: err.Error()}
	}
	return &Keyset{keys: []*key{k}}, nil
}

// ParseKeyset reads "kid=material,kid=material,…". A key id has 1 to [MaxKeyIDBytes] of letters, digits, '.', '_' and
// '-'; the material begins after the first '=' and can contain further ones, but no comma. White space around entries, ids
// and material is ignored. Empty text gives a keyset without a key. An error is a [*ConfigError].
func ParseKeyset(text string) (*Keyset, error) {
	if strings.TrimSpace(text) == "" {
		return &Keyset{}, nil
	}
	entries := strings.Split(text, ",")
	if len(entries) > MaxKeys {
		return nil, &ConfigError{Entry: MaxKeys + 1, Problem: fmt.Sprintf("a keyset has at most %d keys", MaxKeys)}
	}
	s := &Keyset{keys: make([]*key, 0, len(entries))}
	for i, entry := range entries {
		k, err := s.parseEntry(entry)
		if err != nil {
			return nil, &ConfigError{Entry: i + 1, Problem: err.Error()}
		}
		s.keys = append(s.keys, k)
	}
	return s, nil
}

func (s *Keyset) parseEntry(entry string) (*key, error) {
	id, material, ok := strings.Cut(entry, "=")
	id = strings.TrimSpace(id)
	// None of these errors quotes the entry: somebody who forgot the id has put the material in its place.
	switch {
	case !ok:
		return nil, errors.New(`an entry is written "kid=material"`)
	case !validKeyID(id):
		return nil, fmt.Errorf("a key id is 1 to %d of letters, digits, '.', '_' and '-'", MaxKeyIDBytes)
	case s.find(id) != nil:
		return nil, errors.New("an earlier entry has the same key id")
	}
	return newKey(id, strings.TrimSpace(material))
}

func newKey(id, material string) (*key, error) {
	if len(material) < MinMaterialBytes {
		return nil, fmt.Errorf("key material needs at least %d bytes", MinMaterialBytes)
	}
	sum := sha256.Sum256([]byte(material))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, fmt.Errorf("the key is unusable: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("the key is unusable: %w", err)
	}
	return &key{id: id, aead: aead}, nil
}

func validKeyID(id string) bool {
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || '9' < c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return 0 < len(id) && len(id) <= MaxKeyIDBytes
}

// Configured reports whether there is a key, so that a program can refuse to take a secret before it has one in hand.
func (s *Keyset) Configured() bool { return s != nil && len(s.keys) > 0 }

func (s *Keyset) find(id string) *key {
	for _, k := range s.keys {
		if k.id == id {
			return k
		}
	}
	return nil
}

const redacted = "seal.Keyset(redacted)"

// String says nothing of the keys.
func (Keyset) String() string { return redacted }

// GoString says nothing of the keys.
func (Keyset) GoString() string { return redacted }

// Format writes the same fixed text for every verb.
func (Keyset) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText writes the same fixed text, for loggers and encoders.
func (Keyset) MarshalText() ([]byte, error) { return []byte(redacted), nil }
