package areyouai

import (
	"fmt"
	"time"
)

// Time is an instant as the protocol writes it: RFC 3339 in UTC, fractional
// seconds only when there are any. A *Time marked nullable is null, not
// absent, when unset. Source: contract, "Basics".
type Time struct{ time.Time }

// NewTime returns t as a wire time: in UTC and without a monotonic reading,
// so that equal instants compare equal.
func NewTime(t time.Time) Time { return Time{t.Round(0).UTC()} }

// TimePtr returns nil for the zero time and a wire time otherwise, which is
// what the nullable fields of [RoomReply] want.
func TimePtr(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	w := NewTime(t)
	return &w
}

// MarshalJSON writes the quoted RFC 3339 form. Years beyond 9999 have none
// and are an error.
func (t Time) MarshalJSON() ([]byte, error) {
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("areyouai: year %d has no RFC 3339 form", y)
	}
	b := make([]byte, 0, len(time.RFC3339Nano)+2)
	b = append(b, '"')
	b = u.AppendFormat(b, time.RFC3339Nano)
	return append(b, '"'), nil
}

// UnmarshalJSON reads a quoted RFC 3339 time with any offset; null leaves the
// value as it is.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return fmt.Errorf("areyouai: a time must be an RFC 3339 string")
	}
	p, err := time.Parse(time.RFC3339Nano, string(data[1:len(data)-1]))
	if err != nil {
		return fmt.Errorf("areyouai: a time must be an RFC 3339 string: %w", err)
	}
	*t = NewTime(p)
	return nil
}
