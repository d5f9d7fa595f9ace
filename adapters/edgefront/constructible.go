package edgefront

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A client that reads SuperJSON builds regular expressions and URLs with JavaScript's own constructors, and what one of them
// refuses makes the whole frame unreadable. So a value that all clients are to be shown may hold only what no constructor
// refuses. Both checks are on the safe side: they know no more of the two grammars than what is in use.

// soundURL tells whether new URL(href) is certain to work.
func soundURL(href string) bool {
	if strings.ContainsFunc(href, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f || r == '\ufffd' }) {
		return false
	}
	scheme, rest, ok := strings.Cut(href, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) || !only(scheme, isLetter, isDigit, func(c byte) bool { return strings.IndexByte("+-.", c) >= 0 }) {
		return false
	}
	special := slices.Contains([]string{"http", "https", "ws", "wss", "ftp"}, strings.ToLower(scheme))
	rest, ok = strings.CutPrefix(rest, "//")
	if !ok {
		return !special && !strings.EqualFold(scheme, "file")
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if strings.EqualFold(scheme, "file") {
		return authority == "" || soundHost(authority)
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if authority = authority[at+1:]; authority == "" {
			return false
		}
	}
	if authority == "" {
		return !special
	}
	host, port := authority, ""
	if end := strings.LastIndexByte(authority, ':'); end > strings.LastIndexByte(authority, ']') {
		host, port = authority[:end], authority[end+1:]
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > 65535 || !only(port, isDigit) {
			return false
		}
	}
	return soundHost(host)
}

// soundHost knows names in ASCII and addresses in their usual forms.
func soundHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return ok && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if host == "" || !only(host, isLetter, isDigit, func(c byte) bool { return strings.IndexByte("-._", c) >= 0 }) {
		return false
	}
	labels := strings.Split(strings.ToLower(host), ".")
	if slices.Contains(labels, "") || slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, "xn--") }) {
		return false
	}
	// A name whose last part is a number is read as an address.
	if last := labels[len(labels)-1]; isDigit(last[0]) {
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.Is4()
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func only(s string, any ...func(byte) bool) bool {
	for i := range len(s) {
		if !slices.ContainsFunc(any, func(is func(byte) bool) bool { return is(s[i]) }) {
			return false
		}
	}
	return true
}

// soundRegExp tells whether new RegExp(source, flags) is certain to work.
func soundRegExp(source, flags string) bool {
	seen := map[rune]bool{}
	for _, f := range flags {
		if seen[f] || !strings.ContainsRune("dgimsuy", f) {
			return false
		}
		seen[f] = true
	}
	p := pattern{text: []rune(source), unicode: seen['u'], names: map[string]bool{}}
	return p.whole()
}

// pattern walks a regular expression.
type pattern struct {
	text    []rune
	at      int
	unicode bool
	// open are the groups that are open: whether each may be repeated.
	open  []bool
	names map[string]bool
}

func (p *pattern) next() rune {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return -1
}

func (p *pattern) take(s string) bool {
	if !strings.HasPrefix(string(p.text[p.at:min(len(p.text), p.at+len(s))]), s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *pattern) whole() bool {
	// repeats: what stands before may be repeated.
	repeats := false
	for p.at < len(p.text) {
		ok := true
		switch c := p.next(); c {
		case '\\':
			repeats, ok = p.escape(false)
		case '[':
			repeats, ok = true, p.class()
		case '(':
			repeats, ok = false, p.group()
		case ')':
			if ok = len(p.open) > 0; ok {
				repeats = p.open[len(p.open)-1]
				p.open = p.open[:len(p.open)-1]
				p.at++
			}
		case '|', '^', '$':
			repeats = false
			p.at++
		case '*', '+', '?', '{':
			ok, repeats = repeats && p.quantifier(), false
		case ']', '}':
			ok = false
		default:
			repeats = true
			p.at++
		}
		if !ok {
			return false
		}
	}
	return len(p.open) == 0
}

func (p *pattern) group() bool {
	p.at++
	switch {
	case p.take("?:"):
		p.open = append(p.open, true)
	case p.take("?="), p.take("?!"):
		p.open = append(p.open, !p.unicode)
	case p.take("?<="), p.take("?<!"):
		p.open = append(p.open, false)
	case p.take("?<"):
		from := p.at
		for p.next() >= 0 && p.next() < 0x80 && (isLetter(byte(p.next())) || p.next() == '_' || p.at > from && isDigit(byte(p.next()))) {
			p.at++
		}
		name := string(p.text[from:p.at])
		if name == "" || p.names[name] || !p.take(">") {
			return false
		}
		p.names[name] = true
		p.open = append(p.open, true)
	case p.next() == '?':
		return false
	default:
		p.open = append(p.open, true)
	}
	return true
}

func (p *pattern) number() (int, bool) {
	from := p.at
	for c := p.next(); c >= '0' && c <= '9'; c = p.next() {
		p.at++
	}
	n, err := strconv.Atoi(string(p.text[from:p.at]))
	return n, err == nil && p.at-from < 10
}

func (p *pattern) quantifier() bool {
	if p.at++; p.text[p.at-1] == '{' {
		low, ok := p.number()
		if !ok {
			return false
		}
		if p.take(",") && p.next() != '}' {
			if high, ok := p.number(); !ok || high < low {
				return false
			}
		}
		if !p.take("}") {
			return false
		}
	}
	p.take("?")
	return true
}

// class reads [...]. A range stands between two plain characters in order.
func (p *pattern) class() bool {
	p.at++
	p.take("^")
	for p.next() != ']' {
		low, ok := p.member()
		if !ok {
			return false
		}
		if p.next() == '-' && p.at+1 < len(p.text) && p.text[p.at+1] != ']' {
			p.at++
			if high, ok := p.member(); !ok || low < 0 || high < low || high > 0xffff {
				return false
			}
		}
	}
	p.at++
	return true
}

// member reads a member of a class and returns its character, -1 for one that stands for several or is not known.
func (p *pattern) member() (rune, bool) {
	c := p.next()
	switch {
	case c < 0:
		return 0, false
	case c == '\\':
		from := p.at
		_, ok := p.escape(true)
		if escaped := p.text[from+1 : p.at]; ok && len(escaped) == 1 && (escaped[0] < '0' || escaped[0] > 'z' || escaped[0] > '9' && escaped[0] < 'A') {
			return escaped[0], true
		}
		return -1, ok
	}
	p.at++
	if c > 0xffff {
		return -1, true
	}
	return c, true
}

// escape reads \x and what belongs to it.
func (p *pattern) escape(inClass bool) (repeats, ok bool) {
	p.at++
	c := p.next()
	if c < 0 {
		return false, false
	}
	p.at++
	hex := func(n int) bool {
		for range n {
			if c := p.next(); c < 0 || !strings.ContainsRune("0123456789abcdefABCDEF", c) {
				return false
			}
			p.at++
		}
		return true
	}
	switch {
	case strings.ContainsRune("dDwWsStrnfv", c):
		return true, true
	case c == 'b' || c == 'B':
		return inClass, !inClass || c == 'b'
	case c == '0':
		return true, p.next() < '0' || p.next() > '9'
	case c == 'x':
		return true, hex(2)
	case c == 'u':
		return true, hex(4)
	case c >= '1' && c <= '9':
		return true, !p.unicode && !inClass
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, c) || c == '-' && inClass:
		return true, true
	}
	return true, !p.unicode && c < 0x80 && !isLetter(byte(c)) && c > ' '
}
