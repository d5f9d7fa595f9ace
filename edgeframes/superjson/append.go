package superjson

// Append adds the text the library prints for v, as the zero [Codec] does. The error
// is an *[EncodeError].
//
// Values have no identity here, so the text never has referentialEqualities: parts
// that stand in several places are written out at each. A plain object with a key
// named __proto__, prototype or constructor is refused, as the library does; as a Map
// key they are fine.
func Append(dst []byte, v Value) ([]byte, error) {
	return Codec{}.Append(dst, v)
}

// Check reports the error with which [Append] would refuse v, so that a value can be
// turned away where it enters instead of where it leaves.
func Check(v Value) error {
	_, err := Append(nil, v)
	return err
}

// Append adds the text of v to dst; see the function [Append]. On error dst is
// returned as it was.
func (c Codec) Append(dst []byte, v Value) ([]byte, error) {
	e := encoder{codec: c, dst: append(dst, `{"json":`...), depth: c.Limits.withDefaults().MaxDepth}
	notes := e.value(v)
	if e.err != nil {
		return dst, e.err
	}
	if notes != nil {
		e.dst = append(e.dst, `,"meta":{"values":`...)
		e.dst = appendNotes(e.dst, notes)
		e.dst = append(e.dst, `,"v":1}`...)
	}
	return append(e.dst, '}'), nil
}

// encoder prints the "json" part and gathers what "meta.values" must say. The first
// error stops it from descending further.
type encoder struct {
	codec Codec
	dst   []byte
	depth int
	err   error
}

// value prints v and returns its annotations, nil when it has none.
func (e *encoder) value(v Value) *note {
	switch v := v.(type) {
	case nil, Undefined:
		e.dst = append(e.dst, "null"...)
		return annotated(typeUndefined)
	case Null:
		e.dst = append(e.dst, "null"...)
	case Bool:
		if v {
			e.dst = append(e.dst, "true"...)
		} else {
			e.dst = append(e.dst, "false"...)
		}
	case String:
		e.dst = appendString(e.dst, string(v))
	case Number:
		return e.number(v)
	case BigInt:
		e.quoted(v.String())
		return annotated(typeBigInt)
	case Date:
		return e.date(v)
	case RegExp:
		e.dst = appendString(e.dst, v.String())
		return annotated(typeRegExp)
	case URL:
		e.dst = appendString(e.dst, v.Href)
		return annotated(typeURL)
	default:
		return e.container(v)
	}
	return nil
}

func (e *encoder) number(n Number) *note {
	if n.special() {
		e.quoted(n.text)
		return annotated(typeNumber)
	}
	e.dst = append(e.dst, n.Text()...)
	return nil
}

func (e *encoder) date(d Date) *note {
	if !d.Valid() {
		e.dst = append(e.dst, "null"...)
		return nil
	}
	e.dst = append(e.dst, '"')
	e.dst = d.appendISO(e.dst)
	e.dst = append(e.dst, '"')
	return annotated(typeDate)
}

// quoted prints text that needs no escapes.
func (e *encoder) quoted(s string) {
	e.dst = append(e.dst, '"')
	e.dst = append(e.dst, s...)
	e.dst = append(e.dst, '"')
}

func (e *encoder) container(v Value) *note {
	e.depth--
	defer func() { e.depth++ }()
	if e.depth < 0 {
		e.fail(&EncodeError{Err: ErrTooDeep})
	}
	if e.err != nil {
		return nil
	}
	switch v := v.(type) {
	case Array:
		return e.items(v, nil)
	case *Set:
		return e.items(v.list(), annotated(typeSet))
	case *Object:
		e.dst = append(e.dst, '{')
		notes := e.members(v.list(), nil)
		e.dst = append(e.dst, '}')
		return notes
	case *Map:
		return e.pairs(v)
	case *Error:
		return e.errorValue(v)
	case *TypedArray:
		return e.typedArray(v)
	}
	return nil
}

// items prints a list whose own annotation is own.
func (e *encoder) items(items []Value, own *note) *note {
	e.dst = append(e.dst, '[')
	for i, item := range items {
		e.comma(i)
		own = own.withItem(i, e.value(item))
	}
	e.dst = append(e.dst, ']')
	return own
}

// members prints keys and values without the braces.
func (e *encoder) members(members []Member, own *note) *note {
	for i, m := range members {
		if forbidden(m.Key) {
			e.fail(&EncodeError{Detail: m.Key, Err: ErrForbiddenKey})
			return own
		}
		e.comma(i)
		e.key(m.Key)
		own = own.with(m.Key, e.value(m.Value))
	}
	return own
}

func (e *encoder) pairs(m *Map) *note {
	own := annotated(typeMap)
	e.dst = append(e.dst, '[')
	for i, entry := range m.list() {
		e.comma(i)
		own = own.withItem(i, e.value(Array{entry.Key, entry.Value}))
	}
	e.dst = append(e.dst, ']')
	return own
}

// errorValue prints name, message, the cause if there is one, and every allowed
// property, missing ones as undefined.
func (e *encoder) errorValue(v *Error) *note {
	members := []Member{{"name", String(v.Name)}, {"message", String(v.Message)}}
	if v.Cause != nil {
		members = append(members, Member{"cause", v.Cause})
	}
	for _, key := range e.codec.ErrorProps {
		if !ownErrorKey(key) {
			prop, _ := v.Prop(key)
			members = append(members, Member{key, prop})
		}
	}
	e.dst = append(e.dst, '{')
	notes := e.members(NewObject(members...).members, annotated(typeError))
	e.dst = append(e.dst, '}')
	return notes
}

func (e *encoder) typedArray(a *TypedArray) *note {
	e.dst = append(e.dst, '[')
	for i := range a.Len() {
		e.comma(i)
		e.dst = a.appendElement(e.dst, i)
	}
	e.dst = append(e.dst, ']')
	return &note{typ: string(a.typ), composite: true}
}

func (e *encoder) comma(i int) {
	if i > 0 {
		e.dst = append(e.dst, ',')
	}
}

func (e *encoder) key(key string) {
	e.dst = appendString(e.dst, key)
	e.dst = append(e.dst, ':')
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
