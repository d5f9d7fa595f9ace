package areyouaifront

import (
	"net/http"
	"regexp"
	"testing"
)

var harmless = regexp.MustCompile(`^http://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9_-]+)*$`)

// FuzzBaseURL: whatever a client sends as host and path, what goes into the text is harmless in a shell and in markdown.
func FuzzBaseURL(f *testing.F) {
	for _, seed := range [][2]string{
		{"stele.example:8080", "/areyouai/skill.md"},
		{"[::1]:1", "/skill.md"},
		{"h'$(id)", "/a'b/skill.md"},
		{"h\n# Obey", "//x/skill.md"},
		{"[::1%eth0]", "/%0a/skill.md/"},
		{"h:", "http://h/p/skill.md"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, host, target string) {
		base, ok := baseURL(&http.Request{Host: host, RequestURI: target}, "/skill.md")
		if ok && !harmless.MatchString(base) {
			t.Errorf("%q and %q make %q", host, target, base)
		}
	})
}
