package superjson

import (
	"fmt"
	"math"
	"time"
)

// maxDateMillis is the last moment a JavaScript Date can hold, either side of 1970.
const maxDateMillis = 8_640_000_000_000_000

// Date is a moment in whole milliseconds of UTC, or invalid, as JavaScript's Date
// can be. The zero value is 1970-01-01T00:00:00.000Z.
type Date struct {
	ms   int64
	mark *mark
}

// invalidMillis stands for the invalid Date, which is NaN milliseconds.
const invalidMillis = math.MinInt64

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
func InvalidDate() Date { return Date{ms: invalidMillis} }

// Valid reports whether the Date is a moment.
func (d Date) Valid() bool { return d.ms != invalidMillis }

// Time returns the moment in UTC, and the zero time for an invalid Date.
func (d Date) Time() time.Time {
	if !d.Valid() {
		return time.Time{}
	}
	return time.UnixMilli(d.ms).UTC()
}

// String returns what toISOString does, such as 2026-01-02T03:04:05.678Z, and
// "Invalid Date".
func (d Date) String() string {
	if !d.Valid() {
		return "Invalid Date"
	}
	return string(d.appendISO(nil))
}

// Kind implements [Value].
func (Date) Kind() Kind { return KindDate }
func (Date) value()     {}

// appendISO prints a valid Date. It counts days itself, as it is on the way of every
// message.
func (d Date) appendISO(dst []byte) []byte {
	const day = 24 * 60 * 60 * 1000
	days, ms := d.ms/day, d.ms%day
	if ms < 0 {
		days, ms = days-1, ms+day
	}
	year, month, dom := civil(days)
	if year < 0 || year > 9999 {
		dst = fmt.Appendf(dst, "%+07d", year)
	} else {
		dst = appendPair(appendPair(dst, year/100), year%100)
	}
	dst = appendPair(append(dst, '-'), month)
	dst = appendPair(append(dst, '-'), dom)
	s := int(ms / 1000)
	dst = appendPair(append(dst, 'T'), s/3600)
	dst = appendPair(append(dst, ':'), s/60%60)
	dst = appendPair(append(dst, ':'), s%60)
	frac := int(ms % 1000)
	dst = append(dst, '.', byte('0'+frac/100))
	return append(appendPair(dst, frac%100), 'Z')
}

func appendPair(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}

// daysToEpoch is the number of days from the 1st of March of year 0 to 1970.
const daysToEpoch = 719_468

// civil turns days since 1970 into a date of the Gregorian calendar. It counts years
// from March, so that the leap day is the last, in eras of 400 years.
func civil(days int64) (year, month, dom int) {
	const era = 146_097
	z := days + daysToEpoch
	eras := floorDiv(z, era)
	doe := z - eras*era
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dom = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	y := yoe + eras*400
	if month > 12 {
		month -= 12
		y++
	}
	return int(y), month, dom
}

// daysOf is the inverse of civil. A day beyond the end of its month runs on into the
// next one.
func daysOf(year, month, dom int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
		month += 12
	}
	eras := floorDiv(y, 400)
	yoe := y - eras*400
	doy := int64(153*(month-3)+2)/5 + int64(dom) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return eras*146_097 + doe - daysToEpoch
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
