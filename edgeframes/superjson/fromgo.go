package superjson

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// FromGo returns the Value for a Go value:
//
//   - a [Value] as it is, nil and nil pointers as [Null];
//   - bool, string, and float64 and float32 in their own meaning;
//   - integers as [Number], beyond ±(2^53-1) as [BigInt]; *big.Int always as [BigInt];
//   - json.Number as its digits, json.RawMessage as the JSON it holds;
//   - time.Time as [Date], cut to milliseconds; *url.URL as [URL]; an error as [Error];
//   - []byte as a Uint8Array; other slices and arrays as [Array], nil slices as empty;
//   - maps with string keys as [Object], keys sorted; nil maps as empty;
//   - structs as [Object] by their json tags: names, "-" and omitempty.
//
// Invalid UTF-8 becomes U+FFFD. Anything else, and nesting deeper than
// [DefaultMaxDepth], is an *[EncodeError].
func FromGo(v any) (Value, error) {
	return fromGo(v, DefaultMaxDepth)
}

func fromGo(v any, depth int) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Null{}, nil
	case Value:
		return v, nil
	case bool:
		return Bool(v), nil
	case string:
		return String(strings.ToValidUTF8(v, "\uFFFD")), nil
	case float64:
		return Float(v), nil
	case time.Time:
		return DateOf(v), nil
	case json.Number:
		return ParseJSON([]byte(v), Limits{})
	case json.RawMessage:
		return ParseJSON(v, Limits{MaxBytes: len(v) + 1})
	case []byte:
		return Bytes(v), nil
	case *big.Int:
		if v == nil {
			return Null{}, nil
		}
		return NewBigInt(v), nil
	case *url.URL:
		if v == nil {
			return Null{}, nil
		}
		return URL{Href: v.String()}, nil
	case error:
		return &Error{Name: typeError, Message: strings.ToValidUTF8(v.Error(), "\uFFFD")}, nil
	}
	return reflected(reflect.ValueOf(v), depth)
}

func reflected(v reflect.Value, depth int) (Value, error) {
	if depth--; depth < 0 {
		return nil, &EncodeError{Err: ErrTooDeep}
	}
	switch v.Kind() {
	case reflect.Bool:
		return Bool(v.Bool()), nil
	case reflect.String:
		return fromGo(v.String(), depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer(big.NewInt(v.Int())), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integer(new(big.Int).SetUint64(v.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return Float(v.Float()), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return Null{}, nil
		}
		return fromGo(v.Elem().Interface(), depth)
	case reflect.Slice, reflect.Array:
		items := make(Array, v.Len())
		for i := range items {
			var err error
			if items[i], err = fromGo(v.Index(i).Interface(), depth); err != nil {
				return nil, err
			}
		}
		return items, nil
	case reflect.Map:
		return reflectedMap(v, depth)
	case reflect.Struct:
		members, err := fields(nil, v, depth)
		if err != nil {
			return nil, err
		}
		return NewObject(members...), nil
	}
	return nil, &EncodeError{Detail: v.Type().String(), Err: ErrConvert}
}

// integer returns a Number where JavaScript holds every integer, a BigInt beyond.
func integer(i *big.Int) Value {
	if i.IsInt64() && i.Int64() >= -maxSafeInteger && i.Int64() <= maxSafeInteger {
		return Int(i.Int64())
	}
	return BigInt{i}
}

func reflectedMap(v reflect.Value, depth int) (Value, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, &EncodeError{Detail: v.Type().String(), Err: ErrConvert}
	}
	members := make([]Member, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		item, err := fromGo(it.Value().Interface(), depth)
		if err != nil {
			return nil, err
		}
		members = append(members, Member{strings.ToValidUTF8(it.Key().String(), "\uFFFD"), item})
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
	return NewObject(members...), nil
}

// fields adds the exported fields of a struct; an embedded struct without a name of
// its own gives its fields to the outer one.
func fields(members []Member, v reflect.Value, depth int) ([]Member, error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" || !f.IsExported() {
			continue
		}
		value := v.Field(i)
		if f.Anonymous && name == "" && value.Kind() == reflect.Struct {
			var err error
			if members, err = fields(members, value, depth); err != nil {
				return nil, err
			}
			continue
		}
		if slices.Contains(strings.Split(options, ","), "omitempty") && empty(value) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		item, err := fromGo(value.Interface(), depth)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		members = append(members, Member{name, item})
	}
	return members, nil
}

// empty is encoding/json's notion of a value that omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
