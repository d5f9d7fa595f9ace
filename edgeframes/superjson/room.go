package superjson

const (
	// roomItems is how many objects of an array share their memory, and from which item on:
	// those of a long array are mostly alike.
	roomItems = 8
	// roomText is the length of the text up to which an object shares memory. What it can
	// keep alive is in proportion to that.
	roomText = 512
)

// room makes objects that share their memory with a few neighbours, which live as long as
// any of them does. It is therefore only for objects of short texts, whose parts are of no
// others.
type room struct {
	objects []Object
	members []Member
}

// object returns an object of a copy of members, which are at least one.
func (r *room) object(members []Member) *Object {
	if len(r.objects) == 0 {
		r.objects = make([]Object, roomItems)
	}
	n := len(members)
	if len(r.members) < n {
		r.members = make([]Member, roomItems*n)
	}
	o := &r.objects[0]
	o.members = r.members[:n:n]
	copy(o.members, members)
	r.objects, r.members = r.objects[1:], r.members[n:]
	return o
}
