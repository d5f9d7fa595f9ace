package superjson

import "strings"

// values applies the annotation tree to the root, children before the node they
// stand in, so that every path meets the plain JSON form.
func (d *decoder) values(tree Value) error {
	if absent(tree) {
		return nil
	}
	return d.annotate(tree, place{value: &d.root}, 0)
}

// annotate applies tree at p; pathLen is the length of the path from the root to p.
// It starts each path where its parent ended, so that its cost is the length of the
// text and not the depth of the tree times the number of annotations.
func (d *decoder) annotate(tree Value, p place, pathLen int) error {
	switch t := tree.(type) {
	case Null:
		return nil
	case *Object:
		return d.children(t, p, pathLen)
	case Array:
		if len(t) == 0 || len(t) > 2 {
			return fault(ErrMeta, "an annotation of %d parts", len(t))
		}
		if len(t) == 2 && !absent(t[1]) {
			below, ok := t[1].(*Object)
			if !ok {
				return fault(ErrMeta, "children %s", described(t[1]))
			}
			if err := d.children(below, p, pathLen); err != nil {
				return err
			}
		}
		return d.leaf(t[0], p)
	}
	return fault(ErrMeta, "an annotation %s", described(tree))
}

func (d *decoder) children(branch *Object, p place, pathLen int) error {
	for path, tree := range branch.All() {
		at, n, err := d.walk(p, path, pathLen)
		if err != nil {
			return err
		}
		if err := d.annotate(tree, at, n); err != nil {
			return err
		}
	}
	return nil
}

// walk follows a whole path from p.
func (d *decoder) walk(p place, path string, pathLen int) (place, int, error) {
	r := pathReader{rest: path, legacy: d.legacy}
	for {
		seg, ok, err := r.next()
		if err != nil || !ok {
			return p, pathLen, err
		}
		if pathLen += escapedLen(seg) + 1; pathLen > d.codec.Limits.MaxPath {
			return p, pathLen, fault(ErrTooLong, "a path")
		}
		p = d.step(p, seg)
	}
}

// leaf gives the value at p the annotated type. The type is checked even where the
// path leads nowhere, as an unknown one makes the whole text unreadable.
func (d *decoder) leaf(annotation Value, p place) error {
	if err := d.count(); err != nil {
		return err
	}
	typ, name, err := d.codec.annotatedType(annotation)
	if err != nil {
		return err
	}
	if !p.exists() && p.in == nil {
		return nil
	}
	var from Value = Undefined{}
	if p.exists() {
		from = *p.value
	}
	v, err := d.codec.revive(typ, name, from)
	if err != nil {
		return err
	}
	d.put(p, v)
	return nil
}

// annotatedType reads "Date" or ["class","Point"]; of the latter it returns the name
// too, unless it is a typed array's.
func (c Codec) annotatedType(a Value) (annotation, string, error) {
	switch a := a.(type) {
	case String:
		if typ := simpleType(string(a)); typ != plainNote {
			return typ, "", nil
		}
		return 0, "", fault(ErrUnknownType, "%s", quote(string(a)))
	case Array:
		if len(a) == 2 {
			kind, _ := a[0].(String)
			name, _ := a[1].(String)
			if typ := c.compositeType(string(kind), string(name)); typ != plainNote {
				return typ, string(name), nil
			}
			return 0, "", fault(ErrUnknownType, "%s %s", quote(string(kind)), quote(string(name)))
		}
	}
	return 0, "", fault(ErrUnknownType, "a type %s", described(a))
}

// simpleType returns the type that one word names, plainNote if none.
func simpleType(name string) annotation {
	switch name {
	case "undefined":
		return noteUndefined
	case "bigint":
		return noteBigInt
	case "Date":
		return noteDate
	case "Error":
		return noteError
	case "regexp":
		return noteRegExp
	case "set":
		return noteSet
	case "map":
		return noteMap
	case "number":
		return noteNumber
	case "URL":
		return noteURL
	}
	return plainNote
}

// compositeType returns the type that two words name, plainNote if nothing of that
// name is registered.
func (c Codec) compositeType(kind, name string) annotation {
	switch kind {
	case "typed-array":
		if n := ArrayType(name).number(); n >= 0 {
			return noteTyped + annotation(n)
		}
	case "class":
		if c.Types.class(name) != nil {
			return noteClass
		}
	case "symbol":
		if _, ok := c.Types.symbol(name); ok {
			return noteSymbol
		}
	case "custom":
		if c.Types.custom(name) != nil {
			return noteCustom
		}
	}
	return plainNote
}

// String returns the name of a type for messages.
func (a annotation) String() string {
	if a >= noteTyped {
		return string(arrayTypes[a-noteTyped])
	}
	return strings.Trim(annotationTexts[a], `"`)
}
