package superjson

import "time"

// parseDate reads what the JavaScript Date constructor reads of ISO 8601: a year of
// four digits or of a sign and six, optionally month and day, optionally a time with
// optional seconds, any number of fraction digits (cut to milliseconds) and an
// offset. A time without an offset counts as UTC: the sender's own zone is not in
// the text. Other text gives the invalid Date, never an error.
func parseDate(s string) Date {
	p := dateParser{rest: s, ok: true}
	year, month, day := p.date()
	var hour, minute, sec, ms, offset int
	if p.rest != "" {
		p.either("Tt ")
		hour, minute, sec, ms = p.clock()
		offset = p.offset()
	}
	if !p.ok || p.rest != "" {
		return InvalidDate()
	}
	// time.Date carries the 30th of February over into March, as JavaScript does.
	t := time.Date(year, time.Month(month), day, hour, minute-offset, sec, ms*int(time.Millisecond), time.UTC)
	return DateOf(t)
}

type dateParser struct {
	rest string
	ok   bool
}

func (p *dateParser) date() (year, month, day int) {
	month, day = 1, 1
	switch {
	case p.take('+'):
		year = p.digits(6, 0, 999_999)
	case p.take('-'):
		// The sign of a year zero is refused by ECMAScript.
		year = -p.digits(6, 1, 999_999)
	default:
		year = p.digits(4, 0, 9999)
	}
	if p.take('-') {
		month = p.digits(2, 1, 12)
		if p.take('-') {
			day = p.digits(2, 1, 31)
		}
	}
	return year, month, day
}

func (p *dateParser) clock() (hour, minute, sec, ms int) {
	hour = p.digits(2, 0, 24)
	p.either(":")
	minute = p.digits(2, 0, 59)
	if p.take(':') {
		sec = p.digits(2, 0, 59)
		if p.take('.') {
			ms = p.fraction()
		}
	}
	if hour == 24 && (minute != 0 || sec != 0 || ms != 0) {
		p.ok = false
	}
	return hour, minute, sec, ms
}

// offset returns the minutes east of UTC.
func (p *dateParser) offset() int {
	sign := 1
	switch {
	case p.rest == "" || p.take('Z') || p.take('z'):
		return 0
	case p.take('-'):
		sign = -1
	default:
		p.either("+")
	}
	hours := p.digits(2, 0, 23)
	p.take(':')
	return sign * (hours*60 + p.digits(2, 0, 59))
}

func (p *dateParser) fraction() int {
	ms, n := 0, 0
	for ; p.rest != "" && p.rest[0] >= '0' && p.rest[0] <= '9'; n++ {
		if n < 3 {
			ms = ms*10 + int(p.rest[0]-'0')
		}
		p.rest = p.rest[1:]
	}
	if n == 0 {
		p.ok = false
	}
	for ; n < 3; n++ {
		ms *= 10
	}
	return ms
}

func (p *dateParser) digits(n, low, high int) int {
	if len(p.rest) < n {
		p.ok, p.rest = false, ""
		return low
	}
	v := 0
	for i := range n {
		c := p.rest[i]
		if c < '0' || c > '9' {
			p.ok = false
			return low
		}
		v = v*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	if v < low || v > high {
		p.ok = false
	}
	return v
}

func (p *dateParser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *dateParser) either(of string) {
	for i := range len(of) {
		if p.take(of[i]) {
			return
		}
	}
	p.ok = false
}
