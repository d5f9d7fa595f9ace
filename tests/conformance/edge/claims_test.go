package conformance

import (
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// TestClaims: rows are tokens, columns a public room, a private one, and a room of turns with a code for people.
func TestClaims(t *testing.T) {
	t.Parallel()
	shows(t, "7-key", "7-session", "7-room-token", "7-code", "7-viewer", "7-public", "7-stranger", "7-invalid")
	s := shared(t)
	public, secret, turns := s.room(t), s.secret(t), s.listed(t)
	stranger := s.agent(t)
	const rpc, read, no = `"grants":["read","rpc"]`, `"grants":["read"]`, unauthorized
	for name, c := range map[string]struct{ token, public, secret, turns string }{
		"key of a member of the public room": {public.b.key, rpc, no, no},
		"key of a member of the private one": {secret.b.key, read, rpc, no},
		"key of a member of the last":        {turns.b.key, read, no, rpc},
		"session of the first":               {public.b.login(t), rpc, no, no},
		"session of the second":              {secret.a.login(t), read, rpc, no},
		"room token of the last":             {turns.aToken, read, no, rpc},
		"code of the last":                   {turns.code, no, no, read},
		"viewer of the last":                 {turns.viewer, no, no, read},
		"key of somebody else":               {stranger.key, read, no, no},
		"nothing":                            {"", read, no, no},
		"nonsense":                           {"nonsense", no, no, no},
		"half of a key":                      {public.b.key[:10], no, no, no},
		"the code of another room's people":  {turns.code + "x", no, no, no},
	} {
		for path, want := range map[string]string{public.at: c.public, secret.at: c.secret, turns.at: c.turns} {
			l := s.first(t, path, attachText(c.token))
			require.Contains(t, l.next(), want, "%s at %s", name, path)
			if want == no {
				l.closed(1008, "refused")
			}
		}
	}
}

func TestRPCClaim(t *testing.T) {
	t.Parallel()
	shows(t, "7-rpc", "7-stays", "7-read", "7-scope", "12-unauthorized", "12-call-level")
	s := shared(t)
	turns, public := s.listed(t), s.room(t)
	for token, at := range map[string]string{"": public.at, turns.b.key: public.at, turns.code: turns.at, turns.viewer: turns.at} {
		l, boot := s.attach(t, at, token)
		require.NotEmpty(t, of("state", boot))
		require.NotEmpty(t, of("messages", boot))
		require.NotEmpty(t, of("event", boot))
		// The claim comes before the name.
		for _, method := range []string{"getRoomState", "postMessage", "no_such", "_hidden", "constructor"} {
			l.send(callText("c "+method, method, ""))
			l.until(failed("c "+method, "unauthorized"))
		}
		l.silent()
	}
	l := s.attached(t, turns.at, turns.aToken, `,"subscribe":[]`)
	l.send(callText("1", "listRooms", ""))
	l.fails(failed("1", "unauthorized"))
	l.send(callText("2", "getRoomState", `,"args":[{"room_id":"`+public.id+`"}]`))
	l.fails(failed("2", "unauthorized"))
	l.send(callText("3", "getRoomState", ""))
	l.expect(`{"json":{"v":1,"kind":"result","id":"3","value":{}}}`)
}

func TestRightsThatEnd(t *testing.T) {
	t.Parallel()
	shows(t, "7-ends")
	s := shared(t)
	turns := s.listed(t)
	l := s.attached(t, turns.at, turns.aToken, `,"subscribe":[]`)
	s.do(t, "POST", "/v1/rooms/"+turns.id+"/close", turns.a.login(t), nil).is(200)
	l.send(callText("1", "getRoomState", ""))
	x := l.next()
	require.Contains(t, x, `"code":"unauthorized"`)
	r := s.room(t)
	gone, stays := s.attached(t, r.at, r.b.key), s.attached(t, r.at, r.a.key)
	s.do(t, "DELETE", "/agents/"+r.b.id, r.b.key, nil)
	gone.until(`{"json":{"v":2,"kind":"error","code":"unauthorized"`)
	// Whether the key or the membership is seen to end first is nobody's business.
	_, err := gone.read()
	require.EqualValues(t, 1008, websocket.CloseStatus(err))
	stays.until(`"type":"member.left"`)
	stays.silent()
}
