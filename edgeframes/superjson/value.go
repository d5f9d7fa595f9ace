package superjson

// Value is one node of a decoded tree. The set of types is closed:
// [Null], [Undefined], [Bool], [Number], [String], [BigInt], [Date], [RegExp],
// [URL], [Array], [*Object], [*Set], [*Map], [*Error], [*TypedArray], and of what a
// [Codec] has registered [*Instance], [Symbol] and [*Custom].
type Value interface {
	// Kind tells the types apart without a type switch.
	Kind() Kind
	value()
}

// Kind names the type of a [Value].
type Kind uint8

// The kinds, in the order of the types' list at [Value].
const (
	KindNull Kind = iota
	KindUndefined
	KindBool
	KindNumber
	KindString
	KindBigInt
	KindDate
	KindRegExp
	KindURL
	KindArray
	KindObject
	KindSet
	KindMap
	KindError
	KindTypedArray
	KindInstance
	KindSymbol
	KindCustom
)

// String returns the name a person would use, such as "bigint" or "typed array".
func (k Kind) String() string {
	names := [...]string{
		"null", "undefined", "boolean", "number", "string", "bigint", "Date", "RegExp",
		"URL", "array", "object", "Set", "Map", "Error", "typed array", "class instance",
		"symbol", "custom value",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Null is JSON null. In a merge patch it deletes.
type Null struct{}

// Undefined is JavaScript's undefined: written as null with an annotation.
type Undefined struct{}

// Bool is true or false.
type Bool bool

// String is a text in UTF-8. JavaScript strings may hold half a surrogate pair,
// which UTF-8 cannot; such a half is kept here as the three bytes that UTF-8 would
// use for it if it could (WTF-8), and printed again as \ud800. Any other invalid
// byte is printed as U+FFFD. [String.Valid] gives clean UTF-8.
type String string

// Array is a list. It must not be changed once it is part of a tree that others see.
type Array []Value

// KindOf is v.Kind(), and [KindUndefined] for nil.
func KindOf(v Value) Kind {
	if v == nil {
		return KindUndefined
	}
	return v.Kind()
}

// Kind implements [Value].
func (Null) Kind() Kind { return KindNull }

// Kind implements [Value].
func (Undefined) Kind() Kind { return KindUndefined }

// Kind implements [Value].
func (Bool) Kind() Kind { return KindBool }

// Kind implements [Value].
func (String) Kind() Kind { return KindString }

// Kind implements [Value].
func (Array) Kind() Kind { return KindArray }

func (Null) value()      {}
func (Undefined) value() {}
func (Bool) value()      {}
func (String) value()    {}
func (Array) value()     {}
