package agentswitch

import (
	"slices"

	"stele/internal/strictjson"
)

// List is a JSON array that is never null: nil is written as []. Clients of
// the protocol read lists without looking for null.
type List[T any] []T

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return strictjson.Marshal([]T(l))
}

// Map is a JSON object that is never null: nil is written as {}.
type Map[T any] map[string]T

// MarshalJSON implements json.Marshaler.
func (m Map[T]) MarshalJSON() ([]byte, error) {
	if m == nil {
		return []byte("{}"), nil
	}
	return strictjson.Marshal(map[string]T(m))
}

// Rooms is a list of room ids that is written sorted, as every list of claims
// is, and never as null.
type Rooms []string

// MarshalJSON implements json.Marshaler.
func (r Rooms) MarshalJSON() ([]byte, error) { return r.appendTo(nil), nil }

func (r Rooms) appendTo(dst []byte) []byte {
	if !slices.IsSorted(r) {
		r = slices.Sorted(slices.Values(r))
	}
	dst = append(dst, '[')
	for i, id := range r {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, id)
	}
	return append(dst, ']')
}
