package edgeframes

import (
	"fmt"

	"stele/edgeframes/superjson"
)

// Encode returns f as one text message; see [Append].
func Encode(f Frame) ([]byte, error) { return Append(nil, f) }

// Append adds f, envelope included, to dst. It fails with an *[IncompleteError] when
// the frame breaks its own rules, and with superjson's *EncodeError when a value in
// it cannot be written; dst is then returned as it was.
func Append(dst []byte, f Frame) ([]byte, error) {
	o, err := ValueOf(f)
	if err != nil {
		return dst, err
	}
	return superjson.Append(dst, o)
}

// ValueOf returns f as the value that travels in the envelope.
func ValueOf(f Frame) (*superjson.Object, error) {
	fields, err := f.fields()
	if err != nil {
		return nil, err
	}
	head := []superjson.Member{
		number("v", uint64(f.Version())),
		text("kind", string(f.Kind())),
	}
	return superjson.NewObject(append(head, fields...)...), nil
}

// IncompleteError says that a frame to be encoded breaks a rule of its kind.
type IncompleteError struct {
	Kind   Kind
	Detail string
}

// Error implements error.
func (e *IncompleteError) Error() string { return fmt.Sprintf("edge: a %s frame %s", e.Kind, e.Detail) }

func (c Call) fields() ([]superjson.Member, error) {
	fields := []superjson.Member{text("id", c.ID), text("method", c.Method)}
	if c.Args != nil {
		fields = append(fields, member("args", superjson.Array(c.Args)))
	}
	return fields, nil
}

func (Ping) fields() ([]superjson.Member, error)  { return nil, nil }
func (Pong) fields() ([]superjson.Member, error)  { return nil, nil }
func (Hello) fields() ([]superjson.Member, error) { return nil, nil }

func (s State) fields() ([]superjson.Member, error) {
	switch {
	case (s.Snapshot == nil) == (s.Patch == nil):
		return nil, &IncompleteError{KindState, "needs either a snapshot or a patch"}
	case s.Patch != nil:
		return []superjson.Member{member("patch", s.Patch)}, nil
	}
	return []superjson.Member{member("snapshot", s.Snapshot)}, nil
}

func (m Messages) fields() ([]superjson.Member, error) {
	switch {
	case (m.Snapshot == nil) == (m.Appended == nil):
		return nil, &IncompleteError{KindMessages, "needs either a snapshot or appended items"}
	case m.Appended != nil:
		return []superjson.Member{member("appended", messageValues(m.Appended))}, nil
	}
	return []superjson.Member{member("snapshot", messageValues(m.Snapshot))}, nil
}

func (r Result) fields() ([]superjson.Member, error) {
	return []superjson.Member{text("id", r.ID), member("value", r.Value)}, nil
}

func (e Error) fields() ([]superjson.Member, error) {
	fields := []superjson.Member{text("code", string(e.Code)), text("message", e.Message)}
	if e.ForCall {
		fields = append([]superjson.Member{text("id", e.ID)}, fields...)
	}
	return fields, nil
}

func (a Attach) fields() ([]superjson.Member, error) {
	var fields []superjson.Member
	if a.Token != "" {
		fields = append(fields, text("token", a.Token))
	}
	if a.Subscribe != nil {
		fields = append(fields, member("subscribe", texts(a.Subscribe)))
	}
	if a.Cursors != nil {
		cursors := []superjson.Member{}
		for _, s := range Streams() {
			if at, ok := a.Cursors[s]; ok {
				cursors = append(cursors, number(string(s), at))
			}
		}
		fields = append(fields, member("cursors", superjson.NewObject(cursors...)))
	}
	return fields, nil
}

func (a Attached) fields() ([]superjson.Member, error) {
	return []superjson.Member{member("grants", texts(a.Grants)), member("accepted", texts(a.Accepted))}, nil
}

func (e EventFrame) fields() ([]superjson.Member, error) {
	if e.Seq == 0 {
		return nil, &IncompleteError{KindEvent, "needs a seq from 1"}
	}
	return []superjson.Member{
		number("seq", e.Seq), text("type", e.Type), member("payload", e.Payload), member("at", superjson.DateOf(e.At)),
	}, nil
}

func member(key string, v superjson.Value) superjson.Member {
	return superjson.Member{Key: key, Value: v}
}

func text(key, s string) superjson.Member { return member(key, superjson.String(s)) }

func number(key string, n uint64) superjson.Member { return member(key, superjson.Int(int64(n))) }

func texts[S ~string](list []S) superjson.Array {
	values := make(superjson.Array, len(list))
	for i, s := range list {
		values[i] = superjson.String(s)
	}
	return values
}
