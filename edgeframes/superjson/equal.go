package superjson

import (
	"math"
	"slices"
)

// Equal reports whether a JavaScript program could tell a from b by looking at them.
// The order of an object's keys does not count, the order of a Set's members and a
// Map's pairs does. NaN equals NaN, -0 is not 0, an absent key is not an undefined
// one, and numbers are equal when they are the same double, whatever their digits.
// Which parts are the same object does not count; circles are compared as far as they
// differ.
func Equal(a, b Value) bool {
	c := comparer{}
	return c.equal(a, b)
}

// comparer remembers the pairs it has taken up: to meet one again, in a circle or in a
// shared part, says nothing new.
type comparer struct {
	pairs map[[2]identity]struct{}
}

func (c *comparer) equal(a, b Value) bool {
	if KindOf(a) != KindOf(b) {
		return false
	}
	switch a := a.(type) {
	case nil, Undefined:
		return true
	case Number:
		return sameFloat(a.Float64(), b.(Number).Float64())
	case BigInt:
		return a.Int().Cmp(b.(BigInt).Int()) == 0
	case Date:
		return a.ms == b.(Date).ms
	case RegExp:
		return a.String() == b.(RegExp).String()
	case URL:
		return a.Href == b.(URL).Href
	case *TypedArray:
		b := b.(*TypedArray)
		return a.typ == b.typ && slices.Equal(a.bits, b.bits) && slices.EqualFunc(a.nums, b.nums, sameFloat)
	case Null, Bool, String, Symbol:
		return a == b
	}
	return c.known(a, b) || c.containers(a, b)
}

func (c *comparer) known(a, b Value) bool {
	pair := [2]identity{identify(a), identify(b)}
	if pair[0].tag == 0 || pair[1].tag == 0 {
		return false
	}
	if _, ok := c.pairs[pair]; ok {
		return true
	}
	if c.pairs == nil {
		c.pairs = make(map[[2]identity]struct{})
	}
	c.pairs[pair] = struct{}{}
	return false
}

func (c *comparer) containers(a, b Value) bool {
	switch a := a.(type) {
	case Array:
		return slices.EqualFunc(a, b.(Array), c.equal)
	case *Set:
		return slices.EqualFunc(a.list(), b.(*Set).list(), c.equal)
	case *Map:
		return slices.EqualFunc(a.list(), b.(*Map).list(), func(x, y Entry) bool {
			return c.equal(x.Key, y.Key) && c.equal(x.Value, y.Value)
		})
	case *Object:
		return c.objects(a, b.(*Object))
	case *Error:
		return c.errors(a, b.(*Error))
	case *Instance:
		b := b.(*Instance)
		return a.Class == b.Class && c.objects(a.Props, b.Props)
	case *Custom:
		b := b.(*Custom)
		return a.Name == b.Name && c.equal(a.Value, b.Value)
	}
	return false
}

func sameFloat(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

func (c *comparer) objects(a, b *Object) bool {
	if a.Len() != b.Len() {
		return false
	}
	for key, v := range a.All() {
		if w, ok := b.Get(key); !ok || !c.equal(v, w) {
			return false
		}
	}
	return true
}

func (c *comparer) errors(a, b *Error) bool {
	return a.Name == b.Name && a.Message == b.Message && (a.Cause == nil) == (b.Cause == nil) &&
		c.equal(a.Cause, b.Cause) && c.objects(NewObject(slices.Clone(a.Props)...), NewObject(slices.Clone(b.Props)...))
}
