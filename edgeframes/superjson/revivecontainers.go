package superjson

import (
	"math/big"
	"slices"
)

func reviveMap(v Value) (Value, error) {
	if absent(v) {
		return NewMap(), nil
	}
	rows, ok := v.(Array)
	if !ok {
		return nil, cannot(v, noteMap.String())
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		pair, ok := row.(Array)
		if !ok {
			return nil, fault(ErrConvert, "a Map entry %s", described(row))
		}
		entries[i] = Entry{Undefined{}, Undefined{}}
		if len(pair) > 0 {
			entries[i].Key = pair[0]
		}
		if len(pair) > 1 {
			entries[i].Value = pair[1]
		}
	}
	return NewMap(entries...), nil
}

// reviveError keeps what the library keeps. Where that would build an Error whose
// name or message is no string, the text is refused.
func (c Codec) reviveError(v Value) (Value, error) {
	o, ok := v.(*Object)
	if !ok {
		return nil, cannot(v, noteError.String())
	}
	e := &Error{}
	var err error
	if e.Name, err = errorText(o, "name", "Error"); err != nil {
		return nil, err
	}
	if e.Message, err = errorText(o, "message", ""); err != nil {
		return nil, err
	}
	if cause, ok := o.Get("cause"); ok {
		e.Cause = cause
	}
	for key, prop := range o.All() {
		if slices.Contains(c.ErrorProps, key) && !ownErrorKey(key) {
			e.Props = append(e.Props, Member{key, prop})
		}
	}
	return e, nil
}

func errorText(o *Object, key, missing string) (string, error) {
	v, _ := o.Get(key)
	switch v := v.(type) {
	case nil, Undefined:
		return missing, nil
	case String:
		return string(v), nil
	}
	return "", fault(ErrConvert, "an Error's %s %s", key, described(v))
}

// ownErrorKey reports the keys that have a field of their own in [Error].
func ownErrorKey(key string) bool { return key == "name" || key == "message" || key == "cause" }

func (c Codec) reviveTypedArray(t ArrayType, v Value) (Value, error) {
	items, ok := v.(Array)
	if !ok {
		return nil, cannot(v, string(t))
	}
	a := &TypedArray{typ: t}
	if t.big() {
		a.bits = make([]uint64, len(items))
		for i, item := range items {
			b, err := c.reviveBigInt(item)
			if err != nil {
				return nil, err
			}
			a.bits[i] = low64(b.(BigInt).i)
		}
		return a, nil
	}
	a.nums = make([]float64, len(items))
	for i, item := range items {
		switch item.(type) {
		case Number, String, Bool, Null, Undefined:
			a.nums[i] = t.coerce(reviveNumber(item).(Number).Float64())
		default:
			return nil, fault(ErrConvert, "%s in a typed array", KindOf(item))
		}
	}
	return a, nil
}

// low64 is the low 64 bits of i in two's complement.
func low64(i *big.Int) uint64 {
	if i == nil {
		return 0
	}
	return new(big.Int).And(i, new(big.Int).SetUint64(1<<64-1)).Uint64()
}
