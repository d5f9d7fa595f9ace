package edgefront_test

import (
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// Those who are no members have so many connections open from one address; members are not counted, a place is free when
// its connection has ended, and a refused one holds none.
func TestStrangersAreBounded(t *testing.T) {
	o := patient()
	o.StrangersPerNetwork = 2
	g := newGateway(t, o)
	alice := g.register("alice")
	g.room("chat", nil, alice)
	const path = "/agents/alice/chat"
	first := g.attach(path, "")
	stream := g.listen(path)
	require.Equal(t, 200, stream.resp.StatusCode)
	for range 3 {
		g.attach(path, alice.key)
		l := g.dial(path)
		l.send(attachText(""))
		require.Contains(t, l.next(), `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"too many connections`)
		require.Equal(t, websocket.CloseError{Code: 1013, Reason: "too many connections"}, l.ended())
		resp, body := g.request("GET", path, "")
		require.Equal(t, 429, resp.StatusCode, body)
		require.Equal(t, "30", resp.Header.Get("Retry-After"))
		resp, body = g.request("POST", path+"/rpc/getTurn", "")
		require.Equal(t, 403, resp.StatusCode, "a call holds nothing: %s", body)
	}
	require.NoError(t, first.conn.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool {
		l := g.dial(path)
		l.send(attachText(""))
		text := l.next()
		return text[:len(attachedText)] == attachedText
	}, patience, 10*time.Millisecond)
}

const attachedText = `{"json":{"v":2,"kind":"attached"`
