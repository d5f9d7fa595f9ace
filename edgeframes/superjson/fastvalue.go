package superjson

// value reads one value. slot is that of the key it stands under.
func (r *reader) value(slot uint16) (Value, bool) {
	switch c := r.peek(); c {
	case '"':
		return r.str(slot)
	case '{':
		return r.object(slot)
	case '[':
		return r.array(slot)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	case 't':
		return Bool(true), r.literal("true")
	case 'f':
		return Bool(false), r.literal("false")
	case 'n':
		return Null{}, r.literal("null")
	}
	return nil, false
}

// peek returns the next byte that is not a blank, 0 at the end.
func (r *reader) peek() byte {
	if r.pos < len(r.text) && r.text[r.pos] > ' ' {
		return r.text[r.pos]
	}
	return r.afterBlanks()
}

func (r *reader) afterBlanks() byte {
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return 0
		}
		r.pos++
	}
	return 0
}

func (r *reader) enter() bool {
	r.pos++
	r.depth--
	return r.depth >= 0
}

func (r *reader) leave() {
	r.pos++
	r.depth++
}

// more reads a comma, or the closing bracket, which ends a level.
func (r *reader) more(closing byte) (more, ok bool) {
	switch r.peek() {
	case ',':
		r.pos++
		return true, true
	case closing:
		r.leave()
		return false, true
	}
	return false, false
}

// emptyArray needs no allocation, as an array without room has no identity.
var emptyArray Value = Array{}

func (r *reader) array(slot uint16) (Value, bool) {
	if !r.enter() {
		return nil, false
	}
	if r.peek() == ']' {
		r.leave()
		return emptyArray, true
	}
	base := len(r.values)
	for more := true; more; {
		r.item = len(r.values) - base
		v, ok := r.value(slot)
		if !ok {
			return nil, false
		}
		r.values = append(r.values, v)
		if more, ok = r.more(']'); !ok {
			return nil, false
		}
	}
	items := r.values[base:]
	r.valuePeak = max(r.valuePeak, len(r.values))
	r.values = r.values[:base]
	return arrayOf(items), true
}

// object reads an object whose keys differ. For each key that the lexicon has, seen has a
// bit; keys whose bits do not tell them apart are compared.
func (r *reader) object(slot uint16) (Value, bool) {
	if !r.enter() {
		return nil, false
	}
	if r.peek() == '}' {
		r.leave()
		return &Object{}, true
	}
	base, start := len(r.members), r.pos
	var seen [slots / 128]uint64
	doubtful, digits := false, false
	next := &r.lexicon.entries[slot].first
	for more := true; more; {
		key, at, ok := r.key(next)
		if !ok {
			return nil, false
		}
		bit, half := uint64(1)<<(at/2%64), &seen[at/128%uint16(len(seen))]
		doubtful = doubtful || at == noSlot || *half&bit != 0
		*half |= bit
		digits = digits || key != "" && key[0] <= '9'
		v, ok := r.value(at)
		if !ok {
			return nil, false
		}
		r.members = append(r.members, Member{key, v})
		next = &r.lexicon.entries[at].next
		if r.pos < len(r.text) && r.text[r.pos] == ',' {
			r.pos++
			continue
		}
		if more, ok = r.more('}'); !ok {
			return nil, false
		}
	}
	members := r.members[base:]
	r.memberPeak = max(r.memberPeak, len(r.members))
	r.members = r.members[:base]
	return r.finishObject(members, r.pos-start, doubtful, digits)
}

// finishObject makes an object of members, which a text of some length was about. It
// gives up where a key stands twice, as which
// of the two a path meant is for the slow way to know.
func (r *reader) finishObject(members []Member, length int, doubtful, digits bool) (Value, bool) {
	if len(members) <= indexFrom && doubtful && repeats(members) {
		return nil, false
	}
	var o *Object
	switch {
	case r.into != nil && r.depth == r.codec.Limits.MaxDepth:
		// This is the root.
		o = r.into
		o.members = append(o.members[:0], members...)
	case r.item >= roomItems && length <= roomText && len(members) <= indexFrom && !r.alone:
		r.roomed = true
		o = r.room.object(members)
	default:
		o = objectOf(members)
	}
	if len(members) > indexFrom {
		var repeated bool
		if o.index, repeated = indexMembers(o.members); repeated {
			return nil, false
		}
	}
	if digits {
		o.arrange()
	}
	return o, true
}

// key reads a key and its colon. The key is likely the one of the slot at next; its own
// slot is returned.
func (r *reader) key(next *uint16) (string, uint16, bool) {
	e := &r.lexicon.entries[*next]
	if e.token.begins(r.text, r.pos) {
		r.pos += len(e.token.text)
		return e.key, *next, true
	}
	if r.peek() != '"' {
		return "", 0, false
	}
	from, to, awkward, ok := r.span()
	if !ok || r.peek() != ':' {
		return "", 0, false
	}
	r.pos++
	if awkward || from == to || to-from >= longText {
		key, ok := r.copied(from, to, awkward)
		return key, noSlot, ok
	}
	*next = r.lexicon.slot(r.text[from:to])
	return r.lexicon.entries[*next].key, *next, true
}

// str reads the string whose opening quote is next, which is likely a word that its key
// has had before.
func (r *reader) str(slot uint16) (Value, bool) {
	e := &r.lexicon.entries[slot]
	if e.dates == likely && r.guess {
		if d, ok := r.dateAhead(); ok {
			r.pos += isoLen + 2
			r.guessed++
			return r.dates.box(d), true
		}
	}
	if word := e.match(r.text[r.pos+1:]); word != nil {
		r.pos += len(word.text) + 2
		return word.value, true
	}
	from, to, awkward, ok := r.span()
	if !ok {
		return nil, false
	}
	n := to - from
	if !awkward && n < longWord && e.worthwhile() {
		return e.learn(r.text[from:to]), true
	}
	s, ok := r.copied(from, to, awkward)
	if len(s) >= longText {
		return String(s), ok
	}
	return r.texts.box(String(s)), ok
}
