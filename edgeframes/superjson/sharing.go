package superjson

// Shared returns v as one object: where it stands in several places of a tree, they hold
// the same Date, RegExp, URL or empty array, as those of other containers do anyway.
// Without it, each place holds one of its own. Values that JavaScript compares by what
// they are, such as numbers and strings, are returned as they are.
func Shared(v Value) Value {
	switch v := v.(type) {
	case Date:
		if v.mark == nil {
			v.mark = new(mark)
		}
		return v
	case RegExp:
		if v.mark == nil {
			v.mark = new(mark)
		}
		return v
	case URL:
		if v.mark == nil {
			v.mark = new(mark)
		}
		return v
	case Array:
		if cap(v) == 0 {
			return make(Array, 0, 1)
		}
	}
	return v
}

// shareAt makes the value at p one object, which it stays where it is put next.
func shareAt(p *Value) Value {
	*p = Shared(*p)
	return *p
}
