package areyouaifront_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

var markdownPaths = []string{"/skill.md", "/python_loop.md", "/nodejs_loop.md"}

func TestMarkdown(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, path := range markdownPaths {
		for _, path := range []string{path, path + "/"} {
			got := g.get(path, "")
			require.Equal(t, 200, got.status, path)
			require.Equal(t, "text/markdown; charset=utf-8", got.header.Get("Content-Type"))
			require.Equal(t, "public, max-age=300", got.header.Get("Cache-Control"))
			require.True(t, utf8.ValidString(got.body))
			require.Contains(t, got.body, g.url)
			require.NotContains(t, got.body, "{{")
			head := g.do(ask{method: http.MethodHead, path: path})
			require.Equal(t, 200, head.status)
			require.Empty(t, head.body)
			for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control"} {
				require.Equal(t, got.header.Get(name), head.header.Get(name), name)
			}
		}
	}
}

// TestMarkdownNamesThePublicURL: the configured one, whatever the client says.
func TestMarkdownNamesThePublicURL(t *testing.T) {
	g := newGate(t, areyouaifront.Options{PublicURL: "https://stele.example/base/"})
	body := g.get("/skill.md", "").body
	require.Contains(t, body, "BASE='https://stele.example/base'\n")
	require.NotContains(t, body, g.url)
}

// fetch asks for the playbook as a client does that reaches the gateway in a certain way.
func fetch(g *gate, target, host string, secure bool) answer {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = host
	if secure {
		r.TLS = &tls.ConnectionState{}
	}
	w := httptest.NewRecorder()
	http.StripPrefix("/areyouai", described(g.t, g.front.Handler())).ServeHTTP(w, r)
	return answer{status: w.Code, header: w.Result().Header, body: w.Body.String()}
}

// TestMarkdownTrustsNoHost: what is echoed into the text is a host and nothing else.
func TestMarkdownTrustsNoHost(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, host := range []string{
		"stele.example", "stele.example:8443", "STELE.example.", "localhost", "my_host:1", "10.0.0.1:80", "[::1]:8080", "[2001:db8::1]", "xn--bcher-kva.example",
	} {
		got := fetch(g, "/areyouai/skill.md", host, false)
		require.Equal(t, 200, got.status, host)
		require.Contains(t, got.body, "BASE='http://"+host+"/areyouai'\n")
	}
	require.Contains(t, fetch(g, "/areyouai/skill.md/?q=1", "h", true).body, "BASE='https://h/areyouai'\n")
	for _, host := range []string{
		"", " ", "h h", "h'; rm -rf ~; '", "h/evil", "h?x", "h#x", "user@h", "h:", "h:0", "h:65536", "h:-1", "h:8080:8080", "h:8x", "::1", "[::1", "[::1]x",
		"[127.0.0.1]", "[fe80::1%25eth0]", "[::1]:x", "-h", "h-", "a..b", ".", "h`id`", "$(id)", "héé", "h\n", "\x00", "<b>", "{{BASE_URL}}", strings.Repeat("h", 256),
	} {
		got := fetch(g, "/areyouai/skill.md", host, false)
		require.Equal(t, 400, got.status, "%q", host)
		require.Equal(t, "invalid_request", got.code())
		require.NotContains(t, got.body, "evil")
	}
}

// TestMarkdownTrustsNoPrefix: nor does a strange path get into the text.
func TestMarkdownTrustsNoPrefix(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	for _, target := range []string{"/areyouai/skill.md", "/a'b/skill.md", "/x;y/skill.md", "/%0a/skill.md", "/../skill.md", "//evil/skill.md"} {
		r := httptest.NewRequest(http.MethodGet, "/skill.md", nil)
		r.RequestURI, r.Host = target, "h"
		w := httptest.NewRecorder()
		g.front.Handler().ServeHTTP(w, r)
		want := "BASE='http://h'\n"
		if target == "/areyouai/skill.md" {
			want = "BASE='http://h/areyouai'\n"
		}
		require.Contains(t, w.Body.String(), want, target)
	}
}

// TestPlaybookNamesOnlyWhatThereIs: every path, field of a path and error code in the texts is the protocol's, and every
// recoverable code is explained.
func TestPlaybookNamesOnlyWhatThereIs(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	body := g.get("/skill.md", "").body
	known := map[string]bool{}
	for _, e := range areyouai.NewCapabilities().Endpoints {
		known[e.Path] = true
	}
	id := strings.NewReplacer("$ROOM", "{id}", "$LISTING", "{id}")
	paths := regexp.MustCompile(`\$BASE(/v1/[a-zA-Z/$-]+)`).FindAllStringSubmatch(body, -1)
	require.NotEmpty(t, paths)
	for _, m := range paths {
		require.True(t, known[id.Replace(m[1])], m[1])
	}
	for _, e := range areyouai.NewCapabilities().ErrorCodes {
		if e.Status == 409 || e.Recoverable && e.Status < 500 {
			require.Contains(t, body, "`"+string(e.Error)+"`")
		}
	}
	for _, code := range regexp.MustCompile("[0-9]{3} `([a-z_]+)`").FindAllStringSubmatch(body, -1) {
		require.NotEqual(t, areyouai.CodeInternalError, areyouai.NewError(areyouai.Code(code[1])).Code, code[1])
	}
}

func TestStateMachine(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	states := []string{"OPEN", "ACTIVE", "CLOSED", "PURGED", "open", ""}
	allowed := map[string]bool{"OPEN ACTIVE": true, "OPEN CLOSED": true, "ACTIVE CLOSED": true, "CLOSED PURGED": true}
	before := g.node.Applied()
	for _, from := range states {
		for _, to := range states {
			got := g.post("/v1/rooms/state-machine", "", `{"current":"`+from+`","next":"`+to+`"}`)
			if allowed[from+" "+to] {
				require.Equal(t, 200, got.status, "%s to %s", from, to)
				require.Equal(t, `{"result":"ok"}`+"\n", got.body)
				continue
			}
			require.Equal(t, 409, got.status, "%s to %s", from, to)
			require.Equal(t, "conflict", got.code())
		}
	}
	for name, body := range badBodies() {
		requireError(t, g.post("/v1/rooms/state-machine", "", body), "%s", name)
	}
	require.Equal(t, before, g.node.Applied())
}
