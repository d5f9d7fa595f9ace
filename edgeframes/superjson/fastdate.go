package superjson

// guessMark is the mark of a Date that no annotation has confirmed yet.
var guessMark = new(mark)

// isoLen is the length of the form of a Date that the library prints for years from 0 to
// 9999.
const isoLen = len("2026-01-02T03:04:05.678Z")

// isoDate reads the form that the library prints, 2026-01-02T03:04:05.678Z.
func isoDate(s []byte) (Date, bool) {
	if len(s) != isoLen || s[4] != '-' || s[7] != '-' || s[10] != 'T' ||
		s[13] != ':' || s[16] != ':' || s[19] != '.' || s[23] != 'Z' {
		return Date{}, false
	}
	century, year, month, dom := pair(s, 0), pair(s, 2), pair(s, 5), pair(s, 8)
	hour, minute, sec := pair(s, 11), pair(s, 14), pair(s, 17)
	tenths, last := pair(s, 20), int(s[22]-'0')
	// A pair that is no number has a high bit and spoils the whole.
	if century|year|month|dom|hour|minute|sec|tenths < 0 || last < 0 || last > 9 {
		return Date{}, false
	}
	if month < 1 || month > 12 || dom < 1 || dom > 31 || hour > 23 || minute > 59 || sec > 59 {
		return Date{}, false
	}
	days := daysOf(century*100+year, month, dom)
	ms := ((days*24+int64(hour))*60+int64(minute))*60 + int64(sec)
	return Date{ms: ms*1000 + int64(tenths*10+last)}, true
}

// pair reads two digits, -1 if they are none.
func pair(s []byte, at int) int {
	a, b := s[at]-'0', s[at+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}
