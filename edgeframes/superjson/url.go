package superjson

import "strings"

// URL is an absolute address, kept as text and never fetched or resolved.
type URL struct {
	// Href is the address as it came. The browser's own form adds a slash after
	// a bare host and escapes blanks; neither is done here.
	Href string

	mark *mark
}

// String returns the address.
func (u URL) String() string { return u.Href }

// Kind implements [Value].
func (URL) Kind() Kind { return KindURL }
func (URL) value()     {}

// validURL applies the two checks that make the URL constructor of JavaScript throw
// in practice: a scheme is needed, and the web schemes need a host.
func validURL(s string) bool {
	s = strings.TrimSpace(s)
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isSchemeStart(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isSchemeStart(c) && (c < '0' || c > '9') && !strings.ContainsRune("+-.", rune(c)) {
			return false
		}
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp":
		host := strings.TrimLeft(rest, `/\`)
		return host != "" && !strings.ContainsRune("?#:", rune(host[0]))
	}
	return true
}

func isSchemeStart(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
