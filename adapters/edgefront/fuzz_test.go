package edgefront_test

import (
	"context"
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
