package superjson

import "math"

// FromGo returns the [Value] for a Go value, by the rules of [Marshal]: what Parse makes
// of its text. A Value is returned as it is. A Go value that holds itself is an error.
func FromGo(v any) (Value, error) { return Codec{}.FromGo(v) }

// FromGo returns the Value for a Go value; see the function [FromGo].
func (c Codec) FromGo(v any) (Value, error) {
	if tree, ok := v.(Value); ok {
		return tree, nil
	}
	text, err := c.AppendMarshal(nil, v)
	if err != nil {
		return nil, err
	}
	// What was printed here needs no bounds but depth, which printing obeyed.
	c.Limits = Limits{
		MaxBytes: len(text) + 1, MaxDepth: c.Limits.MaxDepth, MaxAnnotations: len(text) + 1,
		MaxPath: len(text) + 1, MaxBigIntDigits: len(text) + 1, MaxExpanded: math.MaxInt,
	}
	return c.Parse(text)
}
