package transport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"

	"stele/core"
)

// HeaderIdempotencyKey carries what a client chose to make a writing request repeatable.
const HeaderIdempotencyKey = "Idempotency-Key"

// MaxKeyBytes is the length of the longest idempotency key.
const MaxKeyBytes = 255

// ValidKey tells whether the request has no idempotency key or one that can be used: 1 to [MaxKeyBytes] visible ASCII
// characters, given once.
func ValidKey(r *http.Request) bool {
	values := r.Header.Values(HeaderIdempotencyKey)
	return len(values) == 0 || len(values) == 1 && isKey(values[0])
}

// Key returns the idempotency key of an agent's request with this body, nil without a usable one. The key is bound to
// method, path and body, so that its use for anything else is refused as a conflict.
func Key(r *http.Request, agent string, body []byte) *core.Key {
	values := r.Header.Values(HeaderIdempotencyKey)
	if len(values) != 1 || !isKey(values[0]) {
		return nil
	}
	return &core.Key{Agent: agent, Value: values[0], BodyHash: requestHash(r.Method, r.URL.Path, body)}
}

// CallKey returns the idempotency key of an agent's call that came by other ways than a request of its own, bound to the
// method, to what it acts on and to the arguments; false when the value is no key.
func CallKey(agent, value, method, on string, arguments []byte) (*core.Key, bool) {
	if !isKey(value) {
		return nil, false
	}
	return &core.Key{Agent: agent, Value: value, BodyHash: requestHash(method, on, arguments)}, true
}

func isKey(s string) bool {
	if s == "" || len(s) > MaxKeyBytes {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// requestHash writes each part's length before it, so that no two requests look the same to the hash.
func requestHash(method, path string, body []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(method), []byte(path), body} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
