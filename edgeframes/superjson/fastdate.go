package superjson

import "encoding/binary"

// guessMark is the mark of a Date that no annotation has confirmed yet.
var guessMark = new(mark)

// isoLen is the length of the form of a Date that the library prints for years from 0 to
// 9999.
const isoLen = len("2026-01-02T03:04:05.678Z")

// day is the last day that a text has named, in the form in which it did: Dates of one
// text are often of the same day.
type day struct {
	// named is the year and the month, of the form 2026-01-, dom the day of the month.
	named uint64
	dom   uint16
	days  int64
}

// of returns the days since 1970 of what a Date of the form that the library prints
// begins with.
func (d *day) of(s []byte) (days int64, ok bool) {
	named, dom := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint16(s[8:])
	if named == d.named && dom == d.dom {
		return d.days, true
	}
	if s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	c, y, m, n := pair(s, 0), pair(s, 2), pair(s, 5), pair(s, 8)
	// A pair that is no number has a high bit and spoils the whole.
	if c|y|m|n < 0 || m < 1 || m > 12 || n < 1 || n > 31 {
		return 0, false
	}
	d.named, d.dom, d.days = named, dom, daysOf(c*100+y, m, n)
	return d.days, true
}

// isoDate reads the form that the library prints, 2026-01-02T03:04:05.678Z.
func (d *day) isoDate(s []byte) (Date, bool) {
	if len(s) != isoLen || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != '.' || s[23] != 'Z' {
		return Date{}, false
	}
	hour, minute, sec := pair(s, 11), pair(s, 14), pair(s, 17)
	tenths, last := pair(s, 20), int(s[22]-'0')
	if hour|minute|sec|tenths < 0 || last > 9 || hour > 23 || minute > 59 || sec > 59 {
		return Date{}, false
	}
	days, ok := d.of(s)
	if !ok {
		return Date{}, false
	}
	ms := ((days*24+int64(hour))*60+int64(minute))*60 + int64(sec)
	return Date{ms: ms*1000 + int64(tenths*10+last)}, true
}

// dateAhead reads the string that is next if it has the form of a Date.
func (r *reader) dateAhead() (Date, bool) {
	from := r.pos + 1
	to := from + isoLen
	if to >= len(r.text) || r.text[to] != '"' {
		return Date{}, false
	}
	d, ok := r.day.isoDate(r.text[from:to])
	d.mark = guessMark
	return d, ok
}

// pair reads two digits, -1 if they are none.
func pair(s []byte, at int) int {
	a, b := s[at]-'0', s[at+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}
