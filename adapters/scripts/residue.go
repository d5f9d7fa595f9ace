package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"stele/core"
	"stele/internal/sse"
	"stele/internal/strictjson"
)

// residueMark begins the comment of a residue, after the comment sign of its script.
const residueMark = "stele "

// edgeComment begins a line that is no frame, among lines of which each is one frame.
const edgeComment = "# "

// difference is what a decoder must know beside the frames of an event to have the event itself, in the keys of the log's own
// words (see [core.Entry.AppendPlain]):
//
//	{"version":4,"event":{"next":"agt_2"},"absent":["thread"]}
//	{"whole":{"position":17,…,"event":{…}}}
//
// Every key says that the event has this value, whatever the frames say; a key that is not there says that the frames, read
// in the same place of the conversation, say it right. Below "event" this holds for each key by itself. "absent" names the
// keys below "event" that the frames say and the event has not. An event of another kind than the frames say, or of one that
// this program does not know, has all its keys below "event", and what the frames say below it counts for nothing.
//
// An event that the script does not show has "whole" and nothing else, and no frames follow. Where the frames say all, there
// is no comment.
type difference struct {
	Whole    json.RawMessage `json:"whole,omitempty"`
	Position json.RawMessage `json:"position,omitempty"`
	Version  json.RawMessage `json:"version,omitempty"`
	At       json.RawMessage `json:"at,omitempty"`
	Room     json.RawMessage `json:"room,omitempty"`
	Kind     json.RawMessage `json:"kind,omitempty"`
	Erased   json.RawMessage `json:"erased,omitempty"`
	Event    json.RawMessage `json:"event,omitempty"`
	Absent   []string        `json:"absent,omitempty"`
}

// plainParts are the values of an event in the log's own words.
type plainParts struct {
	Position json.RawMessage `json:"position"`
	Version  json.RawMessage `json:"version"`
	At       json.RawMessage `json:"at"`
	Room     json.RawMessage `json:"room"`
	Kind     json.RawMessage `json:"kind"`
	Erased   json.RawMessage `json:"erased,omitempty"`
	Event    json.RawMessage `json:"event"`
}

// plainLimits bound what the log itself may hold.
var plainLimits = strictjson.Limits{MaxBytes: 64 << 20, MaxDepth: 1024}

var (
	errNothingRead = errors.New("a residue that is not of a whole event stands alone")
	errNoResidue   = errors.New("the comment is no residue")
)

// residue returns what is to be written in a comment so that restore makes the event of what was read from its frames alone;
// nil when that is the event already. read is nil for an event without frames. The same event and the same reading give the
// same bytes.
func residue(event, read *core.Entry) ([]byte, error) {
	line, err := event.AppendPlain(nil)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return strictjson.Marshal(difference{Whole: line})
	}
	is, err := partsOf(line)
	if err != nil {
		return nil, err
	}
	says, err := partsOfEntry(read)
	if err != nil {
		return nil, err
	}
	var d difference
	unequal := func(to *json.RawMessage, is, says json.RawMessage) {
		if !bytes.Equal(is, says) {
			*to = is
		}
	}
	unequal(&d.Position, is.Position, says.Position)
	unequal(&d.Version, is.Version, says.Version)
	unequal(&d.At, is.At, says.At)
	unequal(&d.Room, is.Room, says.Room)
	unequal(&d.Kind, is.Kind, says.Kind)
	unequal(&d.Erased, is.erased(), says.erased())
	if !alike(event, read) {
		d.Event = is.Event
	} else if d.Event, d.Absent, err = unequalKeys(is.Event, says.Event); err != nil {
		return nil, err
	}
	if d.empty() {
		return nil, nil
	}
	return strictjson.Marshal(d)
}

// restore makes the event of what was read from its frames alone and the comment before them. Without a comment the frames
// are all there is; without frames (read is nil) the comment must hold the whole event. Errors: of a comment that is none, or
// that does not fit.
func restore(read *core.Entry, comment []byte) (*core.Entry, error) {
	if len(comment) == 0 {
		return read, nil
	}
	var d difference
	if err := strictjson.UnmarshalLimits(comment, &d, plainLimits); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoResidue, err)
	}
	if d.Whole != nil {
		return core.ParsePlain(d.Whole)
	}
	if read == nil {
		return nil, errNothingRead
	}
	is, err := partsOfEntry(read)
	if err != nil {
		return nil, err
	}
	if d.Kind != nil || !known(read) {
		is.Event = json.RawMessage("{}")
	}
	replace(&is.Position, d.Position)
	replace(&is.Version, d.Version)
	replace(&is.At, d.At)
	replace(&is.Room, d.Room)
	replace(&is.Kind, d.Kind)
	replace(&is.Erased, d.Erased)
	if is.Event, err = withKeys(is.Event, d.Event, d.Absent); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoResidue, err)
	}
	line, err := strictjson.Marshal(is)
	if err != nil {
		return nil, err
	}
	return core.ParsePlain(line)
}

func replace(v *json.RawMessage, by json.RawMessage) {
	if by != nil {
		*v = by
	}
}

// stands tells whether a residue is of an event that no frames follow.
func stands(comment []byte) bool { return bytes.HasPrefix(comment, []byte(`{"whole":`)) }

// appendResidue writes a residue as a comment of the script.
func appendResidue(dst []byte, s Script, comment []byte) []byte {
	if s == Edge {
		dst = append(append(dst, edgeComment...), residueMark...)
		return append(append(dst, comment...), '\n')
	}
	return sse.AppendComment(dst, residueMark+string(comment))
}

// cutResidue finds the residue in the text of a comment, that is, in what follows the comment sign and its space; false for
// any other comment.
func cutResidue(text []byte) (comment []byte, ok bool) {
	comment, ok = bytes.CutPrefix(text, []byte(residueMark))
	return comment, ok && strictjson.KindOf(comment) == "object"
}

func partsOf(line []byte) (p plainParts, err error) {
	if err := strictjson.UnmarshalLimits(line, &p, plainLimits); err != nil {
		return p, fmt.Errorf("take an event apart: %w", err)
	}
	return p, nil
}

func partsOfEntry(e *core.Entry) (plainParts, error) {
	line, err := e.AppendPlain(nil)
	if err != nil {
		return plainParts{}, err
	}
	return partsOf(line)
}

// erased is the value also where the words leave it out.
func (p *plainParts) erased() json.RawMessage {
	if p.Erased == nil {
		return json.RawMessage("false")
	}
	return p.Erased
}

func (d *difference) empty() bool {
	return d.Position == nil && d.Version == nil && d.At == nil && d.Room == nil && d.Kind == nil && d.Erased == nil &&
		d.Event == nil && len(d.Absent) == 0
}

// known tells whether this program knows what an event of the kind says. Of one that it does not know, it keeps the words in
// their order.
func known(e *core.Entry) bool { return e.Payload != nil }

// alike tells whether two events say the same things, however differently.
func alike(a, b *core.Entry) bool { return known(a) && known(b) && a.Kind == b.Kind }

// unequalKeys returns the members of is that says does not have or has otherwise, as an object (nil: there are none), and the
// names that says alone has. Both in the order of their names.
func unequalKeys(is, says json.RawMessage) (object json.RawMessage, absent []string, err error) {
	has, err := strictjson.DecodeObjectLimits(is, plainLimits)
	if err != nil {
		return nil, nil, err
	}
	said, err := strictjson.DecodeObjectLimits(says, plainLimits)
	if err != nil {
		return nil, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if v, ok := has[key]; !ok {
			absent = append(absent, key)
		} else if bytes.Equal(v, said[key]) {
			delete(has, key)
		}
	}
	if len(has) == 0 {
		return nil, absent, nil
	}
	object, err = objectOf(has)
	return object, absent, err
}

// withKeys returns an object with other members put in and some taken out. Names are in their order.
func withKeys(object, more json.RawMessage, absent []string) (json.RawMessage, error) {
	has, err := strictjson.DecodeObjectLimits(object, plainLimits)
	if err != nil || (more == nil && absent == nil) {
		return object, err
	}
	for _, key := range absent {
		delete(has, key)
	}
	if more == nil {
		return objectOf(has)
	}
	if len(has) == 0 {
		// As it was written: the words of an unknown kind keep their order.
		return more, nil
	}
	put, err := strictjson.DecodeObjectLimits(more, plainLimits)
	if err != nil {
		return nil, err
	}
	maps.Copy(has, put)
	return objectOf(has)
}

func objectOf(members map[string]json.RawMessage) (json.RawMessage, error) {
	out := json.RawMessage{'{'}
	for i, key := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(strictjson.AppendString(out, key), ':')
		out = append(out, members[key]...)
	}
	return append(out, '}'), nil
}
