package superjson

import (
	"math"
	"slices"
)

// Equal reports whether a JavaScript program could tell a from b by looking at them.
// The order of an object's keys does not count, the order of a Set's members and a
// Map's pairs does. NaN equals NaN, -0 is not 0, an absent key is not an undefined
// one, and numbers are equal when they are the same double, whatever their digits.
func Equal(a, b Value) bool {
	if KindOf(a) != KindOf(b) {
		return false
	}
	switch a := a.(type) {
	case Number:
		return sameFloat(a.Float64(), b.(Number).Float64())
	case BigInt:
		return a.Int().Cmp(b.(BigInt).Int()) == 0
	case Array:
		return equalLists(a, b.(Array))
	case *Set:
		return equalLists(a.list(), b.(*Set).list())
	case *Map:
		return slices.EqualFunc(a.list(), b.(*Map).list(), func(x, y Entry) bool {
			return Equal(x.Key, y.Key) && Equal(x.Value, y.Value)
		})
	case *Object:
		return equalObjects(a, b.(*Object))
	case *Error:
		return equalErrors(a, b.(*Error))
	case *TypedArray:
		b := b.(*TypedArray)
		return a.typ == b.typ && slices.Equal(a.bits, b.bits) && slices.EqualFunc(a.nums, b.nums, sameFloat)
	case nil, Undefined:
		return true
	}
	return a == b
}

func sameFloat(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

func equalLists(a, b []Value) bool { return slices.EqualFunc(a, b, Equal) }

func equalObjects(a, b *Object) bool {
	if a.Len() != b.Len() {
		return false
	}
	for key, v := range a.All() {
		if w, ok := b.Get(key); !ok || !Equal(v, w) {
			return false
		}
	}
	return true
}

func equalErrors(a, b *Error) bool {
	return a.Name == b.Name && a.Message == b.Message && (a.Cause == nil) == (b.Cause == nil) &&
		Equal(a.Cause, b.Cause) && equalObjects(NewObject(slices.Clone(a.Props)...), NewObject(slices.Clone(b.Props)...))
}
