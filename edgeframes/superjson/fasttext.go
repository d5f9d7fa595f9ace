package superjson

import (
	"encoding/binary"
	"math/bits"
)

const (
	// windowSize is how much of the text is copied at a time for the short strings in
	// it, so that each costs no allocation of its own. It is small, because one string
	// that lives on keeps the whole window.
	windowSize = 1024
	// longText is the length from which a text is allocated on its own.
	longText = 64
)

// copied returns the string of a span.
func (r *reader) copied(from, to int, awkward bool) (string, bool) {
	if awkward {
		s := scanner{data: r.text, pos: from - 1}
		text, err := s.str()
		return text, err == nil
	}
	return r.part(from, to), true
}

// part returns text[from:to] as a string.
func (r *reader) part(from, to int) string {
	if to-from >= longText {
		return string(r.text[from:to])
	}
	if at := from - r.windowAt; at >= 0 && to-r.windowAt <= len(r.window) {
		return r.window[at : to-r.windowAt]
	}
	r.window = string(r.text[from:min(from+windowSize, len(r.text))])
	r.windowAt = from
	return r.window[:to-from]
}

// span finds the end of the string whose opening quote is next, and tells whether it has
// escapes, whose own form is not checked here.
func (r *reader) span() (from, to int, awkward, ok bool) {
	text, i := r.text, r.pos+1
	from = i
	for {
		i = stop(text, i)
		if i >= len(text) {
			return 0, 0, false, false
		}
		switch text[i] {
		case '"':
			r.pos = i + 1
			return from, i, awkward, true
		case '\\':
			awkward = true
			i += 2
		default:
			return 0, 0, false, false
		}
	}
}

// stop returns the place of the first byte from i on at which a string ends or needs a
// closer look: a quote, a backslash or a control character.
func stop(text []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote := x ^ ones*'"'
		slash := x ^ ones*'\\'
		// Each term has the high bit of the first byte that is below a space, a quote
		// or a backslash, and none before it.
		found := ((x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// smallNumbers are the integers that need no allocation.
var smallNumbers = func() (table [1000]Value) {
	for i := range table {
		table[i] = Int(int64(i))
	}
	return table
}()

func (r *reader) number() (Value, bool) {
	text, start := r.text, r.pos
	i := start
	awkward := false
	if text[i] == '-' {
		i++
		awkward = i == len(text) || text[i] == '0'
	}
	first := i
	i = digits(text, i)
	if i == first || i > first+1 && text[first] == '0' {
		return nil, false
	}
	if i < len(text) && (text[i] == '.' || text[i]|0x20 == 'e') {
		var exponent bool
		if i, exponent = fraction(text, i); i < 0 {
			return nil, false
		}
		awkward = awkward || exponent
	} else if first == start && i-start <= 3 {
		n := 0
		for _, c := range text[start:i] {
			n = n*10 + int(c-'0')
		}
		r.pos = i
		return smallNumbers[n], true
	}
	r.pos = i
	if awkward || i-start > 300 {
		return r.oddNumber(string(text[start:i])), true
	}
	return r.numbers.box(Number{r.part(start, i)}), true
}

// oddNumber makes a number that may be a special one.
func (r *reader) oddNumber(text string) Value {
	n := numberFromJSON(text)
	if n.special() {
		// It will need an annotation when it is printed again.
		r.annotations++
	}
	return n
}

// fraction steps over the rest of a number from its point or exponent on, and returns -1
// if it is none.
func fraction(text []byte, i int) (end int, exponent bool) {
	if text[i] == '.' {
		after := digits(text, i+1)
		if after == i+1 {
			return -1, false
		}
		i = after
	}
	if i == len(text) || text[i]|0x20 != 'e' {
		return i, false
	}
	i++
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	after := digits(text, i)
	if after == i {
		return -1, true
	}
	return after, true
}

func digits(text []byte, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}
