package operations

import (
	"encoding/json"
	"errors"

	"stele/internal/strictjson"
	"stele/internal/typedjson"
)

// objectValue and anyValue are the types of parameters whose values may have types that JSON lacks: an object, or anything.
// They hold the argument as it came, nil when it was left out.
type (
	objectValue json.RawMessage
	anyValue    json.RawMessage
)

// Typed is a result whose values may have types that JSON lacks. Its JSON is plain: doors that can show the types look into it.
type Typed struct {
	Value typedjson.Value
}

// MarshalJSON implements [json.Marshaler].
func (t Typed) MarshalJSON() ([]byte, error) { return t.Value.AppendPlain(nil), nil }

// typedArgument reads an argument that may be any value, undefined when it was left out. Its size is for the core to judge;
// what is read here is bounded by what the operation takes.
func (c Caller) typedArgument(name string, raw []byte) (typedjson.Value, error) {
	if raw == nil {
		return typedjson.Value{Kind: typedjson.Undefined}, nil
	}
	read := typedjson.FromPlain
	if c.Typed {
		read = typedjson.Parse
	}
	v, err := read(raw, typedjson.Limits{Bytes: DefaultArgumentBytes, WholeText: true})
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, typedjson.ErrTooLarge):
		err = argument(name, "is too long")
	case errors.Is(err, typedjson.ErrTooDeep):
		err = argument(name, "objects and lists may lie in each other %d deep at most", typedjson.DefaultDepth)
	case errors.Is(err, typedjson.ErrTooMany):
		err = argument(name, "may hold %d values at most", typedjson.DefaultMembers)
	case errors.Is(err, strictjson.ErrLoneSurrogate):
		err = halfPair(name)
	case errors.Is(err, typedjson.ErrKey):
		err = argument(name, "the keys __proto__, prototype and constructor cannot be used")
	default:
		err = argument(name, "is not a value: %v", err)
	}
	return typedjson.Value{}, err
}
