package superjson

import "encoding/binary"

// value reads one value onto the tape.
func (t *tape) value() bool {
	switch c := t.peek(); {
	case c == '"':
		return t.str()
	case c == '{':
		return t.object()
	case c == '[':
		return t.array()
	case c == '-' || c >= '0' && c <= '9':
		return t.number()
	case c == 't':
		return t.word("true", cellTrue)
	case c == 'f':
		return t.word("false", cellFalse)
	case c == 'n':
		return t.word("null", cellNull)
	}
	return false
}

// peek returns the next byte that is not a blank, 0 at the end.
func (t *tape) peek() byte {
	for t.pos < len(t.text) {
		c := t.text[t.pos]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return 0
		}
		t.pos++
	}
	return 0
}

func (t *tape) push(kind cellKind, from, to int) {
	t.cells = append(t.cells, cell{kind: kind, from: int32(from), to: int32(to), next: int32(len(t.cells) + 1)})
}

func (t *tape) word(w string, kind cellKind) bool {
	t.push(kind, 0, 0)
	return t.literal(w)
}

func (t *tape) enter(kind cellKind) (int, bool) {
	t.pos++
	t.depth--
	t.push(kind, 0, 0)
	return len(t.cells) - 1, t.depth >= 0
}

func (t *tape) leave(at int, count int32) bool {
	t.pos++
	t.depth++
	t.cells[at].count = count
	t.cells[at].next = int32(len(t.cells))
	return true
}

func (t *tape) array() bool {
	at, ok := t.enter(cellArray)
	if !ok {
		return false
	}
	if t.peek() == ']' {
		return t.leave(at, 0)
	}
	for n := int32(1); ; n++ {
		if !t.value() {
			return false
		}
		switch t.peek() {
		case ',':
			t.pos++
		case ']':
			return t.leave(at, n)
		default:
			return false
		}
	}
}

func (t *tape) object() bool {
	at, ok := t.enter(cellObject)
	if !ok {
		return false
	}
	if t.peek() == '}' {
		return t.leave(at, 0)
	}
	for n := int32(1); ; n++ {
		if t.peek() != '"' || !t.str() || t.peek() != ':' {
			return false
		}
		t.pos++
		if !t.value() {
			return false
		}
		switch t.peek() {
		case ',':
			t.pos++
		case '}':
			return t.leave(at, n)
		default:
			return false
		}
	}
}

// str reads the string whose opening quote is next.
func (t *tape) str() bool {
	from, to, awkward, ok := t.span()
	t.push(cellString, from, to)
	t.cells[len(t.cells)-1].awkward = awkward
	return ok
}

// span finds the end of the string whose opening quote is next, and tells whether it has
// escapes, whose own form is not checked here.
func (t *tape) span() (from, to int, awkward, ok bool) {
	text, i := t.text, t.pos+1
	from = i
	for {
		for i+8 <= len(text) {
			if stops := stopBytes(binary.LittleEndian.Uint64(text[i:])); stops {
				break
			}
			i += 8
		}
		for i < len(text) && !stopByte[text[i]] {
			i++
		}
		if i == len(text) {
			return 0, 0, false, false
		}
		switch text[i] {
		case '"':
			t.pos = i + 1
			return from, i, awkward, true
		case '\\':
			awkward = true
			i += 2
			if i >= len(text) {
				return 0, 0, false, false
			}
		default:
			return 0, 0, false, false
		}
	}
}

// stopByte tells the bytes at which a string ends or needs a closer look.
var stopByte = func() (table [256]bool) {
	for c := range 0x20 {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

// stopBytes reports whether one of eight bytes may be a stopByte; bytes beyond ASCII may
// raise a false alarm.
func stopBytes(x uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return ((x-ones*0x20)|(quote-ones)&^quote|(slash-ones)&^slash|x)&highs != 0
}

func (t *tape) number() bool {
	text, start := t.text, t.pos
	awkward := false
	i := start
	if text[i] == '-' {
		i++
		awkward = i == len(text) || text[i] == '0'
	}
	first := i
	i = digits(text, i)
	if i == first || i > first+1 && text[first] == '0' {
		return false
	}
	if i < len(text) && text[i] == '.' {
		after := digits(text, i+1)
		if after == i+1 {
			return false
		}
		i = after
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		awkward = true
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		after := digits(text, i)
		if after == i {
			return false
		}
		i = after
	}
	t.push(cellNumber, start, i)
	t.cells[len(t.cells)-1].awkward = awkward || i-start > 300
	t.pos = i
	return true
}

func digits(text []byte, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}
