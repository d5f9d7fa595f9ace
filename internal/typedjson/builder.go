package typedjson

// builder gathers the members of an object, or finds them by key.
type builder struct {
	members []Member
	places  map[string]int
}

// indexFrom is the number of keys from which on an index finds them: below it a scan is as quick.
const indexFrom = 16

func (b *builder) put(key string, v Value) {
	if i, ok := b.find(key); ok {
		b.members[i].Value = v
		return
	}
	b.members = append(b.members, Member{key, v})
	switch {
	case b.places != nil:
		b.places[key] = len(b.members) - 1
	default:
		b.index()
	}
}

// index remembers where the keys stand, if they are many.
func (b *builder) index() {
	if len(b.members) <= indexFrom {
		return
	}
	b.places = make(map[string]int, 2*len(b.members))
	for i, m := range b.members {
		b.places[m.Key] = i
	}
}

func (b *builder) find(key string) (int, bool) {
	if b.places != nil {
		i, ok := b.places[key]
		return i, ok
	}
	for i := range b.members {
		if b.members[i].Key == key {
			return i, true
		}
	}
	return 0, false
}
