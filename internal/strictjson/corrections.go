package strictjson

import (
	"encoding/json"
	"reflect"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"
)

// corrections replaces the codecs in which json-iterator 1.1.12 differs from
// encoding/json. Named types reach the codec of their kind by themselves.
type corrections struct {
	jsoniter.DummyExtension
}

// CreateDecoder implements jsoniter.Extension.
func (*corrections) CreateDecoder(typ reflect2.Type) jsoniter.ValDecoder {
	t := typ.Type1()
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return rawCodec{}
	case reflect.TypeFor[json.Number]():
		return numberDecoder{}
	}
	if t.PkgPath() != "" {
		return nil
	}
	switch t.Kind() {
	case reflect.Int:
		return intDecoder[int]{bits: t.Bits()}
	case reflect.Int8:
		return intDecoder[int8]{bits: 8}
	case reflect.Int16:
		return intDecoder[int16]{bits: 16}
	case reflect.Int32:
		return intDecoder[int32]{bits: 32}
	case reflect.Int64:
		return intDecoder[int64]{bits: 64}
	case reflect.Uint:
		return uintDecoder[uint]{bits: t.Bits()}
	case reflect.Uint8:
		return uintDecoder[uint8]{bits: 8}
	case reflect.Uint16:
		return uintDecoder[uint16]{bits: 16}
	case reflect.Uint32:
		return uintDecoder[uint32]{bits: 32}
	case reflect.Uint64:
		return uintDecoder[uint64]{bits: 64}
	case reflect.Float32:
		return float32Codec{}
	case reflect.String:
		return stringCodec{}
	default:
		return nil
	}
}

// DecorateDecoder implements jsoniter.Extension.
func (*corrections) DecorateDecoder(typ reflect2.Type, decoder jsoniter.ValDecoder) jsoniter.ValDecoder {
	if t := typ.Type1(); reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) && t.Kind() != reflect.Pointer && t != reflect.TypeFor[json.RawMessage]() {
		return oddUnmarshaler{decoder, t}
	}
	return decoder
}

// CreateEncoder implements jsoniter.Extension.
func (*corrections) CreateEncoder(typ reflect2.Type) jsoniter.ValEncoder {
	t := typ.Type1()
	if t.PkgPath() != "" {
		return nil
	}
	switch t.Kind() {
	case reflect.Float32:
		return float32Codec{}
	case reflect.Float64:
		return float64Encoder{}
	case reflect.String:
		return stringCodec{}
	default:
		return nil
	}
}

// DecorateEncoder implements jsoniter.Extension. It has the last word, also
// over the encoder that ValidateJsonRawMessage puts in place, which writes
// null for an invalid message instead of failing.
func (*corrections) DecorateEncoder(typ reflect2.Type, encoder jsoniter.ValEncoder) jsoniter.ValEncoder {
	t, marshaler := typ.Type1(), reflect.TypeFor[json.Marshaler]()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return checkedEncoder{rawCodec{}}
	case t.Implements(marshaler) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map):
		return checkedEncoder{nilMarshaler{encoder, t}}
	case t == reflect.TypeFor[json.Number](), t.Implements(marshaler), reflect.PointerTo(t).Implements(marshaler):
		return checkedEncoder{encoder}
	default:
		return encoder
	}
}
