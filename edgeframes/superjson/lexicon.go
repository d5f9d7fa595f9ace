package superjson

import "encoding/binary"

// lexicon remembers short texts, which in most messages come again and again: keys, and
// values such as a role or a kind. It lives as long as the tape, so that a small message
// seldom allocates any. Each text has two places, of which it takes the second when a
// newer one needs the first.
type lexicon struct {
	keys  [256]string
	words [256]Value
}

// spread returns the first place of a text that is not empty; the second is its
// neighbour.
func spread(text []byte) uint8 {
	n := len(text)
	var x uint64
	if n >= 8 {
		x = binary.LittleEndian.Uint64(text) ^ binary.LittleEndian.Uint64(text[n-8:])<<1
	} else {
		for _, c := range text {
			x = x<<8 | uint64(c)
		}
	}
	return uint8((x + uint64(n)) * 0x9E3779B97F4A7C15 >> 56)
}

// key returns text as a string.
func (l *lexicon) key(text []byte) string {
	at := spread(text)
	if l.keys[at] == string(text) {
		return l.keys[at]
	}
	if l.keys[at^1] != string(text) {
		l.keys[at^1] = string(text)
	}
	l.keys[at], l.keys[at^1] = l.keys[at^1], l.keys[at]
	return l.keys[at]
}

// word returns text as a String.
func (l *lexicon) word(text []byte, b *builder) Value {
	at := spread(text)
	if s, ok := l.words[at].(String); ok && string(s) == string(text) {
		return l.words[at]
	}
	if s, ok := l.words[at^1].(String); ok && string(s) == string(text) {
		return l.words[at^1]
	}
	l.words[at^1] = l.words[at]
	l.words[at] = b.strings.box(String(b.copied(text)))
	return l.words[at]
}
