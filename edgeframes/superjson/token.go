package superjson

import "encoding/binary"

// token is a key as it stands in a text, with quotes and colon. Most are short, so that
// one look at eight bytes tells whether a text goes on with one.
type token struct {
	text string
	// first are the first bytes, up to eight, and mask the bits of them that count, none
	// in the zero token.
	first, mask uint64
}

func newToken(key []byte) token {
	t := token{text: `"` + string(key) + `":`}
	var first [8]byte
	n := copy(first[:], t.text)
	t.first = binary.LittleEndian.Uint64(first[:])
	t.mask = 1<<(8*n) - 1
	return t
}

// begins tells whether text goes on with the token at pos. Near the end of a text it may
// miss one.
func (t *token) begins(text []byte, pos int) bool {
	if pos+8 > len(text) || t.mask == 0 || binary.LittleEndian.Uint64(text[pos:])&t.mask != t.first {
		return false
	}
	n := len(t.text)
	return n <= 8 || n <= len(text)-pos && string(text[pos+8:pos+n]) == t.text[8:]
}
