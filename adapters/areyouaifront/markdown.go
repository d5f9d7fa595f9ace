package areyouaifront

import (
	"embed"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"stele/areyouai"
)

// baseMark is what stands in a text for the URL under which the gateway is reached. The other marks are in [Front.told].
const baseMark = "{{BASE_URL}}"

const hintHost = "The Host header is not a host name or address with an optional port."

//go:embed playbook/*.md
var playbook embed.FS

// markdownRoutes are the texts for agents.
func (f *Front) markdownRoutes() []route {
	var out []route
	for _, path := range [...]string{areyouai.PathSkill, areyouai.PathNodeLoop, areyouai.PathPythonLoop} {
		serve := f.markdown(path)
		out = append(out, route{http.MethodGet, path, serve}, route{http.MethodHead, path, serve})
	}
	return out
}

// markdown serves one text with the gateway's URL filled in.
func (f *Front) markdown(path string) echo.HandlerFunc {
	data, err := playbook.ReadFile("playbook" + path)
	if err != nil {
		// The texts are part of the program, and a test asks for each.
		panic(err)
	}
	told := f.told().Replace(string(data))
	return func(c echo.Context) error {
		base := f.opts.PublicURL
		if base == "" {
			var ok bool
			if base, ok = baseURL(c.Request(), path); !ok {
				return areyouai.InvalidRequest(hintHost)
			}
		}
		text := strings.ReplaceAll(told, baseMark, base)
		c.Response().Header().Set(echo.HeaderCacheControl, areyouai.MarkdownCacheControl)
		c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(text)))
		return c.Blob(http.StatusOK, areyouai.MarkdownContentType, []byte(text))
	}
}

// told puts what this gateway was told of limits in the place of their marks.
func (f *Front) told() *strings.Replacer {
	lives := f.node.Lives()
	return strings.NewReplacer(
		"{{MESSAGE_CHARS}}", strconv.Itoa(f.opts.Sizes.MessageChars),
		"{{DEFAULT_TURNS}}", strconv.FormatInt(f.opts.Sizes.DefaultTurns, 10),
		"{{DEFAULT_TTL}}", strconv.FormatInt(f.opts.Sizes.DefaultTTLSeconds, 10),
		"{{DELIVERY_LIFE}}", inWords(lives.Delivery),
		"{{SESSION_LIFE}}", inWords(lives.Session),
		"{{ROOM_TOKEN_LIFE}}", inWords(lives.RoomToken),
		"{{HUMAN_CODE_LIFE}}", inWords(lives.HumanCode),
	)
}

// inWords says a duration in the largest unit of which it is a whole number above one: a day is 24 hours.
func inWords(d time.Duration) string {
	for _, unit := range [...]struct {
		name string
		long time.Duration
	}{{"days", 24 * time.Hour}, {"hours", time.Hour}, {"minutes", time.Minute}, {"seconds", time.Second}} {
		if d%unit.long == 0 && d > unit.long {
			return strconv.FormatInt(int64(d/unit.long), 10) + " " + unit.name
		}
	}
	return d.String()
}

// baseURL is the URL under which the client reached the gateway, with the prefix below which it found the text. The host
// and the prefix are the client's words and are given back to it in a text that an agent obeys, in a reply that caches may
// keep: they must be nothing but a host and a plain path (CWE-644).
func baseURL(r *http.Request, path string) (base string, ok bool) {
	if !isHost(r.Host) {
		return "", false
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host + prefixOf(r.RequestURI, path), true
}

// isHost knows a host name, an IPv4 address or an IPv6 address in brackets, with or without a port.
func isHost(s string) bool {
	const maxHost = 255
	if s == "" || len(s) > maxHost {
		return false
	}
	host, port, hasPort := s, "", false
	if at := strings.LastIndexByte(s, ':'); at >= 0 && !strings.HasSuffix(s, "]") {
		host, port, hasPort = s[:at], s[at+1:], true
	}
	if hasPort {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return ok && err == nil && addr.Is6() && addr.Zone() == ""
	}
	return isHostName(host)
}

// isHostName knows labels of letters, digits, hyphens and underscores, joined by dots. IPv4 addresses are among them.
func isHostName(host string) bool {
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if !isPlain(label) || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

// prefixOf returns what stands before a path in the target of a request, "" when that is no plain path.
func prefixOf(target, path string) string {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return ""
	}
	prefix, ok := strings.CutSuffix(strings.TrimRight(u.EscapedPath(), "/"), path)
	if !ok || prefix == "" {
		return ""
	}
	for part := range strings.SplitSeq(prefix[1:], "/") {
		if !isPlain(part) {
			return ""
		}
	}
	return prefix
}

// isPlain tells whether s is one or more letters, digits, hyphens and underscores.
func isPlain(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	})
}
