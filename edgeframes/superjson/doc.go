// Package superjson reads and writes the text format of the npm library
// superjson, the form in which every frame of the edge agent socket travels.
//
// # The format
//
// A SuperJSON text is an envelope around ordinary JSON:
//
//	{"json":{"at":"2026-01-02T03:04:05.678Z"},"meta":{"values":{"at":["Date"]},"v":1}}
//
// "json" holds the value as JSON can express it. "meta.values" is a tree of
// annotations that says which places stood for something JSON has no word for: a
// Date, a Map, an undefined that must not be taken for null. A reader that ignores
// meta corrupts what it reads; in a merge patch null deletes and undefined does not.
//
// # The tree
//
// [Value] is one of [Null], [Undefined], [Bool], [Number], [String], [BigInt],
// [Date], [RegExp], [URL], [Array], [*Object], [*Set], [*Map], [*Error] and
// [*TypedArray]. It keeps all that the library keeps: the order of keys, the digits
// of a number, -0, NaN, an invalid Date, Map keys of any kind, lone surrogates. A
// nil Value counts as [Undefined] wherever one is accepted.
//
// Values are read-only once built, so that one tree may be shared by many readers.
// [Array] is a plain slice; who builds one must not change it after handing it on.
//
// # Reading and writing
//
// [Parse] decodes a text under [Limits], [Append] encodes a tree to the bytes the
// library prints for it. A [Codec] does the same with settings of its own. Plain
// JSON comes in through [ParseJSON] and goes out through [AppendJSON]; Go values
// come in through [FromGo] and go out through [ToPlain].
//
//	v, err := superjson.Parse(text, superjson.Limits{})
//	...
//	out, err := superjson.Append(nil, superjson.NewObject(
//		superjson.Member{Key: "at", Value: superjson.DateOf(time.Now())},
//		superjson.Member{Key: "note", Value: superjson.Undefined{}},
//	))
//
// # Invariants
//
//   - What Parse accepts, Append prints, unless a plain object has a key named
//     __proto__, prototype or constructor, which the library refuses to encode too.
//   - Append(Parse(t)) is t for every t that the library printed, up to
//     referentialEqualities.
//   - No input makes Parse panic, hang, or build more than its limits allow.
//
// # Deliberately absent
//
// Values here have no identity, so Append writes no referentialEqualities and
// repeats shared parts in full, which every decoder reads. Parse does read them, the
// dedupe form too: it puts the representative at each other place. A cycle is
// an error, for a tree cannot hold it. RegExp and URL are kept as text and never
// compiled or resolved. Registered classes, symbols and custom transformers are
// refused as unknown types.
package superjson
