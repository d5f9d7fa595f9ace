package superjson

import "strings"

// Paths address the JSON form of a value: keys and indices joined by dots, where a
// Set is its array and a Map its array of pairs.

// forbidden are the keys through which JavaScript would reach a prototype
// (CWE-1321).
func forbidden(key string) bool {
	return key == "__proto__" || key == "prototype" || key == "constructor"
}

// appendEscaped adds key as one segment, as release 2.2.3 and later write it.
func appendEscaped(dst []byte, key string) []byte {
	for i := range len(key) {
		if key[i] == '.' || key[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, key[i])
	}
	return dst
}

// escapedLen is the length of what appendEscaped adds.
func escapedLen(key string) int {
	return len(key) + strings.Count(key, ".") + strings.Count(key, `\`)
}

// pathReader takes a path apart, a segment at a time. Even an empty path has one
// segment, the empty key.
type pathReader struct {
	rest   string
	legacy bool
	done   bool
}

// next returns the next segment, or false after the last.
func (p *pathReader) next() (seg string, ok bool, err error) {
	if p.done {
		return "", false, nil
	}
	if i := strings.IndexAny(p.rest, `.\`); i < 0 {
		seg, p.done = p.rest, true
	} else if p.rest[i] == '.' {
		seg, p.rest = p.rest[:i], p.rest[i+1:]
	} else if seg, err = p.unescape(i); err != nil {
		return "", false, err
	}
	if forbidden(seg) {
		return "", false, fault(ErrForbiddenKey, "%s", seg)
	}
	return seg, true, nil
}

// unescape reads a segment with a backslash at i. Before release 2.2.3 only dots
// were escaped, and a backslash before anything else stood for itself.
func (p *pathReader) unescape(i int) (string, error) {
	var b strings.Builder
	b.WriteString(p.rest[:i])
	for ; i < len(p.rest); i++ {
		c := p.rest[i]
		if c == '.' {
			p.rest = p.rest[i+1:]
			return b.String(), nil
		}
		if c == '\\' {
			var after byte
			if i+1 < len(p.rest) {
				after = p.rest[i+1]
			}
			switch {
			case after == '.' || after == '\\' && !p.legacy:
				c = after
				i++
			case !p.legacy:
				return "", fault(ErrPath, "%s", quote(p.rest))
			}
		}
		b.WriteByte(c)
	}
	p.done = true
	return b.String(), nil
}
