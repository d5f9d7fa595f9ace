package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// The costs of a new hash: memory in KiB, passes, lanes (the smallest of the settings that OWASP's password storage cheat
// sheet recommends for argon2id, since a gateway may run on a small machine).
const (
	memory = 19 * 1024
	passes = 2
	lanes  = 1

	saltBytes = 16
	hashBytes = 32

	// maxMemory and maxPasses bound what a stored hash may ask for.
	maxMemory = 1 << 20
	maxPasses = 64
)

// Bounds of a password. The shortest is in characters, the longest in bytes.
const (
	MinCharacters = 10
	MaxBytes      = 1024
)

// Refusals of a password. Compare with errors.Is.
var (
	ErrTooShort = fmt.Errorf("a password has at least %d characters", MinCharacters)
	ErrTooLong  = fmt.Errorf("a password has at most %d bytes", MaxBytes)
)

var errForm = errors.New("not a password hash")

// Make returns the hash of a password. Errors: [ErrTooShort], [ErrTooLong].
func Make(password string) (string, error) {
	switch {
	case utf8.RuneCountInString(password) < MinCharacters:
		return "", ErrTooShort
	case len(password) > MaxBytes:
		return "", ErrTooLong
	}
	salt := make([]byte, saltBytes)
	// It never fails (Go 1.24 and later).
	_, _ = rand.Read(salt)
	h := hash{memory: memory, passes: passes, lanes: lanes, salt: salt}
	h.sum = h.of(password, hashBytes)
	return h.String(), nil
}

// Matches tells whether a password is the one of a stored hash. A hash that is none matches nothing.
func Matches(stored, password string) bool {
	h, err := parse(stored)
	if err != nil || len(password) > MaxBytes {
		decoy := hash{memory: memory, passes: passes, lanes: lanes, salt: make([]byte, saltBytes)}
		decoy.of(password[:min(len(password), MaxBytes)], hashBytes)
		return false
	}
	return subtle.ConstantTimeCompare(h.of(password, uint32(len(h.sum))), h.sum) == 1
}

// hash is a stored hash taken apart.
type hash struct {
	memory, passes uint32
	lanes          uint8
	salt, sum      []byte
}

func (h hash) of(password string, length uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, length)
}

func (h hash) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes, encode(h.salt), encode(h.sum))
}

func parse(stored string) (hash, error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hash{}, errForm
	}
	var h hash
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil || n != 3 {
		return hash{}, errForm
	}
	if h.memory == 0 || h.memory > maxMemory || h.passes == 0 || h.passes > maxPasses || h.lanes == 0 {
		return hash{}, errForm
	}
	var err error
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil || len(h.salt) < 8 {
		return hash{}, errForm
	}
	if h.sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(h.sum) < 16 || len(h.sum) > 128 {
		return hash{}, errForm
	}
	return h, nil
}
