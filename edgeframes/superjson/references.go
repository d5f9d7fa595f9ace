package superjson

// references applies referentialEqualities: a map from the path of a representative
// to the other paths at which the same object stood, or a list that says so of the
// root, or both. The representative is put at each other place and from then on
// shared, as in JavaScript: what a later reference completes inside it is completed
// everywhere.
func (d *decoder) references(shared Value) error {
	if absent(shared) {
		return nil
	}
	groups := shared
	if list, ok := shared.(Array); ok {
		if len(list) == 0 || len(list) > 2 {
			return fault(ErrMeta, "a reference of %d parts", len(list))
		}
		if err := d.share(list[0], shareAt(&d.root)); err != nil {
			return err
		}
		if len(list) == 1 || absent(list[1]) {
			return nil
		}
		groups = list[1]
	}
	byPath, ok := groups.(*Object)
	if !ok {
		return fault(ErrMeta, "references %s", described(groups))
	}
	for path, others := range byPath.All() {
		v, err := d.resolve(path)
		if err != nil {
			return err
		}
		if err := d.share(others, v); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) share(others, v Value) error {
	list, ok := others.(Array)
	if !ok {
		return fault(ErrMeta, "references %s", described(others))
	}
	for _, other := range list {
		path, ok := other.(String)
		if !ok {
			return fault(ErrMeta, "a reference %s", described(other))
		}
		if err := d.count(); err != nil {
			return err
		}
		at, _, err := d.walk(place{value: &d.root}, string(path), 0)
		if err != nil {
			return err
		}
		d.put(at, v)
	}
	return nil
}

// look is step for reading: the parts of an Error, of a class instance and of a typed
// array can be read through a path, though never written.
func (d *decoder) look(p place, seg string) place {
	if !p.exists() {
		return d.step(p, seg)
	}
	var found Value = Undefined{}
	switch v := (*p.value).(type) {
	case *Error:
		switch {
		case seg == "name":
			found = String(v.Name)
		case seg == "message":
			found = String(v.Message)
		case seg == "cause" && v.Cause != nil:
			return place{value: &v.Cause}
		}
		for i := range v.Props {
			if v.Props[i].Key == seg {
				return place{value: &v.Props[i].Value}
			}
		}
	case *Instance:
		if i, ok := v.Props.find(seg); ok {
			return place{value: &v.Props.members[i].Value}
		}
	case *TypedArray:
		if i, ok := indexIn(seg, v.Len()); ok {
			found = v.At(i)
		}
	default:
		return d.step(p, seg)
	}
	return place{value: &found}
}

// resolve returns the representative at path: undefined where the last key is
// missing, an error where something on the way is.
func (d *decoder) resolve(path string) (Value, error) {
	if err := d.count(); err != nil {
		return nil, err
	}
	at := place{value: &d.root}
	r := pathReader{rest: path, legacy: d.legacy}
	length := 0
	for {
		seg, ok, err := r.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if length += escapedLen(seg) + 1; length > d.codec.Limits.MaxPath {
			return nil, fault(ErrTooLong, "a path")
		}
		if at.pair == nil && (!at.exists() || absent(*at.value)) {
			return nil, fault(ErrReference, "%s", quote(path))
		}
		at = d.look(at, seg)
	}
	if at.pair != nil {
		return nil, fault(ErrReference, "%s", quote(path))
	}
	if !at.exists() {
		return Undefined{}, nil
	}
	return shareAt(at.value), nil
}
