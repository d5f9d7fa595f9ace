package isotime

import (
	"strings"
	"time"
)

// Parse reads a time in ISO 8601: a date, or a date and a time of day after a T or a space, to the hour or finer, with a
// point or comma before fractions. Date and time of day may lack their hyphens and colons, and the date may name a week,
// as in 2026-W05-6. Z or an offset of hours or hours and minutes may follow the time of day; without one it is UTC. These
// are the forms that the language of the Switch protocol's reference server takes. Fractions finer than a nanosecond are
// cut off.
func Parse(text string) (time.Time, bool) {
	date, clock, hasClock := cutAny(text, "Tt ")
	day, ok := parseDate(date)
	if !ok || !hasClock {
		return day, ok
	}
	clock, zone := splitZone(clock)
	sinceMidnight, ok := parseClock(clock)
	if !ok {
		return time.Time{}, false
	}
	offset, ok := parseZone(zone)
	if !ok {
		return time.Time{}, false
	}
	return day.Add(sinceMidnight - offset), true
}

func cutAny(text, separators string) (before, after string, found bool) {
	i := strings.IndexAny(text, separators)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

func splitZone(clock string) (rest, zone string) {
	if i := strings.IndexAny(clock, "Zz+-"); i >= 0 {
		return clock[:i], clock[i:]
	}
	return clock, ""
}

func parseDate(date string) (time.Time, bool) {
	if strings.ContainsAny(date, "Ww") {
		return parseWeekDate(date)
	}
	for _, layout := range []string{time.DateOnly, "20060102"} {
		if t, err := time.Parse(layout, date); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseWeekDate reads YYYY-Www, YYYY-Www-D and both without hyphens. Week 1 is
// the one with January 4th; days count from Monday.
func parseWeekDate(date string) (time.Time, bool) {
	yearText, rest, _ := cutAny(date, "Ww")
	extended := strings.HasSuffix(yearText, "-")
	weekText, dayText := rest, "1"
	if len(rest) > 2 {
		weekText, dayText = rest[:2], rest[2:]
		if extended {
			var hyphen bool
			if dayText, hyphen = strings.CutPrefix(dayText, "-"); !hyphen {
				return time.Time{}, false
			}
		}
	}
	year, okYear := digits(strings.TrimSuffix(yearText, "-"), 4)
	week, okWeek := digits(weekText, 2)
	weekday, okDay := digits(dayText, 1)
	if !okYear || !okWeek || !okDay || weekday < 1 || weekday > 7 {
		return time.Time{}, false
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	day := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	// A week 53 of a year without one, and a week 0, belong to other years.
	if isoYear, isoWeek := day.ISOWeek(); isoYear != year || isoWeek != week {
		return time.Time{}, false
	}
	return day, true
}

// parseClock reads hh, hh:mm, hh:mm:ss and hh:mm:ss with a fraction, or the
// same without colons.
func parseClock(clock string) (time.Duration, bool) {
	clock, fraction, hasFraction := cutAny(clock, ".,")
	parts, ok := pairs(clock)
	if !ok || len(parts) > 3 || parts[0] > 23 || hasFraction && len(parts) != 3 {
		return 0, false
	}
	d := time.Duration(parts[0]) * time.Hour
	for i, unit := range []time.Duration{time.Minute, time.Second} {
		if i+1 < len(parts) {
			if parts[i+1] > 59 {
				return 0, false
			}
			d += time.Duration(parts[i+1]) * unit
		}
	}
	if !hasFraction {
		return d, true
	}
	nanoseconds, ok := parseFraction(fraction)
	return d + nanoseconds, ok
}

func parseFraction(fraction string) (time.Duration, bool) {
	if fraction == "" || strings.Trim(fraction, "0123456789") != "" {
		return 0, false
	}
	n, ok := digits((fraction + "000000000")[:9], 9)
	return time.Duration(n), ok
}

// parseZone returns how far the zone is ahead of UTC.
func parseZone(zone string) (time.Duration, bool) {
	switch zone {
	case "", "Z", "z":
		return 0, true
	}
	parts, ok := pairs(zone[1:])
	if !ok || len(parts) > 2 || parts[0] > 23 {
		return 0, false
	}
	offset := time.Duration(parts[0]) * time.Hour
	if len(parts) == 2 {
		if parts[1] > 59 {
			return 0, false
		}
		offset += time.Duration(parts[1]) * time.Minute
	}
	if zone[0] == '-' {
		offset = -offset
	}
	return offset, zone[0] == '+' || zone[0] == '-'
}

// pairs reads numbers of two digits, all of them or none with colons between.
func pairs(text string) ([]int, bool) {
	if colons := strings.Count(text, ":"); colons > 0 {
		if len(text) != 3*colons+2 {
			return nil, false
		}
		for i := range colons {
			if text[3*i+2] != ':' {
				return nil, false
			}
		}
		text = strings.ReplaceAll(text, ":", "")
	}
	if text == "" || len(text)%2 != 0 {
		return nil, false
	}
	numbers := make([]int, 0, 3)
	for i := 0; i < len(text); i += 2 {
		n, ok := digits(text[i:i+2], 2)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// digits reads exactly count digits.
func digits(text string, count int) (int, bool) {
	if len(text) != count {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, true
}
