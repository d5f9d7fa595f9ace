package typedjson

// Kind is the type of a [Value].
type Kind uint8

// The kinds. Those up to Object are JSON's own.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
	Undefined
	Date
	BigInt
	Map
	Set
	RegExp
	URL
	Error
	TypedArray
)

// Value is one node. Which fields mean something depends on Kind; the others are empty.
type Value struct {
	Kind Kind
	// Text is, of a Bool, true or false; of a Number, its digits as JSON writes them, or NaN, Infinity, -Infinity, -0; of a
	// String, itself in UTF-8; of a Date, the moment as JavaScript prints it, empty if invalid; of a BigInt, its decimal
	// digits; of a RegExp, /source/flags; of a URL, the address; of a TypedArray, its class.
	Text string
	// Items are, of an Array, a Set or a TypedArray, its members; of a Map, keys and values in turn.
	Items []Value
	// Members are, of an Object, its keys, each once; of an Error, its name and message, and its cause if it has one.
	Members []Member
}

// Member is one key of an object.
type Member struct {
	Key   string
	Value Value
}

// Get returns the value of a key of an object. It scans the keys.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// The numbers that JSON has no form for, by their texts.
const (
	textNaN     = "NaN"
	textInf     = "Infinity"
	textNegInf  = "-Infinity"
	textNegZero = "-0"
)

func isSpecial(text string) bool {
	return text == textNaN || text == textInf || text == textNegInf || text == textNegZero
}

// Names of the types.
const (
	nameObject    = "$object"
	nameUndefined = "$undefined"
	nameDate      = "$date"
	nameBigInt    = "$bigint"
	nameNumber    = "$number"
	nameMap       = "$map"
	nameSet       = "$set"
	nameRegExp    = "$regexp"
	nameURL       = "$url"
	nameError     = "$error"
	nameArray     = "$array"
)

// Keys of an Error.
const (
	keyName    = "name"
	keyMessage = "message"
	keyCause   = "cause"
)

// looksTyped tells whether an object with these keys must be written with $object around it.
func looksTyped(members []Member) bool {
	return len(members) == 1 && len(members[0].Key) > 0 && members[0].Key[0] == '$'
}

// arrayElements are the kinds of the elements by the class of a typed array.
func arrayElements(class string) (Kind, bool) {
	switch class {
	case "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"Float32Array", "Float64Array":
		return Number, true
	case "BigInt64Array", "BigUint64Array":
		return BigInt, true
	}
	return 0, false
}

// HostileKey tells whether a key reaches what all objects of JavaScript share, so that no object may have it.
func HostileKey(key string) bool {
	return key == "__proto__" || key == "prototype" || key == "constructor"
}
