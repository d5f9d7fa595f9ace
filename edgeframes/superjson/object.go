package superjson

import (
	"cmp"
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
// that are array indices first, ascending, then the others as they were given. But for
// [Object.Set], which is for building, it cannot be changed.
type Object struct {
	members []Member
	index   *keyIndex
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

// Set gives key the value v: in its place if the object has the key, else after the
// others, or among the array indices if it is one. It is for building an object, one
// that holds itself for example, and must not be called once others see the object.
func (o *Object) Set(key string, v Value) {
	if i, ok := o.find(key); ok {
		o.members[i].Value = v
		return
	}
	o.add(key, v)
	if _, ok := arrayIndex(key); ok {
		o.arrange()
	}
}

// Reset takes all keys from an object that nobody else sees, and keeps its room.
func (o *Object) Reset() {
	clear(o.members)
	o.members, o.index = o.members[:0], nil
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
		i, _ := o.index.find(o.members, key)
		return i, i >= 0
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
	switch {
	case o.index != nil && 2*len(o.members) <= len(o.index.slots):
		o.index.add(o.members, len(o.members)-1)
	case len(o.members) > indexFrom:
		o.index, _ = indexMembers(o.members)
	}
}

// arrange brings the members into their lasting form.
func (o *Object) arrange() {
	o.index = nil
	repeated := false
	if len(o.members) > indexFrom {
		o.index, repeated = indexMembers(o.members)
	} else {
		repeated = repeats(o.members)
	}
	if repeated {
		o.dropRepeats()
	}
	if anyIndex(o.members) && !slices.IsSortedFunc(o.members, compareKeys) {
		slices.SortStableFunc(o.members, compareKeys)
		repeated = true
	}
	if repeated && o.index != nil {
		o.index, _ = indexMembers(o.members)
	}
}

// repeats compares each key with each.
func repeats(members []Member) bool {
	for i := range members {
		for j := range i {
			if members[i].Key == members[j].Key {
				return true
			}
		}
	}
	return false
}

func anyIndex(members []Member) bool {
	for i := range members {
		if _, ok := arrayIndex(members[i].Key); ok {
			return true
		}
	}
	return false
}

func (o *Object) dropRepeats() {
	places := make(map[string]int, len(o.members))
	kept := o.members[:0]
	for _, m := range o.members {
		if i, ok := places[m.Key]; ok {
			kept[i].Value = m.Value
			continue
		}
		places[m.Key] = len(kept)
		kept = append(kept, m)
	}
	clear(o.members[len(kept):])
	o.members = kept
}

// compareKeys puts array indices first, ascending, and leaves the others in place.
func compareKeys(a, b Member) int {
	i, iok := arrayIndex(a.Key)
	j, jok := arrayIndex(b.Key)
	return compareIndices(i, iok, j, jok)
}

func compareIndices(i uint32, iok bool, j uint32, jok bool) int {
	switch {
	case iok && jok:
		return cmp.Compare(i, j)
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
	if key == "" || len(key) > 10 || key[0] > '9' || key[0] == '0' && len(key) > 1 {
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
