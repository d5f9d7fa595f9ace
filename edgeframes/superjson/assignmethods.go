package superjson

import (
	"encoding"
	"encoding/json"
	"math/big"
	"net/url"
	"reflect"
	"time"
)

// byMethod reads the types that have a meaning of their own, or methods that read.
func (a *assigner) byMethod(to reflect.Value, v Value) (bool, error) {
	if !to.CanAddr() {
		return false, nil
	}
	switch p := to.Addr().Interface().(type) {
	case *time.Time:
		return true, a.intoTime(p, v)
	case *big.Int:
		return true, a.intoBigInt(p, to, v)
	case *url.URL:
		return true, a.intoURL(p, to, v)
	case *json.RawMessage:
		*p = AppendJSON(nil, v)
		return true, nil
	case *json.Number:
		return true, a.intoNumber(p, to, v)
	case Unmarshaler:
		return true, p.UnmarshalSuperJSON(v)
	case json.Unmarshaler:
		return true, p.UnmarshalJSON(AppendJSON(nil, v))
	case encoding.TextUnmarshaler:
		if s, ok := v.(String); ok {
			return true, p.UnmarshalText([]byte(s.Valid()))
		}
	}
	return false, nil
}

// intoTime takes a Date, or a text that time.Time prints in JSON.
func (a *assigner) intoTime(p *time.Time, v Value) error {
	switch v := v.(type) {
	case Null, Undefined:
		return nil
	case Date:
		if v.Valid() {
			*p = v.Time()
			return nil
		}
	case String:
		at, err := time.Parse(time.RFC3339Nano, string(v))
		if err == nil {
			*p = at
			return nil
		}
	}
	return a.cannot(reflect.ValueOf(p).Elem(), v)
}

func (a *assigner) intoBigInt(p *big.Int, to reflect.Value, v Value) error {
	switch v := v.(type) {
	case Null, Undefined:
		return nil
	case BigInt:
		p.Set(v.Int())
		return nil
	case Number:
		if i, ok := v.Int64(); ok {
			p.SetInt64(i)
			return nil
		}
	}
	return a.cannot(to, v)
}

func (a *assigner) intoURL(p *url.URL, to reflect.Value, v Value) error {
	href := ""
	switch v := v.(type) {
	case Null, Undefined:
		return nil
	case URL:
		href = v.Href
	case String:
		href = string(v)
	default:
		return a.cannot(to, v)
	}
	u, err := url.Parse(href)
	if err != nil {
		return a.cannot(to, v)
	}
	*p = *u
	return nil
}

func (a *assigner) intoNumber(p *json.Number, to reflect.Value, v Value) error {
	switch v := v.(type) {
	case Null, Undefined:
		return nil
	case BigInt:
		*p = json.Number(v.String())
		return nil
	case Number:
		if !v.special() {
			*p = json.Number(v.Text())
			return nil
		}
	}
	return a.cannot(to, v)
}
