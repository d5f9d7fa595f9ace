// Package superjson reads and writes SuperJSON, the text format of the npm library
// superjson: JSON that keeps what JavaScript has and JSON has no word for. It is complete:
// what the library prints is read, and printed again byte for byte.
//
// # The format
//
// A SuperJSON text is an envelope around ordinary JSON:
//
//	{"json":{"at":"2026-01-02T03:04:05.678Z"},"meta":{"values":{"at":["Date"]},"v":1}}
//
// "json" holds the value as JSON can express it. "meta.values" is a tree of annotations
// that says which places stood for something else: a Date, a Map, an undefined that must
// not be taken for null. "meta.referentialEqualities" says which places held the same
// object. A reader that ignores meta corrupts what it reads.
//
// # Go values
//
// [Marshal] and [Unmarshal] work as their namesakes in encoding/json do, by the same
// struct tags, and keep more:
//
//	type Note struct {
//		At   time.Time `json:"at"`             // a Date
//		ID   *big.Int  `json:"id,omitzero"`    // a bigint
//		Body []byte    `json:"body"`           // a Uint8Array
//		Tags *superjson.Set `json:"tags"`      // a Set
//	}
//	text, err := superjson.Marshal(Note{At: time.Now()})
//	err = superjson.Unmarshal(text, &note)
//
// [AppendMarshal] prints into a buffer of the caller's, as it walks the value and without
// an allocation per scalar. [Encoder] and [Decoder] do the same over a stream.
//
// # The tree
//
// Where no Go type is known, or nothing may be lost, there is [Value]: one of [Null],
// [Undefined], [Bool], [Number], [String], [BigInt], [Date], [RegExp], [URL], [Array],
// [*Object], [*Set], [*Map], [*Error] and [*TypedArray], and of what a [Codec] registers
// [*Instance], [Symbol] and [*Custom]. It keeps the order of keys, the digits of a number,
// -0, NaN, an invalid Date, Map keys of any kind, lone surrogates, and which parts are the
// same object. A nil Value counts as [Undefined] wherever one is accepted. Unmarshal fills
// a Value, Marshal prints it; [Parse] and [Append] are the shorter way.
//
//	v, err := superjson.Parse(text, superjson.Limits{})
//	...
//	out, err := superjson.Append(nil, superjson.NewObject(
//		superjson.Member{Key: "at", Value: superjson.DateOf(time.Now())},
//		superjson.Member{Key: "note", Value: superjson.Undefined{}},
//	))
//
// Plain JSON comes in through [ParseJSON] and goes out through [AppendJSON]; [FromGo] and
// [Codec.Assign] lead from Go values to the tree and back.
//
// Values are read-only once built, so that one tree may be shared by many readers. [Array]
// is a plain slice, and the Set methods of [Object], [Set] and [Map] are there for
// building: who builds a value must not change it after handing it on.
//
// # Identity
//
// In JavaScript, two places may hold one object. Here a tree's containers are the same
// object where they are the same pointer (an Array: the same slice), and so are a Go
// program's pointers, maps and slices; a Date, RegExp or URL is one object where [Shared]
// made it so. Encoding tells of it as the library does: each place in full, or with
// [Codec.Dedupe] the first place alone. Decoding restores it. A value that holds itself
// is printed in any case, but built only if [Codec.Cycles] allows it, as walking one
// needs care.
//
// # Classes, symbols, transformers
//
// Both ends may register more types by name; [Types] is this end's list. A Go type takes
// part through [RegisterClass] and [RegisterCustom].
//
// # Text from strangers
//
// Decoding is bounded by [Limits], whose zero value is right for a server. No text makes
// it panic, hang or build more than the limits allow, and it takes time in proportion to
// the text. Paths through __proto__, prototype and constructor are refused (CWE-1321), as
// is printing objects that have such a key. What is wrong with a text is a [*DecodeError],
// with a value an [*EncodeError]; each wraps one of the errors of this package.
//
// Paths are read in both forms, from before release 2.2.3 and since; the newest is
// written. An annotation whose path leads nowhere is ignored, as the library does.
//
// # Deliberately absent
//
// RegExp and URL are kept as text and never compiled or resolved. Functions, promises and
// objects of classes that nobody registered do not travel, as in the library.
package superjson
