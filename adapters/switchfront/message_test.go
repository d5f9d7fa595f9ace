package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// say posts through the route for who has no connection.
func (a *agent) say(room, text string, headers ...string) reply {
	a.g.t.Helper()
	return a.g.do("POST", a.path("/message"), a.key, fmt.Sprintf(`{"room_id":%q,"content":%q}`, room, text), headers...)
}

// eventID returns the id in the answer to a message that was posted, whose bytes it checks.
func eventID(t *testing.T, r reply) string {
	t.Helper()
	require.Equal(t, 200, r.status, r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	var out struct {
		EventID string `json:"event_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &out))
	require.NotEmpty(t, out.EventID)
	require.Equal(t, `{"ok":true,"event_id":"`+out.EventID+`"}`, r.body)
	return out.EventID
}

// TestMessageWithoutConnection: it reaches the room like any other, and its author does not hear it.
func TestMessageWithoutConnection(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	heard := b.open("c-b", "&rooms="+room).hello()
	own := a.open("c-a", "&rooms="+room).hello()
	body := fmt.Sprintf(`{"metadata":{"k":[1]},"room_id":%q,"content":"@bob a session failed","extra":1}`, room)
	id := eventID(t, g.do("POST", a.path("/message"), a.key, body))
	_, data := event(t, heard.next())
	payload := data["payload"].(map[string]any)
	require.Equal(t, "@bob a session failed", payload["body"])
	require.Equal(t, id, payload["message_id"])
	require.Equal(t, true, payload["addressed"])
	require.Nil(t, payload["thread_id"])
	eventID(t, a.say(room, ""))
	require.Equal(t, "", heard.body(), "an empty message is one")
	b.post(room, "heard")
	require.Equal(t, "heard", own.body())
}

func TestMessageIsIdempotent(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room := a.room("", a, b)
	const key = "Idempotency-Key: k-1"
	first := eventID(t, a.say(room, "once", key))
	after := g.node.Applied()
	require.Equal(t, first, eventID(t, a.say(room, "once", key)))
	require.Equal(t, after, g.node.Applied(), "the repetition posts nothing")
	other := a.say(room, "twice", key)
	require.Equal(t, 409, other.status)
	require.Equal(t, `{"detail":"idempotency key was used for another request"}`, other.body)
	require.Equal(t, after, g.node.Applied())
	require.NotEqual(t, first, eventID(t, b.say(room, "once", key)), "a key is its agent's")
	require.NotEqual(t, first, eventID(t, a.say(room, "once")), "without a key every request counts")
}

func TestMessageAndTypingRefusals(t *testing.T) {
	g := newGateway(t, setup{})
	a, b := g.register("alice"), g.register("bob")
	room, foreign, closed := a.room("", a, b), b.room("", b), a.room("", a)
	_, _, err := g.node.CloseRoom(context.Background(), closed, core.CloseRoom{Actor: a.id}, nil)
	require.NoError(t, err)
	const missing = `{"detail":[{"type":"missing","loc":["body","%s"],"msg":"Field required","input":%s}]}`
	for _, tc := range []struct {
		name, path, body, header string
		status                   int
		want                     string
	}{
		{"message, unknown room", "/message", `{"room_id":"room_x","content":"x"}`, "", 404, `{"detail":"no such room"}`},
		{"message, no room", "/message", `{"room_id":"","content":"x"}`, "", 404, `{"detail":"no such room"}`},
		{"message, not a member", "/message", `{"room_id":"` + foreign + `","content":"x"}`, "", 403, `{"detail":"not a member of this room"}`},
		{"message, closed room", "/message", `{"room_id":"` + closed + `","content":"x"}`, "", 404, `{"detail":"This room takes no messages: room ` + closed + ` is CLOSED"}`},
		{"message, too long", "/message", `{"room_id":"` + room + `","content":"` + strings.Repeat("x", core.MaxMessageBytes+1) + `"}`, "", 404, ""},
		{"message, no content", "/message", `{"room_id":"r"}`, "", 422, fmt.Sprintf(missing, "content", `{"room_id":"r"}`)},
		{"message, room is a number", "/message", `{"room_id":5,"content":"x"}`, "", 422, `{"detail":[{"type":"string_type","loc":["body","room_id"],"msg":"Input should be a valid string","input":5}]}`},
		{"message, no body", "/message", ``, "", 422, `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
		{"message, too large", "/message", `{"content":"` + strings.Repeat("x", 2<<20) + `"}`, "", 413, `{"detail":"Request body is too large"}`},
		{"message, bad key", "/message", `{"room_id":"` + room + `","content":"x"}`, "Idempotency-Key: a b", 400, `{"detail":"Idempotency-Key must be 1 to 255 visible ASCII characters"}`},
		{"typing, unknown room", "/typing", `{"room_id":"room_x","is_typing":true}`, "", 404, `{"detail":"no such room"}`},
		{"typing, not a member", "/typing", `{"room_id":"` + foreign + `","is_typing":false}`, "", 403, `{"detail":"not a member of this room"}`},
		{"typing, no state", "/typing", `{"room_id":"r"}`, "", 422, fmt.Sprintf(missing, "is_typing", `{"room_id":"r"}`)},
		{"typing, no room", "/typing", `{"is_typing":true}`, "", 422, fmt.Sprintf(missing, "room_id", `{"is_typing":true}`)},
		{"typing, bad state", "/typing", `{"room_id":"r","is_typing":"maybe"}`, "", 422, `{"detail":[{"type":"bool_parsing","loc":["body","is_typing"],"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"}]}`},
		{"typing, null state", "/typing", `{"room_id":"r","is_typing":null}`, "", 422, `{"detail":[{"type":"bool_type","loc":["body","is_typing"],"msg":"Input should be a valid boolean","input":null}]}`},
		{"typing, no body", "/typing", ``, "", 422, `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := g.node.Applied()
			var headers []string
			if tc.header != "" {
				headers = append(headers, tc.header)
			}
			r := g.do("POST", a.path(tc.path), a.key, tc.body, headers...)
			require.Equal(t, tc.status, r.status, r.body)
			if tc.want != "" {
				require.Equal(t, tc.want, r.body)
			}
			requireDetail(t, r)
			require.Equal(t, before, g.node.Applied(), "a refusal changes nothing")
		})
	}
}

// TestTyping: it is answered, and leaves no trace.
func TestTyping(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	for _, state := range []string{`true`, `false`, `"yes"`, `0`} {
		before := g.node.Applied()
		r := g.do("POST", a.path("/typing"), a.key, `{"room_id":"`+room+`","is_typing":`+state+`}`)
		require.Equal(t, 200, r.status, r.body)
		require.Equal(t, `{"ok":true}`, r.body)
		require.Equal(t, "application/json", r.header.Get("Content-Type"))
		require.Equal(t, before, g.node.Applied())
	}
}
