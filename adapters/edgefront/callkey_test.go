package edgefront_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepeatedCalls: a call that comes again with its key, on another connection and over HTTP too, does nothing twice and
// has the answer of the first.
func TestRepeatedCalls(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	g.room("other", nil, alice)
	const path = "/agents/alice/chat"
	answer := func(key, path, method, args string) string {
		l := g.dial(path)
		defer l.conn.CloseNow()
		l.send(attachText(key))
		l.send(callText("c1", method, `,"args":`+args))
		return l.until(`"id":"c1"`)
	}
	const once = `[{"body":"once","idempotency_key":"k1"}]`
	first := answer(alice.key, path, "postMessage", once)
	require.Contains(t, first, `"value":{"event_id":"msg_`)
	require.Equal(t, first, answer(alice.key, path, "postMessage", once))
	require.Equal(t, first, answer(alice.key, path, "post_message", once))
	resp, body := g.request("POST", path+"/rpc/postMessage", once, "Authorization", "Bearer "+alice.key)
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, strings.Replace(g.plain(first), `"c1"`, `"h1"`, 1), body)
	require.Equal(t, 1, mustTurn(t, g, room))

	const reused = `"code":"method_error","message":"idempotency key was used for another request"`
	require.Contains(t, answer(alice.key, path, "postMessage", `[{"body":"twice","idempotency_key":"k1"}]`), reused)
	require.Contains(t, answer(alice.key, path, "emitEvent", `[{"type":"x","idempotency_key":"k1"}]`), reused)
	require.Contains(t, answer(alice.key, "/agents/alice/other", "postMessage", once), reused)
	require.Equal(t, 1, mustTurn(t, g, room))
	require.Contains(t, answer(bob.key, path, "postMessage", once), `"value":{"event_id"`, "a key is its agent's own")
	require.Equal(t, 2, mustTurn(t, g, room))

	state := answer(alice.key, path, "setRoomState", `[{"patch":{"n":1},"idempotency_key":"k2"}]`)
	require.Contains(t, state, `"changed":true`)
	require.Equal(t, state, answer(alice.key, path, "setRoomState", `[{"patch":{"n":1},"idempotency_key":"k2"}]`))
}

// TestKeysOfRequests: a call over HTTP may have its key in the header.
func TestKeysOfRequests(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	post := func(key, body string) (int, string) {
		resp, text := g.request("POST", "/agents/alice/chat/rpc/postMessage", body,
			"Authorization", "Bearer "+alice.key, "Idempotency-Key", key)
		return resp.StatusCode, text
	}
	for range 3 {
		status, _ := post("k1", `["once"]`)
		require.Equal(t, 200, status)
	}
	require.Equal(t, 1, mustTurn(t, g, room))
	for _, c := range []struct {
		key, body string
		status    int
		want      string
	}{
		{"k1", `["twice"]`, 500, "was used for another request"},
		{"k 2", `["x"]`, 400, `"code":"protocol_error","message":"Idempotency-Key must be 1 to 255`},
		{strings.Repeat("k", 256), `["x"]`, 400, "Idempotency-Key must be"},
		{"k3", `[{"body":"x","idempotency_key":"k4"}]`, 500, "two keys for one call"},
		{"", `[{"body":"x","idempotency_key":""}]`, 500, `argument \"idempotency_key\" must be 1 to 255`},
		{"", `[{"body":"x","idempotency_key":"é"}]`, 500, `argument \"idempotency_key\" must be 1 to 255`},
		{"", `[{"body":"x","idempotency_key":5}]`, 500, `argument \"idempotency_key\" must be a string`},
	} {
		status, text := post(c.key, c.body)
		require.Equal(t, c.status, status, "%+v: %s", c, text)
		require.Contains(t, text, c.want)
	}
	require.Equal(t, 1, mustTurn(t, g, room))
	for range 2 {
		status, _ := post("", `[{"body":"no key","idempotency_key":null}]`)
		require.Equal(t, 200, status)
	}
	require.Equal(t, 3, mustTurn(t, g, room))
}
