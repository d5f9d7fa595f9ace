package typedjson

import (
	"errors"
	"fmt"
)

// Limits bound a value. A zero field means its default.
type Limits struct {
	// Bytes is the greatest length of the text. Default 256 KiB.
	Bytes int
	// Depth is how many objects and arrays may lie inside each other in the text, those that name types included. Default 64.
	Depth int
	// Members is the greatest number of values in it, counting each key and each item. Default 65,536.
	Members int
	// WholeText makes half of a surrogate pair in a text or a key an error of [strictjson.Check], where it would become U+FFFD
	// otherwise.
	WholeText bool
}

// Defaults of [Limits].
const (
	DefaultBytes   = 256 << 10
	DefaultDepth   = 64
	DefaultMembers = 1 << 16
)

func (l Limits) withDefaults() Limits {
	or := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	or(&l.Bytes, DefaultBytes)
	or(&l.Depth, DefaultDepth)
	or(&l.Members, DefaultMembers)
	return l
}

// Refusals. Compare with errors.Is; all but those of malformed JSON are one of these.
var (
	// ErrTooLarge: the text is longer than its limit.
	ErrTooLarge = errors.New("typedjson: too large")
	// ErrTooDeep: objects and arrays lie inside each other more often than may be.
	ErrTooDeep = errors.New("typedjson: nested too deeply")
	// ErrTooMany: there are more values than may be.
	ErrTooMany = errors.New("typedjson: too many values")
	// ErrKey: a key that no object may have.
	ErrKey = errors.New("typedjson: the keys __proto__, prototype and constructor cannot be used")
	// ErrType: an object names a type that there is not, or is no value of it.
	ErrType = errors.New("typedjson: not a value of a known type")
)

func badType(name string) error { return fmt.Errorf("%w: %.40q", ErrType, name) }

// Check holds a value that was built or merged against limits, as [Parse] would its text.
func (v Value) Check(lim Limits) error {
	lim = lim.withDefaults()
	c := checker{left: lim.Members, depth: lim.Depth}
	if err := c.value(v, 0); err != nil {
		return err
	}
	// A text within the other limits is short enough to be printed and measured.
	if c.bytes > lim.Bytes || len(v.Append(nil)) > lim.Bytes {
		return ErrTooLarge
	}
	return nil
}

// checker walks a value. bytes counts its texts only, so that printing it later is bounded.
type checker struct{ left, depth, bytes int }

func (c *checker) value(v Value, above int) error {
	above += levels(v)
	if above > c.depth {
		return ErrTooDeep
	}
	if c.left -= cost(v); c.left < 0 {
		return ErrTooMany
	}
	c.bytes += len(v.Text)
	for _, m := range v.Members {
		if HostileKey(m.Key) {
			return ErrKey
		}
		c.bytes += len(m.Key)
		if err := c.value(m.Value, above); err != nil {
			return err
		}
	}
	for _, item := range v.Items {
		if err := c.value(item, above); err != nil {
			return err
		}
	}
	return nil
}

// levels is how many objects and arrays a value opens around its parts.
func levels(v Value) int {
	switch v.Kind {
	case Null, Bool, String:
		return 0
	case Number:
		if isSpecial(v.Text) {
			return 1
		}
		return 0
	case Array, Undefined, Date, BigInt, RegExp, URL:
		return 1
	case Object:
		if looksTyped(v.Members) {
			return 2
		}
		return 1
	case Set, Error:
		return 2
	case Map:
		// Without pairs there is only the list of them.
		if len(v.Items) == 0 {
			return 2
		}
	}
	// An object, a list, and in it the pairs of a Map or the elements of a typed array.
	return 3
}

// cost is how many values a value is in its text, without its parts.
func cost(v Value) int {
	switch v.Kind {
	case Null, Bool, String, Array:
		return 1
	case Number:
		return 1 + levels(v)
	case Object:
		return levels(v)
	case Map:
		return 2 + len(v.Items)/2
	case TypedArray:
		return 4
	}
	return 2
}
