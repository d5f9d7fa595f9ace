// Package typedjson is the form in which values of more types than JSON has lie in the log: JSON, in which each such value
// is an object with one key that begins with "$". A person who reads the log with any JSON tool sees what is meant.
//
//	{"$date":"2026-01-02T03:04:05.678Z"}   a moment; null for an invalid one
//	{"$undefined":true}                    undefined, which is not null
//	{"$bigint":"123"}                      an integer of any size
//	{"$number":"NaN"}                      NaN, Infinity, -Infinity and -0
//	{"$map":[[key,value],…]}               pairs in order, keys of any type
//	{"$set":[…]}                           members in order
//	{"$regexp":"/source/flags"}            a regular expression, never compiled
//	{"$url":"https://…"}                   an address, never fetched
//	{"$error":{"name":…,"message":…,"cause":…}}
//	{"$array":["Uint8Array",[…]]}          a typed array: its class and elements
//	{"$object":{"$date":…}}                a plain object that would look like one of these
//
// Every other JSON value stands for itself. A plain object is written with $object around it exactly when its only key
// begins with "$", so that no text of a user is taken for a type. A name that is not in the list is refused.
//
// # Functions
//
// [Parse] reads and checks, [Value.Append] prints: the canonical text, without white space, keys in the order in which they
// were given, numbers with the digits in which they were given. [FromPlain] reads JSON that knows no types, and
// [Value.AppendPlain] prints for readers who know none. [Merge] applies a merge patch (RFC 7396), [Diff] finds one.
//
// # Invariants
//
//   - What Parse accepts, Append prints so that Parse gives the same value, and printing that again gives the same bytes.
//   - Input is bounded by [Limits] before anything is built of it.
//   - The keys __proto__, prototype and constructor are refused: written into an object of JavaScript they reach what all
//     objects share (CWE-1321), and a state with one of them could be mirrored by nobody.
//   - A value is never changed; what [Merge] returns may share parts with what it was given.
package typedjson
