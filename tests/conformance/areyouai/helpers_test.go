package conformance

// anys makes a list comparable with one from JSON.
func anys[T any](values ...T) []any {
	out := []any{}
	for _, v := range values {
		out = append(out, v)
	}
	return out
}
