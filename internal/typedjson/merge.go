package typedjson

// Merge returns target as patch changes it (RFC 7396): in a patch that is a plain object null deletes a key, a plain object
// merges into what is there, and anything else replaces it whole, undefined too. A patch that is no plain object replaces the
// target; a target that is none counts as {}. Keys keep their places; new ones follow. Neither argument is changed.
func Merge(target, patch Value) Value {
	if patch.Kind != Object {
		return patch
	}
	var old []Member
	if target.Kind == Object {
		old = target.Members
	}
	changes := builder{members: patch.Members}
	changes.index()
	merged := make([]Member, 0, len(old)+len(patch.Members))
	for _, m := range old {
		i, ok := changes.find(m.Key)
		switch {
		case !ok:
			merged = append(merged, m)
		case patch.Members[i].Value.Kind != Null:
			merged = append(merged, Member{m.Key, Merge(m.Value, patch.Members[i].Value)})
		}
	}
	known := builder{members: old}
	known.index()
	for _, m := range patch.Members {
		if _, ok := known.find(m.Key); !ok && m.Value.Kind != Null {
			merged = append(merged, Member{m.Key, Merge(Value{}, m.Value)})
		}
	}
	return Value{Kind: Object, Members: merged}
}

// Diff returns the smallest patch that makes of one plain object another: Merge(from, Diff(from, to)) equals to but for the
// order of its keys. Both must be as Merge makes them: no key of a plain object that does not lie in a list is null.
func Diff(from, to Value) Value {
	var out []Member
	left, there := builder{members: to.Members}, builder{members: from.Members}
	left.index()
	there.index()
	for _, m := range from.Members {
		if _, ok := left.find(m.Key); !ok {
			out = append(out, Member{m.Key, Value{}})
		}
	}
	for _, m := range to.Members {
		i, ok := there.find(m.Key)
		switch {
		case !ok:
			out = append(out, m)
		case from.Members[i].Value.Kind == Object && m.Value.Kind == Object:
			if d := Diff(from.Members[i].Value, m.Value); len(d.Members) > 0 {
				out = append(out, Member{m.Key, d})
			}
		case !Equal(from.Members[i].Value, m.Value):
			out = append(out, m)
		}
	}
	return Value{Kind: Object, Members: out}
}

// Equal tells whether two values are the same: numbers by their digits, objects whatever the order of their keys, all else in
// order.
func Equal(a, b Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Items {
		if !Equal(a.Items[i], b.Items[i]) {
			return false
		}
	}
	other := builder{members: b.Members}
	other.index()
	for _, m := range a.Members {
		i, ok := other.find(m.Key)
		if !ok || !Equal(m.Value, b.Members[i].Value) {
			return false
		}
	}
	return true
}
