package edgefront_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// Whatever a client says, before or after it was admitted: it is answered or its socket is closed with a code that names
// its fault, and nothing changes.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		pingText, helloText, attachText(""), attachText("nonsense"), callText("1", "post_message", `,"args":["x"]`),
		callText("1", "post_message", `,"args":7`), `{"json":{"v":2,"kind":"attach","cursors":{"events":1e3},"subscribe":["events"]}}`,
		`null`, ``, "\xff", `{"json":{"v":1,"kind":"ping"},"meta":{"values":[["undefined"]],"v":1}}`,
	} {
		f.Add([]byte(seed))
	}
	g := newGateway(f, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	before := g.node.Applied()
	f.Fuzz(func(t *testing.T, text []byte) {
		g.t = t
		for _, first := range []string{"", pingText} {
			l := g.dial("/agents/alice/chat")
			if first != "" {
				l.send(first)
				l.until("pong")
			}
			require.NoError(t, l.conn.Write(context.Background(), websocket.MessageText, text))
			// A refusal may come before the ping is written.
			_ = l.conn.Write(context.Background(), websocket.MessageText, []byte(pingText))
			for {
				got, err := l.raw()
				if err != nil {
					code := websocket.CloseStatus(err)
					require.Contains(t, []websocket.StatusCode{1002, 1007, 1008, 1009}, code, "%q: %v", text, err)
					require.Equal(t, !utf8.Valid(text), code == 1007)
					break
				}
				if got == pongText {
					break
				}
			}
			_ = l.conn.CloseNow()
		}
		require.Equal(t, before, g.node.Applied(), "nothing changed")
	})
}

// Whatever a call brings, it is answered with a frame and a status that fits, and nothing changes.
func FuzzCallBodies(f *testing.F) {
	for _, seed := range []string{``, `[]`, `[{}]`, `{"json":[null],"meta":{"values":{"0":["undefined"]}}}`, `{"json":{}}`, `[1]x`, "[\"\xff\"]"} {
		f.Add("listParticipants", seed)
		f.Add("readContext", seed)
	}
	f.Add("%2F", "[]")
	g := newGateway(f, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	before := g.node.Applied()
	f.Fuzz(func(t *testing.T, method, body string) {
		if method != "listParticipants" && method != "readContext" {
			// What changes something is not called.
			method = "no" + method
		}
		req := httptest.NewRequest(http.MethodPost, "/agents/alice/chat/rpc/x", strings.NewReader(body))
		req.URL.Path = "/agents/alice/chat/rpc/" + method
		req.Header.Set("Authorization", "Bearer "+alice.key)
		w := httptest.NewRecorder()
		g.front.Handler().ServeHTTP(w, req)
		require.Contains(t, []int{200, 400, 403, 404, 500}, w.Code, "%s %q", method, body)
		kind := `"kind":"error"`
		if w.Code == 200 {
			kind = `"kind":"result"`
		}
		require.Contains(t, w.Body.String(), kind)
		require.NotContains(t, w.Body.String(), "internal error")
		require.Equal(t, before, g.node.Applied(), "nothing changed")
	})
}
