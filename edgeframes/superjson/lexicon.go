package superjson

import "encoding/binary"

// lexicon remembers what small messages repeat: their keys, in which order they come, and
// the short texts they have held, such as a role or a kind. It lives longer than a text,
// so that most of a small message is recognized where it stands, without a search for its
// end and without an allocation. What it expects is always compared with the text: a
// wrong expectation costs time and nothing else.
type lexicon struct {
	// The last entry is for values that stand under no key that is remembered.
	entries [slots + 1]entry
}

const (
	// slots is the number of keys remembered.
	slots = 256
	// noSlot is the slot of all other keys.
	noSlot = slots
	// longWord is the length from which a text is not expected to come again.
	longWord = 20
)

// entry is what is remembered of one key.
type entry struct {
	// key has no escapes. token is the key as it stands in a text, with quotes and colon.
	key   string
	token token
	words [4]word
	// next is the slot of the key that came after it in its object, first that of the
	// first key of the object it held.
	next, first uint16
	// missed counts texts that were not among words since the last that was.
	missed uint16
	dates  likelihood
}

// word is a text without escapes, and the String that it is.
type word struct {
	text  string
	value Value
}

// likelihood tells whether a text under a key that could be a Date is one.
type likelihood uint8

const (
	unknown likelihood = iota
	likely
	// unreliable keys held both.
	unreliable
)

// spread returns the first place of a text that is not empty; the second is its
// neighbour.
func spread(text []byte) uint8 {
	n := len(text)
	var x uint64
	switch {
	case n >= 8:
		x = binary.LittleEndian.Uint64(text) ^ binary.LittleEndian.Uint64(text[n-8:])<<1
	case n >= 4:
		x = uint64(binary.LittleEndian.Uint32(text))<<32 | uint64(binary.LittleEndian.Uint32(text[n-4:]))
	default:
		x = uint64(text[0])<<16 | uint64(text[n/2])<<8 | uint64(text[n-1])
	}
	return uint8((x + uint64(n)) * 0x9E3779B97F4A7C15 >> 56)
}

// find returns the slot of a key, noSlot if it is not remembered.
func (l *lexicon) find(key []byte) uint16 {
	at := uint16(spread(key))
	switch string(key) {
	case l.entries[at].key:
		return at
	case l.entries[at^1].key:
		return at ^ 1
	}
	return noSlot
}

// slot returns the slot of a key, which it remembers.
func (l *lexicon) slot(key []byte) uint16 {
	at := l.find(key)
	if at != noSlot {
		return at
	}
	at = uint16(spread(key))
	if l.entries[at].key != "" {
		// The older of the two goes.
		l.entries[at^1] = l.entries[at]
	}
	t := newToken(key)
	l.entries[at] = entry{key: t.text[1 : len(t.text)-2], token: t}
	return at
}

// distrust ends guessing for all keys that have held Dates.
func (l *lexicon) distrust() {
	for i := range l.entries {
		if l.entries[i].dates == likely {
			l.entries[i].dates = unreliable
		}
	}
}

// patience is after how many texts in a row that were no words a key is taken for one
// whose texts do not repeat, such as an id. Few of its texts are looked up from then on.
const patience = 8

// match returns the word that text begins with, up to its closing quote, or nil.
func (e *entry) match(text []byte) *word {
	if e.missed > patience && e.missed%8 != 0 {
		return nil
	}
	for i := range e.words {
		w := &e.words[i]
		if n := len(w.text); n > 0 && n < len(text) && text[n] == '"' && string(text[:n]) == w.text {
			e.missed = 0
			return w
		}
	}
	return nil
}

// worthwhile counts a text that was not among the words, and reports whether to remember
// it, which under a key that never repeats would be for nothing.
func (e *entry) worthwhile() bool {
	e.missed++
	return e.missed <= patience || e.missed%64 == 0
}

// learn remembers a text and returns it. What is remembered has an allocation of its own,
// so as to keep no other text alive.
func (e *entry) learn(text []byte) Value {
	copy(e.words[1:], e.words[:])
	s := string(text)
	e.words[0] = word{text: s, value: String(s)}
	return e.words[0].value
}
