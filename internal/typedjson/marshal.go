package typedjson

import "math"

// MarshalJSON returns the canonical text, so that a Value can be a field of what is stored.
func (v Value) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// UnmarshalJSON reads what MarshalJSON wrote. It is for what the program stored itself: its only bound is the depth, at
// several times what any door lets in.
func (v *Value) UnmarshalJSON(text []byte) error {
	var err error
	*v, err = Parse(text, Limits{Bytes: math.MaxInt, Depth: 8 * DefaultDepth, Members: math.MaxInt})
	return err
}
