package superjson

// AppendJSON adds v as plain JSON, for readers that know no SuperJSON: Dates as ISO
// text, bigints as decimal strings, Sets and typed arrays as arrays, Maps as arrays
// of pairs, RegExp, URL and Symbol as text, an Error as its name, message and cause, a
// class instance as its properties, a custom value as what its transformer made of it.
// Undefined keys vanish; undefined in a list, an invalid Date, NaN and the
// infinities become null, -0 becomes 0. Lone surrogates become U+FFFD.
//
// A part that holds itself is null there.
func AppendJSON(dst []byte, v Value) []byte {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.dst = dst
	e.plain(v)
	return e.dst
}

func (e *encoder) plain(v Value) {
	switch v := v.(type) {
	case Bool:
		e.bool(bool(v))
	case String:
		e.dst = appendString(e.dst, v.Valid())
	case Number:
		e.dst = append(e.dst, plainNumber(v)...)
	case BigInt:
		e.quoted(v.String())
	case Date:
		if !v.Valid() {
			e.null()
			return
		}
		e.quoted(v.String())
	case RegExp:
		e.dst = appendString(e.dst, replaceSurrogates(v.String()))
	case URL:
		e.dst = appendString(e.dst, replaceSurrogates(v.Href))
	case Symbol:
		e.dst = appendString(e.dst, replaceSurrogates(v.Description))
	case *Custom:
		e.plain(v.Value)
	case *TypedArray:
		e.plainList(v.items())
	case Array, *Set, *Object, *Map, *Error, *Instance:
		e.plainContainer(v)
	default:
		e.null()
	}
}

// plainContainer prints a container once for all its places.
func (e *encoder) plainContainer(v Value) {
	known := int32(-1)
	if id := identify(v); id.tag != 0 {
		var slot uintptr
		if known, slot = e.seen.find(id); known >= 0 {
			if f := &e.seen.firsts[known]; f.done {
				e.dst = append(e.dst, e.dst[f.from:f.to]...)
			} else {
				e.null()
			}
			return
		}
		known = e.seen.add(first{id: id, from: len(e.dst)}, slot)
	}
	switch v := v.(type) {
	case Array:
		e.plainList(v)
	case *Set:
		e.plainList(v.list())
	case *Object:
		e.plainObject(v.list())
	case *Map:
		e.plainPairs(v.list())
	case *Error:
		e.plainObject(v.plainMembers())
	case *Instance:
		e.plainObject(v.Props.list())
	}
	if known >= 0 {
		f := &e.seen.firsts[known]
		f.done, f.to = true, len(e.dst)
	}
}

func (e *encoder) plainList(items []Value) {
	e.dst = append(e.dst, '[')
	for i, item := range items {
		e.comma(i)
		e.plain(item)
	}
	e.dst = append(e.dst, ']')
}

func (e *encoder) plainPairs(entries []Entry) {
	e.dst = append(e.dst, '[')
	for i, entry := range entries {
		e.comma(i)
		e.dst = append(e.dst, '[')
		e.plain(entry.Key)
		e.dst = append(e.dst, ',')
		e.plain(entry.Value)
		e.dst = append(e.dst, ']')
	}
	e.dst = append(e.dst, ']')
}

func (e *encoder) plainObject(members []Member) {
	e.dst = append(e.dst, '{')
	n := 0
	for _, m := range members {
		if KindOf(m.Value) == KindUndefined {
			continue
		}
		e.comma(n)
		n++
		e.dst = append(appendString(e.dst, replaceSurrogates(m.Key)), ':')
		e.plain(m.Value)
	}
	e.dst = append(e.dst, '}')
}

func plainNumber(n Number) string {
	switch n.text {
	case textNaN, textInf, textNegInf:
		return "null"
	case textNegZero:
		return textZero
	}
	return n.Text()
}

func (a *TypedArray) items() []Value {
	items := make([]Value, a.Len())
	for i := range items {
		items[i] = a.At(i)
	}
	return items
}

func (e *Error) plainMembers() []Member {
	return append([]Member{
		{"name", String(e.Name)},
		{"message", String(e.Message)},
		{"cause", e.Cause},
	}, e.Props...)
}
