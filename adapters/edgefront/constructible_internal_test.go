package edgefront

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/edgeframes/superjson"
)

// One member must not be able to write what makes every frame with the state unreadable for the JavaScript clients.
func TestOnlyWhatJavaScriptCanBuildIsKept(t *testing.T) {
	for _, source := range []string{
		"(", ")", "[", "[\\", "a**", "?", "\\", "(?<n>a)(?<n>b)", "(?i)a", "{1}", "a{2,1}", "[b-a]", "^*", "(?<=a)*", "a{99999999999}", "(?", "[😀-😎]", "\\u{1}*{",
		"\\k<n>(?<n>a)(?<m", "a|*",
	} {
		require.False(t, soundRegExp(source, ""), source)
		_, err := logged(superjson.Array{superjson.RegExp{Source: source}})
		require.ErrorIs(t, err, errNoValue, source)
	}
	require.False(t, soundRegExp("a", "gg"))
	require.False(t, soundRegExp("a", "x"))
	require.False(t, soundRegExp(`\p{X}`, "u"))
	require.False(t, soundRegExp(`\-`, "u"))
	for _, source := range []string{
		"", "(?:)", "a", `a\/b`, "^[a-z0-9_-]+$", `\d{3,4}?-\d+`, "(?<y>\\d{4})-(?<m>..)", "(?=a)b|(?!c)", `[^\]\-]*`, "a(b(c)*)?", "é😀", `\u00e9\x41`, "(a)\\1",
		"[^]", "[]",
	} {
		require.True(t, soundRegExp(source, "gi"), source)
	}
	for _, href := range []string{
		"http://a b/", "http://a:99999/", "http://[zz]/", "http://%zz/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http:", "http:///", "https://u@/", "ws://a<b",
		"file://a:80/", "x://[1", "http://xn--a/", "no scheme", "http://a\\b", "http://0x1/", "",
	} {
		require.False(t, soundURL(href), href)
		_, err := logged(superjson.NewObject(superjson.Member{Key: "u", Value: superjson.URL{Href: href}}))
		require.ErrorIs(t, err, errNoValue, href)
	}
	for _, href := range []string{
		"https://example.com/", "http://user:pass@h.example:8080/p?q=1#f", "ws://127.0.0.1:1/", "http://[::1]:8080/", "mailto:a@b.c", "data:,x", "file:///etc/x", "urn:a:b",
		"redis://localhost/0",
	} {
		require.True(t, soundURL(href), href)
	}
}
