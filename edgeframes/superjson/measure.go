package superjson

// extent is what a part of the tree comes to when shared parts are written out.
type extent struct {
	bytes       int
	depth       int
	annotations int
}

// measure checks a tree with shared parts against the limits, in time proportional
// to the tree itself and not to what it stands for.
func (d *decoder) measure() error {
	e := encoders.Get().(*encoder)
	defer e.release()
	m := measurer{lim: d.codec.Limits, cycles: d.codec.Cycles, seen: &e.seen}
	_, err := m.value(d.root, 0)
	return err
}

type measurer struct {
	lim    Limits
	cycles bool
	// seen keeps the extents: what was met before is found in the same way.
	seen *seenTable
}

// value measures v, which stands above containers deep.
func (m *measurer) value(v Value, above int) (extent, error) {
	if levels(v) == 0 {
		return leafExtent(v), nil
	}
	id := identify(v)
	at, slot := int32(-1), uintptr(0)
	if id.tag != 0 {
		if at, slot = m.seen.find(id); at >= 0 {
			f := &m.seen.firsts[at]
			if !f.done && !m.cycles {
				return extent{}, fault(ErrCycle, "")
			}
			return extent{bytes: f.from, annotations: f.to, depth: int(f.height)}, nil
		}
	}
	if above > m.lim.MaxDepth {
		return extent{}, fault(ErrTooDeep, "with shared parts written out")
	}
	if id.tag != 0 {
		// An open object is printed as null.
		at = m.seen.add(first{id: id, from: len("null")}, slot)
	}
	sum := extent{bytes: 2}
	if a, ok := v.(*TypedArray); ok {
		sum.bytes += 8 * a.Len()
	}
	if k := KindOf(v); k != KindArray && k != KindObject {
		sum.annotations = 1
	}
	for child, key := range parts(v) {
		e, err := m.value(child, above+1)
		if err != nil {
			return e, err
		}
		sum.bytes += e.bytes + key + 1
		sum.annotations += e.annotations
		sum.depth = max(sum.depth, e.depth)
		if sum.bytes > m.lim.MaxExpanded {
			return sum, fault(ErrTooLarge, "with shared parts written out")
		}
		if sum.annotations > m.lim.MaxAnnotations {
			return sum, fault(ErrTooMany, "with shared parts written out")
		}
	}
	sum.depth += levels(v)
	if sum.depth > m.lim.MaxDepth {
		return sum, fault(ErrTooDeep, "with shared parts written out")
	}
	if at >= 0 {
		f := &m.seen.firsts[at]
		f.from, f.to, f.height, f.done = sum.bytes, sum.annotations, int32(sum.depth), true
	}
	return sum, nil
}

// levels is how many levels of JSON nesting v opens.
func levels(v Value) int {
	switch v := v.(type) {
	case *Map:
		if len(v.entries) > 0 {
			return 2
		}
		return 1
	case *Object, *Set, *Error, *Instance, *Custom, Array, *TypedArray:
		return 1
	}
	return 0
}

// parts yields the values directly inside v, each with the length of its key.
func parts(v Value) func(yield func(Value, int) bool) {
	return func(yield func(Value, int) bool) {
		switch v := v.(type) {
		case Array:
			yieldAll(v, yield)
		case *Set:
			yieldAll(v.items, yield)
		case *Object:
			yieldMembers(v.members, yield)
		case *Instance:
			yieldMembers(v.Props.list(), yield)
		case *Custom:
			if v.Value != nil {
				parts(v.Value)(yield)
			}
		case *Map:
			for _, e := range v.entries {
				if !yield(e.Key, 2) || !yield(e.Value, 0) {
					return
				}
			}
		case *Error:
			if yield(String(v.Name), 0) && yield(String(v.Message), 0) &&
				(v.Cause == nil || yield(v.Cause, 0)) {
				yieldMembers(v.Props, yield)
			}
		}
	}
}

func yieldAll(items []Value, yield func(Value, int) bool) {
	for _, item := range items {
		if !yield(item, 0) {
			return
		}
	}
}

func yieldMembers(members []Member, yield func(Value, int) bool) {
	for _, m := range members {
		if !yield(m.Value, len(m.Key)+3) {
			return
		}
	}
}

func leafExtent(v Value) extent {
	e := extent{bytes: 8}
	switch v := v.(type) {
	case String:
		e.bytes = len(v) + 2
	case Number:
		e.bytes = len(v.text)
		if v.special() {
			e.annotations = 1
		}
	case BigInt:
		e.bytes, e.annotations = len(v.String())+2, 1
	case URL:
		e.bytes, e.annotations = len(v.Href)+2, 1
	case RegExp:
		e.bytes, e.annotations = len(v.Source)+len(v.Flags)+4, 1
	case Symbol:
		e.bytes, e.annotations = len(v.Description)+2, 1
	case Undefined, Date, nil:
		e.annotations = 1
	}
	return e
}
