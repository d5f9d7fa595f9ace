package areyouaifront_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// badBodies are bodies that no route with a body accepts, whatever it wants.
func badBodies() map[string]string {
	return map[string]string{
		"empty": "", "white": " \n", "text": "hello", "array": `[]`, "null": `null`, "number": `7`, "string": `"x"`,
		"open": `{`, "two": `{}{}`, "comma": `{"a":1,}`, "single quotes": `{'a':1}`, "BOM": "\xef\xbb\xbf{}",
		"bad UTF-8":     "{\"name\":\"\xff\",\"api_key\":\"\xff\",\"topic\":\"\xff\"}",
		"lone escape":   `{"name":"\u12"}`,
		"control":       "{\"name\":\"a\nb\"}",
		"deep":          strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"deep arrays":   `{"name":"n","topic":"t","api_key":"k","turn_index":0,"expected_turn":0,"ciphertext":"c","bundle_hash":"h","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"wrong types":   `{"name":7,"api_key":[],"topic":{},"turn_index":"0","expected_turn":"0","ciphertext":1,"bundle_hash":null}`,
		"fractions":     `{"topic":"t","max_turns":1.5,"turn_index":0.5,"expected_turn":0.5,"ciphertext":"c","bundle_hash":"h","name":1,"api_key":1}`,
		"huge number":   `{"topic":"t","max_turns":1e400,"turn_index":1e400,"expected_turn":99999999999999999999,"ciphertext":"c","bundle_hash":"h","name":1,"api_key":1}`,
		"blank":         `{"name":" ","api_key":" ","topic":" ","ciphertext":" ","bundle_hash":" "}`,
		"missing":       `{"x":1}`,
		"negative":      `{"turn_index":-1}`,
		"long name":     `{"name":"` + strings.Repeat("n", 300) + `","topic":"` + strings.Repeat("t", 2000) + `"}`,
		"too many tags": `{"topic":"t","tags":[` + strings.Repeat(`"x",`, 99) + `"x"]}`,
		"too large":     `{"name":"n","topic":"t","x":"` + strings.Repeat("x", areyouai.MaxBodyBytes) + `"}`,
	}
}

// TestMalformedBodies: for each route with a body the protocol's own error, no 500, nothing changed.
func TestMalformedBodies(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.room()
	before := g.node.Applied()
	for _, path := range []string{"/v1/agent/register", "/v1/agent/login", "/v1/listings", r.path("/context/ack"), r.path("/messages")} {
		for name, body := range badBodies() {
			got := g.post(path, r.a.token, body)
			requireError(t, got, "%s %s", path, name)
			want := []int{400}
			switch name {
			case "too large":
				want = []int{413}
			case "long name":
				want = []int{400, 401}
			}
			require.Contains(t, want, got.status, "%s %s: %s", path, name, got.body)
		}
	}
	for _, path := range []string{"/v1/listings/" + r.listing + "/connect", r.path("/close")} {
		got := g.post(path, r.a.token, badBodies()["too large"])
		requireError(t, got, "%s", path)
		require.Equal(t, 413, got.status)
	}
	require.Equal(t, before, g.node.Applied())
}

// requireError checks the protocol's error shape.
func requireError(t *testing.T, got answer, format string, args ...any) {
	t.Helper()
	name := fmt.Sprintf(format, args...)
	require.GreaterOrEqual(t, got.status, 400, name)
	require.Less(t, got.status, 500, name)
	require.Equal(t, "application/json", got.header.Get("Content-Type"), name)
	require.NotEmpty(t, got.header.Get("X-Request-Id"), name)
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.body), &fields), name)
	require.True(t, strings.HasSuffix(got.body, "}\n"), name)
	require.EqualValues(t, got.status, fields["status"], name)
	require.IsType(t, true, fields["recoverable"], name)
	require.NotEmpty(t, fields["error"], name)
}

// TestMalformedPathsAndQueries: for every route with an id or a query.
func TestMalformedPathsAndQueries(t *testing.T) {
	g := newGate(t, unlimited())
	p := g.person("p")
	before := g.node.Applied()
	ids := []string{
		"x", "%00", "%2F", "..%2F..", "%0d%0aX-Evil:1", "room_" + strings.Repeat("x", 8000), "%ff%fe", "*", "room_%F0%9F%98%80", "{id}", "%25", "-1",
	}
	for _, id := range ids {
		for path, method := range routes {
			path = strings.TrimSuffix(path, "/")
			if !strings.Contains(path, "/x/") {
				continue
			}
			for _, query := range []string{"", "?since=1", "?since=%ff", "?since=1;limit=2", "?%zz&limit=%", "?limit=-1&since="} {
				got := g.do(ask{method: method, path: strings.Replace(path, "/x/", "/"+id+"/", 1) + query, token: p.token, body: `{"turn_index":0,"expected_turn":0,"ciphertext":"c","bundle_hash":"h"}`})
				if got.status == 501 {
					continue
				}
				requireError(t, got, "%s %s%s", path, id, query)
				require.Empty(t, got.header.Get("X-Evil"))
			}
		}
	}
	for _, q := range []string{"%ff", "%00", strings.Repeat("q", 8000), "%3B", "+"} {
		require.Equal(t, 200, g.get("/v1/listings/search?q="+q, "").status, q)
	}
	require.Equal(t, before, g.node.Applied())
}

// TestHalfQueriesAreRefused: whatever part of a query does not parse, and whatever the rest says, on every route that
// reads one. The credential comes first.
func TestHalfQueriesAreRefused(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.room()
	for _, query := range []string{"since=%zz", "since=2;limit=1", "since=2&x=%", "q=a;b", "q=%e", ";"} {
		for _, path := range []string{r.path("/events"), r.path("/events/history"), "/v1/listings/search"} {
			got := g.get(path+"?"+query, r.a.token)
			require.Equal(t, 400, got.status, "%s?%s", path, query)
			require.Equal(t, `{"error":"invalid_request","status":400,"recoverable":false,"hint":"The query string cannot be read. Write it as name=value pairs joined by &, with %XX for special characters."}`+"\n", got.body)
		}
		require.Equal(t, noSession, g.get(r.path("/events?")+query, "").body)
		require.Equal(t, 200, g.get(r.path("/state?")+query, r.a.token).status, "a route that reads none does not mind")
	}
}

// TestOddNamesStayOutside: they would reach the clients of every protocol.
func TestOddNamesStayOutside(t *testing.T) {
	g := newGate(t, unlimited())
	ada := g.person("Ada")
	before := g.node.Applied()
	for _, char := range []string{`\u0000`, `\n`, `\r\n`, `\u001b[31m`, `\u007f`, `\u0085`, `\u2028`, "\u2029", "\xff"} {
		for path, body := range map[string]string{
			"/v1/agent/register": `{"name":"A%sb"}`, "/v1/listings": `{"topic":"A%sb"}`, "/v1/listings?": `{"topic":"t","tags":["A%sb"]}`,
		} {
			got := g.post(path, ada.token, fmt.Sprintf(body, char))
			requireError(t, got, "%s %q", path, char)
			require.Equal(t, "invalid_request", got.code())
			require.Contains(t, got.body, `"hint":`)
		}
	}
	got := g.post("/v1/listings", ada.token, `{"topic":"t","tags":[5]}`)
	require.Equal(t, 400, got.status)
	require.Contains(t, got.body, "each tag must be a string")
	require.Equal(t, before, g.node.Applied())
	require.Equal(t, 201, g.post("/v1/agent/register", "", `{"name":"Ada","x":[1e99999,`+strings.Repeat("7", 5000)+`]}`).status)
}

// TestBrokenRequests: what is not even whole HTTP. Nobody waits for the rest, nothing changes, the server lives on.
func TestBrokenRequests(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.room()
	before := g.node.Applied()
	for name, text := range map[string]string{
		"cut body":  "POST %s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{\"expected_turn\"",
		"bad chunk": "POST %s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = fmt.Fprintf(conn, text, r.path("/messages"), r.a.token)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			body, _ := io.ReadAll(resp.Body)
			require.Equal(t, 400, resp.StatusCode, "%s: %s", name, body)
			require.Contains(t, string(body), `"error":"invalid_request"`)
			resp.Body.Close()
		}
		conn.Close()
	}
	require.Equal(t, before, g.node.Applied())
	r.say(r.a, "still here")
}

// TestPanicIsThe500OfTheProtocol: whatever breaks inside, the client gets the protocol's shape and no detail.
func TestPanicIsThe500OfTheProtocol(t *testing.T) {
	g := newGate(t, areyouaifront.Options{})
	r := g.room()
	g.front.BreakEncoding("secret detail")
	got := g.get(r.path("/events/history"), r.a.token)
	require.Equal(t, 500, got.status)
	require.Equal(t, `{"error":"internal_error","status":500,"recoverable":true}`+"\n", got.body)
	require.Equal(t, 200, g.get("/v1/mode", "").status)
}
