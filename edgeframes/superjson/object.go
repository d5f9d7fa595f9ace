package superjson

import (
	"iter"
	"slices"
	"strconv"
)

// indexFrom is the number of members from which an object keeps an index of its
// keys; below it a scan is as quick and takes no memory.
const indexFrom = 16

// Member is one key of an object, or one allowed property of an [Error].
type Member struct {
	Key   string
	Value Value
}

// Object is a plain JavaScript object. Its keys stand in JavaScript's order: keys
// that are array indices first, ascending, then the others as they were given. It
// cannot be changed.
type Object struct {
	members []Member
	index   map[string]int
}

// NewObject builds an object from members, which it takes over. Of members with the
// same key the last one's value stands in the first one's place.
func NewObject(members ...Member) *Object {
	o := &Object{members: members}
	o.arrange()
	return o
}

// Len returns the number of keys. A nil object has none.
func (o *Object) Len() int {
	return len(o.list())
}

// Get returns the value of key and whether the object has it, which a value of
// [Undefined] does not tell.
func (o *Object) Get(key string) (Value, bool) {
	if i, ok := o.find(key); ok {
		return o.members[i].Value, true
	}
	return nil, false
}

// All yields the members in order.
func (o *Object) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, m := range o.list() {
			if !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// Kind implements [Value].
func (*Object) Kind() Kind { return KindObject }
func (*Object) value()     {}

func (o *Object) list() []Member {
	if o == nil {
		return nil
	}
	return o.members
}

func (o *Object) find(key string) (int, bool) {
	if o == nil {
		return 0, false
	}
	if o.index != nil {
		i, ok := o.index[key]
		return i, ok
	}
	for i := range o.members {
		if o.members[i].Key == key {
			return i, true
		}
	}
	return 0, false
}

// add appends a key that the object does not have. It is for a decoder only, which
// calls arrange before anybody else sees the object.
func (o *Object) add(key string, v Value) {
	o.members = append(o.members, Member{key, v})
	if o.index != nil {
		o.index[key] = len(o.members) - 1
	} else if len(o.members) > indexFrom {
		o.buildIndex()
	}
}

// arrange brings the members into their lasting form.
func (o *Object) arrange() {
	o.index = nil
	o.dropRepeats()
	indexed := 0
	for _, m := range o.members {
		if _, ok := arrayIndex(m.Key); ok {
			indexed++
		}
	}
	if indexed > 0 {
		slices.SortStableFunc(o.members, compareKeys)
	}
	if len(o.members) > indexFrom {
		o.buildIndex()
	}
}

func (o *Object) buildIndex() {
	o.index = make(map[string]int, len(o.members))
	for i, m := range o.members {
		o.index[m.Key] = i
	}
}

func (o *Object) dropRepeats() {
	kept := &Object{members: o.members[:0]}
	if len(o.members) > indexFrom {
		kept.index = make(map[string]int, len(o.members))
	}
	for _, m := range o.members {
		if i, ok := kept.find(m.Key); ok {
			kept.members[i].Value = m.Value
			continue
		}
		kept.members = append(kept.members, m)
		if kept.index != nil {
			kept.index[m.Key] = len(kept.members) - 1
		}
	}
	o.members = kept.members
}

// compareKeys puts array indices first, ascending, and leaves the others in place.
func compareKeys(a, b Member) int {
	i, iok := arrayIndex(a.Key)
	j, jok := arrayIndex(b.Key)
	switch {
	case iok && jok:
		return int(i) - int(j)
	case iok:
		return -1
	case jok:
		return 1
	}
	return 0
}

// arrayIndex reports whether JavaScript orders key as an array index: a decimal
// number without leading zeros, at most 2^32-2.
func arrayIndex(key string) (uint32, bool) {
	if key == "" || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(key, 10, 32)
	return uint32(n), err == nil && n < 1<<32-1
}
