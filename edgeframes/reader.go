package edgeframes

import (
	"fmt"
	"time"

	"stele/edgeframes/superjson"
)

// reader takes the fields of a frame and remembers the first that is not as it must
// be. A field that is annotated undefined counts as absent, as the real client sends
// options it was not given that way.
type reader struct {
	object *superjson.Object
	detail string
}

func (r *reader) fault(format string, args ...any) {
	if r.detail == "" {
		r.detail = fmt.Sprintf(format, args...)
	}
}

// failure is the error for the frame; a call whose id is readable is named.
func (r *reader) failure(kind Kind) *ParseError {
	e := malformed(r.detail)
	if id, ok := r.get("id").(superjson.String); ok && kind == KindCall {
		e.ID, e.ForCall = string(id), true
	}
	return e
}

func (r *reader) get(key string) superjson.Value {
	v, _ := r.object.Get(key)
	return v
}

func (r *reader) has(key string) bool {
	return superjson.KindOf(r.get(key)) != superjson.KindUndefined
}

// need demands a field whatever its type.
func (r *reader) need(key string) {
	if !r.has(key) {
		r.fault("%s is missing", key)
	}
}

func (r *reader) wrong(key, want string) {
	if !r.has(key) {
		r.fault("%s is missing", key)
		return
	}
	r.fault("%s must be %s, not %s", key, want, superjson.KindOf(r.get(key)))
}

func (r *reader) text(key string) string {
	s, ok := r.get(key).(superjson.String)
	if !ok {
		r.wrong(key, "a string")
	}
	return string(s)
}

func (r *reader) optionalText(key string) string {
	if !r.has(key) {
		return ""
	}
	return r.text(key)
}

func (r *reader) any(key string) superjson.Value {
	if v, ok := r.object.Get(key); ok {
		return v
	}
	return superjson.Undefined{}
}

// list returns an optional array; what is there and no array is a fault.
func (r *reader) list(key string) (superjson.Array, bool) {
	if !r.has(key) {
		return nil, false
	}
	list, ok := r.get(key).(superjson.Array)
	if !ok {
		r.wrong(key, "a list")
	}
	return list, ok
}

// plainObject returns an optional object, nil when it is absent.
func (r *reader) plainObject(key string) *superjson.Object {
	if !r.has(key) {
		return nil
	}
	o, ok := r.get(key).(*superjson.Object)
	if !ok {
		r.wrong(key, "an object")
	}
	return o
}

func (r *reader) integer(key string, low uint64) uint64 {
	n, ok := wholeNumber(r.get(key))
	if !ok {
		r.wrong(key, "a whole number")
	} else if n < low {
		r.fault("%s is below %d", key, low)
	}
	return n
}

func (r *reader) date(key string) time.Time {
	d, ok := r.get(key).(superjson.Date)
	if !ok || !d.Valid() {
		r.wrong(key, "a Date")
	}
	return d.Time()
}

// one demands exactly one of two fields.
func (r *reader) one(first, second bool, a, b string) {
	if first == second {
		r.fault("exactly one of %s and %s belongs here", a, b)
	}
}

// inside returns a reader for an item of a list; adopt takes its fault over.
func (r *reader) inside(item superjson.Value) *reader {
	o, ok := item.(*superjson.Object)
	if !ok {
		r.fault("an item must be an object, not %s", superjson.KindOf(item))
	}
	return &reader{object: o}
}

func (r *reader) adopt(inner *reader) {
	if inner.detail != "" {
		r.fault("an item's %s", inner.detail)
	}
}

// wholeNumber reads an integer from 0 that JavaScript holds exactly.
func wholeNumber(v superjson.Value) (uint64, bool) {
	n, ok := v.(superjson.Number)
	if !ok {
		return 0, false
	}
	if s := n.Text(); len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return uint64(s[0] - '0'), true
	}
	i, ok := n.Int64()
	return uint64(i), ok && i >= 0 && i <= 1<<53-1
}
