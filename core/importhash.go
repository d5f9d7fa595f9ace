package core

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// contentHash is the SHA-256 of lines, each with its end.
type contentHash struct{ h hash.Hash }

func newContentHash() contentHash { return contentHash{h: sha256.New()} }

func (c contentHash) add(line []byte) {
	// A hash takes everything.
	_, _ = c.h.Write(line)
	_, _ = c.h.Write([]byte{'\n'})
}

func (c contentHash) sum() string { return hex.EncodeToString(c.h.Sum(nil)) }
