package superjson

// place is where a path has led in a tree that is still being built: a value that
// is there, a key that an object lacks, half way into a pair of a Map, or nowhere.
type place struct {
	value *Value
	in    *Object
	key   string
	pair  *Entry
}

func (p place) exists() bool { return p.value != nil }

// step follows one segment. Where JavaScript would convert an index such as "1e0",
// only plain decimal digits are understood.
func (d *decoder) step(p place, seg string) place {
	if p.pair != nil {
		switch seg {
		case "0":
			return place{value: &p.pair.Key}
		case "1":
			return place{value: &p.pair.Value}
		}
		return place{}
	}
	if p.value == nil {
		return place{}
	}
	switch v := (*p.value).(type) {
	case *Object:
		if i, ok := v.find(seg); ok {
			return place{value: &v.members[i].Value}
		}
		return place{in: v, key: seg}
	case Array:
		if i, ok := indexIn(seg, len(v)); ok {
			return place{value: &v[i]}
		}
	case *Set:
		if i, ok := indexIn(seg, len(v.items)); ok {
			d.touch(v)
			return place{value: &v.items[i]}
		}
	case *Map:
		if i, ok := indexIn(seg, len(v.entries)); ok {
			d.touch(v)
			return place{pair: &v.entries[i]}
		}
	}
	return place{}
}

// put writes v at p. A place that does not exist is created if it is a key of an
// object, and ignored otherwise, as the library does.
func (d *decoder) put(p place, v Value) {
	switch {
	case p.value != nil:
		*p.value = v
	case p.in != nil:
		p.in.add(p.key, v)
		d.touch(p.in)
	}
}

// arranger is a container whose own order or uniqueness writing into it may break.
type arranger interface{ arrange() }

// touch remembers to arrange a once the whole text is decoded: doing so at each
// write would cost the square of their number.
func (d *decoder) touch(a arranger) {
	if d.touched == nil {
		d.touched = make(map[arranger]struct{})
	}
	d.touched[a] = struct{}{}
}

func (d *decoder) arrangeTouched() {
	for a := range d.touched {
		a.arrange()
	}
}

func indexIn(seg string, n int) (int, bool) {
	i, ok := arrayIndex(seg)
	return int(i), ok && int64(i) < int64(n)
}
