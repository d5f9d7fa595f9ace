package superjson

import (
	"fmt"
	"time"
)

// maxDateMillis is the last moment a JavaScript Date can hold, either side of 1970.
const maxDateMillis = 8_640_000_000_000_000

// Date is a moment in whole milliseconds of UTC, or invalid, as JavaScript's Date
// can be. The zero value is 1970-01-01T00:00:00.000Z.
type Date struct {
	ms      int64
	invalid bool
}

// DateOf cuts t to milliseconds, toward the past. Years that JavaScript cannot
// express give the invalid Date.
func DateOf(t time.Time) Date { return DateMillis(t.UnixMilli()) }

// DateMillis returns the moment ms milliseconds after 1970 began in UTC.
func DateMillis(ms int64) Date {
	if ms < -maxDateMillis || ms > maxDateMillis {
		return InvalidDate()
	}
	return Date{ms: ms}
}

// InvalidDate is new Date(NaN). It is encoded as null without an annotation, and so
// comes back as null.
func InvalidDate() Date { return Date{invalid: true} }

// Valid reports whether the Date is a moment.
func (d Date) Valid() bool { return !d.invalid }

// Time returns the moment in UTC, and the zero time for an invalid Date.
func (d Date) Time() time.Time {
	if d.invalid {
		return time.Time{}
	}
	return time.UnixMilli(d.ms).UTC()
}

// String returns what toISOString does, such as 2026-01-02T03:04:05.678Z, and
// "Invalid Date".
func (d Date) String() string {
	if d.invalid {
		return "Invalid Date"
	}
	return string(d.appendISO(nil))
}

// Kind implements [Value].
func (Date) Kind() Kind { return KindDate }
func (Date) value()     {}

func (d Date) appendISO(dst []byte) []byte {
	t := d.Time()
	if y := t.Year(); y < 0 || y > 9999 {
		dst = fmt.Appendf(dst, "%+07d", y)
		return t.AppendFormat(dst, "-01-02T15:04:05.000Z")
	}
	return t.AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}
