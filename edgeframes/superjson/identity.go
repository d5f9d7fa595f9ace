package superjson

import (
	"bytes"
	"hash/maphash"
	"unsafe"
)

// identity tells one JavaScript object from another. The zero identity belongs to
// values that JavaScript compares by what they are, and to those that Go copies.
type identity struct {
	// ptr is where the value lives. It is kept as a pointer, so that what it points
	// to stays where it is while a text is printed.
	ptr unsafe.Pointer
	// tag tells apart what may live at the same address: a struct and its first
	// field, an array and a part of it.
	tag uintptr
	n   int
}

// The tags of tree nodes; those of Go types are addresses and so larger.
const (
	tagNode uintptr = iota + 1
	tagArray
	tagNaN
	tagBigInt
)

// mark gives a Date, RegExp or URL an identity: those that hold the same mark were
// one object.
type mark struct{ _ byte }

func (m *mark) identity() identity {
	return identity{ptr: unsafe.Pointer(m), tag: tagNode}
}

// identify returns the identity of v, the zero one if it has none. All NaNs are one
// object to the library; bigints are compared by their digits.
func identify(v Value) identity {
	var ptr unsafe.Pointer
	switch v := v.(type) {
	case *Object:
		ptr = unsafe.Pointer(v)
	case *Set:
		ptr = unsafe.Pointer(v)
	case *Map:
		ptr = unsafe.Pointer(v)
	case *Error:
		ptr = unsafe.Pointer(v)
	case *TypedArray:
		ptr = unsafe.Pointer(v)
	case *Instance:
		ptr = unsafe.Pointer(v)
	case *Custom:
		ptr = unsafe.Pointer(v)
	case Date:
		ptr = unsafe.Pointer(v.mark)
	case RegExp:
		ptr = unsafe.Pointer(v.mark)
	case URL:
		ptr = unsafe.Pointer(v.mark)
	case Array:
		// All arrays without room share one address.
		if cap(v) > 0 {
			return identity{ptr: unsafe.Pointer(unsafe.SliceData(v)), tag: tagArray, n: len(v)}
		}
	}
	if ptr == nil {
		return identity{}
	}
	return identity{ptr: ptr, tag: tagNode}
}

// first is the first visit of an object: where it stands, and where its text and
// annotations are, so that a repeat is a copy.
type first struct {
	id       identity
	node     int32
	slot     int32
	from, to int
	// notesFrom and notesTo bound the annotations.
	notesFrom, notesTo int32
	height             int32
	done               bool
}

// seenTable finds the first visit of an identity. It is an open hash table that costs
// no allocation per entry and empties in time proportional to what it held.
type seenTable struct {
	firsts []first
	slots  []int32
	seed   maphash.Seed
}

func newSeenTable() seenTable {
	return seenTable{slots: make([]int32, 64), seed: maphash.MakeSeed()}
}

func (t *seenTable) reset() {
	for i := range t.firsts {
		t.slots[t.firsts[i].slot] = 0
	}
	clear(t.firsts)
	t.firsts = t.firsts[:0]
}

func (id identity) hash() uintptr {
	h := uint64(uintptr(id.ptr)>>3) ^ uint64(id.tag)<<7 ^ uint64(id.n)<<32
	h *= 0x9E3779B97F4A7C15
	return uintptr(h >> 20)
}

// find returns the index of the first visit of id, or -1 and the slot where it belongs.
func (t *seenTable) find(id identity) (at int32, slot uintptr) {
	mask := uintptr(len(t.slots) - 1)
	slot = id.hash() & mask
	for t.slots[slot] != 0 {
		at = t.slots[slot] - 1
		if t.firsts[at].id == id {
			return at, slot
		}
		slot = (slot + 1) & mask
	}
	return -1, slot
}

// findDigits is find for a bigint whose quoted digits stand at text; the digits of the
// others stand in all.
func (t *seenTable) findDigits(text, all []byte) (at int32, id identity, slot uintptr) {
	id = identity{tag: tagBigInt, n: int(maphash.Bytes(t.seed, text) >> 1)}
	mask := uintptr(len(t.slots) - 1)
	slot = id.hash() & mask
	for t.slots[slot] != 0 {
		at = t.slots[slot] - 1
		if f := &t.firsts[at]; f.id == id && bytes.Equal(all[f.from:f.to], text) {
			return at, id, slot
		}
		slot = (slot + 1) & mask
	}
	return -1, id, slot
}

// add remembers f at the free slot that a find gave.
func (t *seenTable) add(f first, slot uintptr) int32 {
	f.slot = int32(slot)
	t.firsts = append(t.firsts, f)
	at := int32(len(t.firsts))
	t.slots[slot] = at
	if len(t.firsts)*2 > len(t.slots) {
		t.grow()
	}
	return at - 1
}

func (t *seenTable) grow() {
	t.slots = make([]int32, 4*len(t.slots))
	mask := uintptr(len(t.slots) - 1)
	for i := range t.firsts {
		slot := t.firsts[i].id.hash() & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = int32(i) + 1
		t.firsts[i].slot = int32(slot)
	}
}
