package superjson

import (
	"encoding/json"
	"io"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Marshaler is implemented by types that say themselves what they are in SuperJSON.
type Marshaler interface {
	MarshalSuperJSON() (Value, error)
}

// Marshal returns the text of a Go value, as the zero [Codec] prints it:
//
//   - a [Value] as what it is; nil, nil pointers and nil interfaces as null;
//   - bool, string, floats in their own meaning, NaN, ±Infinity and -0 included;
//   - integers as numbers, beyond ±(2^53-1) as bigint; [big.Int] always as bigint;
//   - [time.Time] as Date, cut to milliseconds; [url.URL] as URL; an error as Error;
//   - []byte as Uint8Array; other slices and arrays as arrays, nil slices as empty;
//   - maps with keys of text or integers as objects, keys sorted, nil maps as empty;
//   - structs as objects by the rules of encoding/json: names, "-", omitempty, omitzero,
//     string, embedded structs;
//   - [json.Number] as its digits, [json.RawMessage] as the JSON it holds, nil as null;
//   - a [Marshaler], json.Marshaler or encoding.TextMarshaler as what it says.
//
// The same pointer, map or slice at several places is one object there, as in
// JavaScript; one that holds itself is printed and not followed for ever. Invalid UTF-8
// becomes U+FFFD.
//
// The error is an *[EncodeError], or one that a method returned.
func Marshal(v any) ([]byte, error) { return Codec{}.Marshal(v) }

// AppendMarshal is [Marshal] into dst. A struct is printed as it is walked, without a tree
// in between, and a scalar costs no allocation.
func AppendMarshal(dst []byte, v any) ([]byte, error) { return Codec{}.AppendMarshal(dst, v) }

// Marshal returns the text of v; see the function [Marshal].
func (c Codec) Marshal(v any) ([]byte, error) { return c.AppendMarshal(nil, v) }

// AppendMarshal adds the text of v to dst, which it returns as it was on error.
func (c Codec) AppendMarshal(dst []byte, v any) ([]byte, error) {
	return c.encode(dst, func(e *encoder) { e.any(v, named("")) })
}

// Encoder writes texts to a stream, each followed by a line end, which no text contains.
type Encoder struct {
	w     io.Writer
	codec Codec
	buf   []byte
}

// NewEncoder returns an encoder with the default settings.
func NewEncoder(w io.Writer) *Encoder { return Codec{}.NewEncoder(w) }

// NewEncoder returns an encoder with the settings of c.
func (c Codec) NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w, codec: c} }

// Encode writes v in one Write, or nothing if it cannot be printed.
func (e *Encoder) Encode(v any) error {
	text, err := e.codec.AppendMarshal(e.buf[:0], v)
	e.buf = text[:0]
	if err != nil {
		return err
	}
	_, err = e.w.Write(append(text, '\n'))
	return err
}

// any prints what an interface holds. The types that JSON libraries use come first, as
// they need no reflection.
func (e *encoder) any(v any, k key) {
	switch v := v.(type) {
	case nil:
		e.null()
	case string:
		e.str(v)
	case bool:
		e.bool(v)
	case float64:
		e.float(k, v)
	case int:
		e.int(k, int64(v))
	case Value:
		e.value(v, k)
	default:
		if at, ok := v.(time.Time); ok && e.codec.Types == nil {
			e.date(k, DateOf(at))
			return
		}
		e.reflect(reflect.ValueOf(v), k)
	}
}

func (e *encoder) reflect(v reflect.Value, k key) {
	enc := encodingOf(v.Type())
	if enc.needsAddress && !v.CanAddr() {
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		v = copied
	}
	enc.print(e, v, k)
}

func (e *encoder) str(s string) { e.dst = appendString(e.dst, s) }

// int prints an integer, beyond what JavaScript counts exactly as a bigint.
func (e *encoder) int(k key, i int64) {
	if i > maxSafeInteger || i < -maxSafeInteger {
		e.bigInt(k, big.NewInt(i))
		return
	}
	e.dst = appendInt(e.dst, i)
}

func (e *encoder) uint(k key, u uint64) {
	if u > maxSafeInteger {
		e.bigInt(k, new(big.Int).SetUint64(u))
		return
	}
	e.dst = appendInt(e.dst, int64(u))
}

// goError prints a Go error, which has no more than a text.
func (e *encoder) goError(k key, err error) {
	e.value(&Error{Name: "Error", Message: strings.ToValidUTF8(err.Error(), "\uFFFD")}, k)
}

func (e *encoder) goURL(k key, u *url.URL) {
	e.dst = appendString(e.dst, u.String())
	e.note(k, noteURL)
}

// raw prints JSON that somebody else made. It is read for it, since what goes out must
// be in order.
func (e *encoder) raw(k key, text []byte) {
	if text == nil {
		e.null()
		return
	}
	v, err := ParseJSON(text, Limits{MaxBytes: len(text) + 1, MaxAnnotations: len(text) + 1})
	if err != nil {
		e.fail(err)
		return
	}
	e.value(v, k)
}

func (e *encoder) jsonMarshaler(k key, m json.Marshaler) {
	text, err := m.MarshalJSON()
	if err != nil {
		e.fail(err)
		return
	}
	if text == nil {
		text = []byte("null")
	}
	e.raw(k, text)
}
