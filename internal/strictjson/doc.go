// Package strictjson is the one JSON configuration of the program.
//
// Everything that arrives is judged by [Check] before any decoder sees a byte:
// size, nesting depth, UTF-8 and the whole of the JSON grammar, in one pass
// and without allocating. Everything that leaves goes through [Append] or
// [Marshal]: no HTML escaping, shortest exact floats, sorted map keys.
//
// Below it works json-iterator with one frozen configuration. Where that
// library differs from encoding/json the difference is closed here, so that
// both agree on every document that Check accepts:
//
//   - integers that overflow are refused; the library wraps some of them round
//   - null leaves a string alone, and a json.RawMessage keeps it as "null"
//   - two lone surrogates in a row read as encoding/json reads them
//   - a json.RawMessage or json.Marshaler that yields something other than one
//     JSON value is an error, and insignificant space in it is removed, so that
//     a value always fits on one line of a text protocol
//   - a nil slice or map that is a json.Marshaler is asked for its form
//   - exponents are written as 1e-7, backspace and form feed as \b and \f
//
// Four differences are meant:
//
//   - field names are case-sensitive
//   - a number decoded into an interface becomes a [json.Number], so that it
//     keeps its digits
//   - a json.Number is not filled from a string
//   - U+2028 and U+2029 are written as they are
//
// Three limits remain, and none of them misreads anything: a number longer than
// [MaxNumberBytes] is refused; so is a number written with an exponent that is
// beyond a float64, such as 1e400, where its field is unknown; and
// the struct tag option omitzero is ignored, since json-iterator does not know
// it. [DecodeObject] has only the first of them.
//
// Error texts never contain a part of the document, since that may be a secret.
//
//	var req struct {
//		Name string `json:"name"`
//	}
//	err := strictjson.UnmarshalLimits(body, &req, strictjson.Limits{MaxBytes: 4096})
//	var wrong *strictjson.TypeError
//	switch {
//	case errors.Is(err, strictjson.ErrTooLarge): // 413
//	case errors.As(err, &wrong): // wrong.Field was a wrong.Got, not a wrong.Want
//	}
package strictjson
