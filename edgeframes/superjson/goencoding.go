package superjson

import (
	"encoding"
	"encoding/json"
	"math/big"
	"net/url"
	"reflect"
	"sync"
	"time"
)

// goEncoding is how a Go type is printed, worked out once per type.
type goEncoding struct {
	print func(e *encoder, v reflect.Value, k key)
	// needsAddress says that print reads v through its address, which spares a copy.
	needsAddress bool
	// tracked says that print takes the identity of the pointer that led to v.
	tracked bool
}

// encodings keeps what was worked out, by reflect.Type. It grows with the program's
// types and not with its data.
var encodings sync.Map

func encodingOf(t reflect.Type) *goEncoding {
	if enc, ok := encodings.Load(t); ok {
		return enc.(*goEncoding)
	}
	b := encodingBuilder{made: map[reflect.Type]*goEncoding{}}
	enc := b.of(t)
	for t, made := range b.made {
		encodings.LoadOrStore(t, made)
	}
	return enc
}

// encodingBuilder works out a type and those inside it. A type that holds itself finds
// its own entry, which is filled by the time anything is printed.
type encodingBuilder struct {
	made map[reflect.Type]*goEncoding
}

var (
	valueType         = reflect.TypeFor[Value]()
	marshalerType     = reflect.TypeFor[Marshaler]()
	jsonMarshalerType = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	errorType         = reflect.TypeFor[error]()
	timeType          = reflect.TypeFor[time.Time]()
	bigIntType        = reflect.TypeFor[big.Int]()
	urlType           = reflect.TypeFor[url.URL]()
	jsonNumberType    = reflect.TypeFor[json.Number]()
	rawMessageType    = reflect.TypeFor[json.RawMessage]()
)

func (b *encodingBuilder) of(t reflect.Type) *goEncoding {
	if enc, ok := encodings.Load(t); ok {
		return enc.(*goEncoding)
	}
	if enc, ok := b.made[t]; ok {
		return enc
	}
	enc := &goEncoding{}
	b.made[t] = enc
	b.fill(enc, t)
	if t.Name() != "" && t.PkgPath() != "" && t.Kind() != reflect.Interface && !t.Implements(valueType) {
		enc.print = registrable(t, enc.print)
	}
	return enc
}

// registrable prints what the codec has registered for t before anything else.
func registrable(t reflect.Type, print func(*encoder, reflect.Value, key)) func(*encoder, reflect.Value, key) {
	return func(e *encoder, v reflect.Value, k key) {
		if g := e.codec.Types.goType(t); g != nil {
			e.registered(g, v, k)
			return
		}
		print(e, v, k)
	}
}

func (b *encodingBuilder) fill(enc *goEncoding, t reflect.Type) {
	if b.special(enc, t) || b.method(enc, t) {
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		enc.print = func(e *encoder, v reflect.Value, _ key) { e.bool(v.Bool()) }
	case reflect.String:
		enc.print = func(e *encoder, v reflect.Value, _ key) { e.str(v.String()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.int(k, v.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.uint(k, v.Uint()) }
	case reflect.Float32, reflect.Float64:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.float(k, v.Float()) }
	case reflect.Interface:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.any(v.Interface(), k) }
	case reflect.Pointer:
		b.pointer(enc, t)
	case reflect.Struct:
		b.structure(enc, t)
	case reflect.Slice:
		b.slice(enc, t)
	case reflect.Array:
		b.array(enc, t)
	case reflect.Map:
		b.mapping(enc, t)
	default:
		enc.print = func(e *encoder, _ reflect.Value, _ key) { e.refuse(ErrConvert, t.String()) }
	}
}

// special fills in the types that have a meaning of their own.
func (b *encodingBuilder) special(enc *goEncoding, t reflect.Type) bool {
	switch {
	case t.Kind() != reflect.Interface && t.Implements(valueType):
		enc.print = printTree
	case t == timeType:
		enc.print = func(e *encoder, v reflect.Value, k key) {
			if id := e.takeID(); !e.omitted(k, id) {
				e.date(k, DateOf(*v.Addr().Interface().(*time.Time)))
			}
		}
		enc.tracked = true
	case t == bigIntType:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.bigInt(k, v.Addr().Interface().(*big.Int)) }
	case t == urlType:
		enc.print = func(e *encoder, v reflect.Value, k key) {
			if id := e.takeID(); !e.omitted(k, id) {
				e.goURL(k, v.Addr().Interface().(*url.URL))
			}
		}
		enc.tracked = true
	case t == jsonNumberType:
		enc.print = func(e *encoder, v reflect.Value, k key) {
			if text := v.String(); text != "" {
				e.raw(k, []byte(text))
				return
			}
			e.dst = append(e.dst, '0')
		}
		return true
	case t == rawMessageType:
		enc.print = func(e *encoder, v reflect.Value, k key) { e.raw(k, v.Bytes()) }
		return true
	default:
		return false
	}
	enc.needsAddress = t.Kind() != reflect.Pointer
	return true
}

// printTree prints a value of this package. Going through its address keeps the common
// ones from being copied to where an interface can hold them.
func printTree(e *encoder, v reflect.Value, k key) {
	if v.Kind() == reflect.Pointer {
		e.value(v.Interface().(Value), k)
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *String:
		e.str(string(*p))
	case *Number:
		e.number(k, *p)
	case *Bool:
		e.bool(bool(*p))
	case *Date:
		e.date(k, *p)
	case *BigInt:
		e.bigInt(k, p.i)
	case *Undefined:
		e.undefined(k)
	default:
		e.value(v.Interface().(Value), k)
	}
}

// method fills in the types that print themselves, and errors.
func (b *encodingBuilder) method(enc *goEncoding, t reflect.Type) bool {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		// What stands behind it has the methods.
		return false
	}
	has := reflect.PointerTo(t).Implements
	var print func(e *encoder, self any, k key)
	switch {
	case has(marshalerType):
		print = func(e *encoder, self any, k key) {
			made, err := self.(Marshaler).MarshalSuperJSON()
			if err != nil {
				e.fail(err)
				return
			}
			e.value(made, k)
		}
	case has(jsonMarshalerType):
		print = func(e *encoder, self any, k key) { e.jsonMarshaler(k, self.(json.Marshaler)) }
	case has(textMarshalerType):
		print = func(e *encoder, self any, _ key) {
			text, err := self.(encoding.TextMarshaler).MarshalText()
			if err != nil {
				e.fail(err)
			}
			e.dst = appendString(e.dst, text)
		}
	case has(errorType):
		print = func(e *encoder, self any, k key) { e.goError(k, self.(error)) }
	default:
		return false
	}
	enc.needsAddress = true
	enc.print = func(e *encoder, v reflect.Value, k key) { print(e, v.Addr().Interface(), k) }
	return true
}
