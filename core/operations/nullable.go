package operations

// orNull is the value, or null where nothing was said.
func orNull[T ~string](v T) *T {
	if v == "" {
		return nil
	}
	return &v
}
