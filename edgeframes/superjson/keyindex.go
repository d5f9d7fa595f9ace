package superjson

import "hash/maphash"

// keyIndex finds a member of a large object by its key. Its seed is random, so that
// nobody can choose keys that collide.
type keyIndex struct {
	seed  maphash.Seed
	slots []int32
}

// indexMembers returns an index of members, and the first key that stands twice, if one
// does.
func indexMembers(members []Member) (x *keyIndex, repeated bool) {
	size := 32
	for size < 2*len(members) {
		size *= 2
	}
	x = &keyIndex{seed: maphash.MakeSeed(), slots: make([]int32, size)}
	for i := range members {
		if !x.add(members, i) {
			repeated = true
		}
	}
	return x, repeated
}

// add enters members[i], and reports whether its key is new.
func (x *keyIndex) add(members []Member, i int) bool {
	at, slot := x.find(members, members[i].Key)
	if at >= 0 {
		return false
	}
	x.slots[slot] = int32(i) + 1
	return true
}

// find returns the place of key, or -1 and the slot where it belongs.
func (x *keyIndex) find(members []Member, key string) (int, uint64) {
	mask := uint64(len(x.slots) - 1)
	slot := maphash.String(x.seed, key) & mask
	for x.slots[slot] != 0 {
		at := int(x.slots[slot]) - 1
		if members[at].Key == key {
			return at, slot
		}
		slot = (slot + 1) & mask
	}
	return -1, slot
}
