package superjson

import (
	"iter"
	"math"
)

// Set is a JavaScript Set: members in the order they were added, primitives once
// each. It cannot be changed.
type Set struct{ items []Value }

// NewSet takes over items. As in JavaScript, equal primitives collapse into the
// first (NaN equals itself, -0 becomes 0), and so does the same object twice; other
// arrays, objects, Dates and the like are each their own.
func NewSet(items ...Value) *Set {
	s := &Set{items: items}
	s.arrange()
	return s
}

// Len returns the number of members. A nil Set has none.
func (s *Set) Len() int {
	return len(s.list())
}

// Add appends v unless the Set has it. Like [Object.Set] it is for building, and scans
// the members.
func (s *Set) Add(v Value) {
	s.items = append(s.items, v)
	s.arrange()
}

// All yields the members in order.
func (s *Set) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, v := range s.list() {
			if !yield(v) {
				return
			}
		}
	}
}

// Kind implements [Value].
func (*Set) Kind() Kind { return KindSet }
func (*Set) value()     {}

func (s *Set) list() []Value {
	if s == nil {
		return nil
	}
	return s.items
}

func (s *Set) arrange() {
	if len(s.items) < 2 {
		for i, v := range s.items {
			s.items[i] = positiveZero(v)
		}
		return
	}
	seen := make(map[primitive]struct{}, len(s.items))
	kept := s.items[:0]
	for _, v := range s.items {
		v = positiveZero(v)
		if p, ok := primitiveOf(v); ok {
			if _, again := seen[p]; again {
				continue
			}
			seen[p] = struct{}{}
		}
		kept = append(kept, v)
	}
	s.items = kept
}

// Entry is one pair of a [Map].
type Entry struct {
	Key   Value
	Value Value
}

// Map is a JavaScript Map: pairs in the order their keys were added, with keys of
// any kind. It cannot be changed.
type Map struct{ entries []Entry }

// NewMap takes over entries. Of pairs with the same primitive key the last one's
// value stands in the first one's place, under the rules of [NewSet].
func NewMap(entries ...Entry) *Map {
	m := &Map{entries: entries}
	m.arrange()
	return m
}

// Len returns the number of pairs. A nil Map has none.
func (m *Map) Len() int {
	return len(m.list())
}

// Get returns the value of a primitive key, or of a key that is the same object. It
// scans the pairs.
func (m *Map) Get(key Value) (Value, bool) {
	want, ok := primitiveOf(positiveZero(key))
	if !ok {
		return nil, false
	}
	for _, e := range m.list() {
		if p, ok := primitiveOf(e.Key); ok && p == want {
			return e.Value, true
		}
	}
	return nil, false
}

// Set gives key the value v. Like [Object.Set] it is for building, and scans the pairs.
func (m *Map) Set(key, v Value) {
	m.entries = append(m.entries, Entry{key, v})
	m.arrange()
}

// All yields the pairs in order.
func (m *Map) All() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		for _, e := range m.list() {
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

// Kind implements [Value].
func (*Map) Kind() Kind { return KindMap }
func (*Map) value()     {}

func (m *Map) list() []Entry {
	if m == nil {
		return nil
	}
	return m.entries
}

func (m *Map) arrange() {
	if m.unique() {
		return
	}
	seen := make(map[primitive]int, len(m.entries))
	kept := m.entries[:0]
	for _, e := range m.entries {
		e.Key = positiveZero(e.Key)
		if p, ok := primitiveOf(e.Key); ok {
			if i, again := seen[p]; again {
				kept[i].Value = e.Value
				continue
			}
			seen[p] = len(kept)
		}
		kept = append(kept, e)
	}
	m.entries = kept
}

// unique makes the keys of a small Map positive zeros where they are zero, and reports
// whether they are plainly different: texts, compared each with each.
func (m *Map) unique() bool {
	const small = 8
	if len(m.entries) > small {
		return false
	}
	for i := range m.entries {
		s, ok := m.entries[i].Key.(String)
		if !ok {
			m.entries[i].Key = positiveZero(m.entries[i].Key)
			return len(m.entries) == 1
		}
		for j := range i {
			if m.entries[j].Key.(String) == s {
				return false
			}
		}
	}
	return true
}

// primitive identifies a value as JavaScript compares it (SameValueZero): by what it
// is, or by where it lives.
type primitive struct {
	kind Kind
	text string
	bits uint64
	id   identity
}

func primitiveOf(v Value) (primitive, bool) {
	switch v := v.(type) {
	case nil, Undefined:
		return primitive{kind: KindUndefined}, true
	case Null:
		return primitive{kind: KindNull}, true
	case Bool:
		if v {
			return primitive{kind: KindBool, bits: 1}, true
		}
		return primitive{kind: KindBool}, true
	case Number:
		return primitive{kind: KindNumber, bits: math.Float64bits(v.Float64())}, true
	case String:
		return primitive{kind: KindString, text: string(v)}, true
	case BigInt:
		return primitive{kind: KindBigInt, text: v.String()}, true
	case Symbol:
		return primitive{kind: KindSymbol, text: v.ID}, true
	}
	id := identify(v)
	return primitive{id: id}, id.tag != 0
}

func positiveZero(v Value) Value {
	if n, ok := v.(Number); ok && n.text == textNegZero {
		return Int(0)
	}
	return v
}
