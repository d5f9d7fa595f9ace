package superjson

import "unsafe"

// boxes makes interface values of small structs a few at a time, where the language
// would allocate each on its own. What lives on keeps its few neighbours, no more.
type boxes[T Value] struct {
	free []T
	size int
	// zero is an interface of the type, for the word that says so.
	zero Value
}

// mostBoxes is how many values share an allocation at most. The first ones share less, as
// most messages are small.
const mostBoxes = 32

// box returns v as a Value.
func (b *boxes[T]) box(v T) Value {
	if len(b.free) == 0 {
		b.size = min(2*b.size+1, mostBoxes)
		b.free = make([]T, b.size)
		b.zero = *new(T)
	}
	p := &b.free[0]
	b.free = b.free[1:]
	*p = v
	// An interface is a word for the type and one that points to the value. Only the
	// second is replaced; values are never changed, so nobody can tell.
	made := b.zero
	(*[2]unsafe.Pointer)(unsafe.Pointer(&made))[1] = unsafe.Pointer(p)
	return made
}

// reset lets go of the room that is left.
func (b *boxes[T]) reset() {
	if b.size > 0 {
		b.free, b.size = nil, 0
	}
}

// boxed returns where the value of an interface lives.
func boxed(v Value) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
}

// emptyBox is an interface that holds an Array, for the word that says so.
var emptyBox Value = Array(nil)

// arrayAt returns the Array at a as a Value, without a copy.
func arrayAt(a *Array) Value {
	made := emptyBox
	(*[2]unsafe.Pointer)(unsafe.Pointer(&made))[1] = unsafe.Pointer(a)
	return made
}
