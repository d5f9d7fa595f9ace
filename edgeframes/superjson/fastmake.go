package superjson

// objectOf returns an object of a copy of members, in one allocation if they are few.
func objectOf(members []Member) *Object {
	switch len(members) {
	case 1:
		o := new(struct {
			Object
			in [1]Member
		})
		o.in = [1]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 2:
		o := new(struct {
			Object
			in [2]Member
		})
		o.in = [2]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 3:
		o := new(struct {
			Object
			in [3]Member
		})
		o.in = [3]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 4:
		o := new(struct {
			Object
			in [4]Member
		})
		o.in = [4]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 5:
		o := new(struct {
			Object
			in [5]Member
		})
		o.in = [5]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 6:
		o := new(struct {
			Object
			in [6]Member
		})
		o.in = [6]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 7:
		o := new(struct {
			Object
			in [7]Member
		})
		o.in = [7]Member(members)
		o.members = o.in[:]
		return &o.Object
	case 8:
		o := new(struct {
			Object
			in [8]Member
		})
		o.in = [8]Member(members)
		o.members = o.in[:]
		return &o.Object
	}
	o := &Object{members: make([]Member, len(members))}
	copy(o.members, members)
	return o
}

// arrayOf returns an Array of a copy of items, in one allocation if they are few.
func arrayOf(items []Value) Value {
	switch len(items) {
	case 1:
		a := new(struct {
			Array
			in [1]Value
		})
		a.in = [1]Value(items)
		a.Array = a.in[:]
		return arrayAt(&a.Array)
	case 2:
		a := new(struct {
			Array
			in [2]Value
		})
		a.in = [2]Value(items)
		a.Array = a.in[:]
		return arrayAt(&a.Array)
	case 3:
		a := new(struct {
			Array
			in [3]Value
		})
		a.in = [3]Value(items)
		a.Array = a.in[:]
		return arrayAt(&a.Array)
	case 4:
		a := new(struct {
			Array
			in [4]Value
		})
		a.in = [4]Value(items)
		a.Array = a.in[:]
		return arrayAt(&a.Array)
	}
	a := make(Array, len(items))
	copy(a, items)
	return a
}

// mapOf makes a Map of rows, nil if one of them is no pair.
func mapOf(rows Array) *Map {
	m := &Map{}
	if len(rows) == 1 {
		one := new(struct {
			Map
			in [1]Entry
		})
		one.entries = one.in[:]
		m = &one.Map
	} else if len(rows) > 1 {
		m.entries = make([]Entry, len(rows))
	}
	for i, row := range rows {
		pair, ok := row.(Array)
		if !ok || len(pair) != 2 {
			return nil
		}
		m.entries[i] = Entry{pair[0], pair[1]}
	}
	m.arrange()
	return m
}
