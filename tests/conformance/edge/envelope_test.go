package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	shows(t, "1-text", "1-envelope", "1-both", "1-handwritten", "1-two-v", "1-paths", "3-stamp", "4-exact")
	r := shared(t).room(t)
	r.say(t, r.a, "words")
	// Every text that a link reads goes through checkFrame.
	l, boot := r.s.attach(t, r.at, r.b.key)
	require.Equal(t, []string{"attached", "state", "messages", "event", "event", "event", "event", "hello"}, kinds(t, boot))
	require.NotContains(t, boot[0], "meta")
	require.Contains(t, boot[1], `"meta":{"values":{"snapshot.created_at":["Date"],"snapshot.participants.`+r.a.id+`.joined_at":["Date"]`)
	require.Contains(t, boot[2], `"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`)
	require.Contains(t, boot[3], `{"json":{"v":2,`)
	require.Contains(t, boot[3], `"meta":{"values":{"at":["Date"]},"v":1}}`)
	require.NotContains(t, boot[7], "meta")
	l.send(`{"json":{"v":1,"kind":"ping"},"meta":{"v":1}}`, `{"json":{"v":1,"kind":"ping"},"meta":{}}`, pingText)
	l.expect(pongText, pongText, pongText)
	detail := l.call("1", "getRoomDetail", `,"args":["`+r.id+`"]`)
	require.Contains(t, detail[0], `"meta":{"values":{"value.created_at":["Date"]`)
}

func TestBareFrames(t *testing.T) {
	t.Parallel()
	shows(t, "1-bare")
	r := shared(t).room(t)
	for _, bare := range []string{`{"v":1,"kind":"ping"}`, `{"v":1,"kind":"call","id":"1","method":"listRooms"}`, `{"meta":{}}`, `{}`} {
		l := r.s.attached(t, r.at, r.b.key)
		l.send(bare)
		l.fails(protocolError)
		l.closed(1002, "protocol error")
	}
	l := r.s.first(t, r.at, `{"v":2,"kind":"attach"}`)
	l.fails(protocolError)
	l.closed(1002, "protocol error")
}

func TestPathModes(t *testing.T) {
	t.Parallel()
	shows(t, "1-escapes")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":["state"]`)
	const call = `{"json":{"v":1,"kind":"call","id":"%s","method":"setRoomState","args":[{"a.b":"2026-01-02T03:04:05.678Z","c\\d":["x"]}]},"meta":{"values":{"args.0.a\\.b":["Date"],"args.0.c%sd":["set"]}%s}}`
	const want = `{"json":{"v":1,"kind":"state","patch":{"a.b":"2026-01-02T03:04:05.678Z","c\\d":["x"]}},` +
		`"meta":{"values":{"patch.a\\.b":["Date"],"patch.c\\\\d":["set"]},"v":1}}`
	// The older mode does not escape backslashes.
	for id, edit := range map[string][]any{"new": {`\\\\`, `,"v":1`}, "old": {`\\`, ``}} {
		l.send(fmt.Sprintf(call, id, edit[0], edit[1]))
		require.Equal(t, want, l.until(`"id":"` + id + `"`)[0], id)
		l.call("clear"+id, "replaceRoomState", `,"args":[{}]`)
	}
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	shows(t, "1-compression", "1-subprotocol")
	r := shared(t).room(t)
	offer := func(headers ...string) *link { return r.s.open(t, r.at, headers...) }
	none := offer()
	require.Empty(t, none.resp.Header.Values("Sec-WebSocket-Protocol"))
	for _, l := range []*link{none, offer("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits")} {
		require.Empty(t, l.resp.Header.Values("Sec-WebSocket-Extensions"))
	}
	raw := testsocket.Handshake()
	raw.Set("Sec-WebSocket-Protocol", "first, second")
	a := r.s.handshake(t, r.at, raw)
	require.Equal(t, 101, a.StatusCode)
	require.Equal(t, []string{"first"}, a.Header.Values("Sec-WebSocket-Protocol"))
}

func TestUndefined(t *testing.T) {
	t.Parallel()
	shows(t, "1-undefined", "11-null", "11-undefined")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":["state"]`)
	l.call("1", "setRoomState", `,"args":[{"gone":1,"kept":2}]`)
	l.send(`{"json":{"v":1,"kind":"call","id":"2","method":"setRoomState","args":[{"gone":null,"kept":null}]},"meta":{"values":{"args.0.kept":["undefined"]},"v":1}}`)
	require.Equal(t, `{"json":{"v":1,"kind":"state","patch":{"gone":null,"kept":null}},"meta":{"values":{"patch.kept":["undefined"]},"v":1}}`,
		l.until(`"id":"2"`)[0])
	require.Equal(t, []string{`{"json":{"v":1,"kind":"result","id":"3","value":{"kept":null}},"meta":{"values":{"value.kept":["undefined"]},"v":1}}`},
		l.call("3", "getRoomState", ""))
	_, late := r.s.attach(t, r.at, r.b.key, `,"subscribe":["state"]`)
	require.Contains(t, late[1], `"snapshot.kept":["undefined"]`)
	require.NotContains(t, late[1], `gone`)
}

func TestOptionalFields(t *testing.T) {
	t.Parallel()
	shows(t, "4-optional", "4-unknown", "4.3-attach", "4.3-types", "4.4-attached", "4.4-empty", "6-never-denied", "6-unknown", "6-none", "6-absent", "7-public")
	r := shared(t).room(t)
	first := func(frame string) string {
		l := r.s.first(t, r.at, frame)
		x := l.next()
		if strings.Contains(x, "attached") {
			l.until(helloText)
		}
		return x
	}
	attached := func(grants, accepted string) string {
		return `{"json":{"v":2,"kind":"attached","grants":[` + grants + `],"accepted":[` + accepted + `]}}`
	}
	const all, both = `"state","messages","events"`, `"read","rpc"`
	for frame, want := range map[string]string{
		`{"json":{"v":2,"kind":"attach"}}`: attached(`"read"`, all),
		`{"json":{"v":2,"kind":"attach","token":null,"subscribe":["state"],"cursors":null},"meta":{"values":{"token":["undefined"],"cursors":["undefined"]},"v":1}}`: attached(`"read"`, `"state"`),
		`{"json":{"v":2,"kind":"attach","subscribe":null},"meta":{"values":{"subscribe":["undefined"]},"v":1}}`:                                                      attached(`"read"`, all),
		attachText(r.a.key, `,"color":"red","more":{"a":[1]}`):                                                                                                       attached(both, all),
		attachText(r.a.key, `,"subscribe":["events","state"]`):                                                                                                       attached(both, `"events","state"`),
		attachText(r.a.key, `,"subscribe":["events","events"]`):                                                                                                      attached(both, `"events"`),
		attachText(r.a.key, `,"subscribe":["weather","messages","State",""]`):                                                                                        attached(both, `"messages"`),
		attachText(r.a.key, `,"subscribe":["weather"]`):                                                                                                              attached(both, ``),
		attachText(r.a.key, `,"subscribe":[]`):                                                                                                                       attached(both, ``),
		attachText(r.a.key, `,"cursors":{}`):                                                                                                                         attached(both, all),
		attachText("", ""):                                                                                                                                           attached(`"read"`, all),
	} {
		require.Equal(t, want, first(frame), frame)
	}
	l := r.s.first(t, r.at, attachText(r.a.key, `,"subscribe":[]`))
	l.expect(attached(both, ``), helloText)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"getRoomState","args":null,"more":1},"meta":{"values":{"args":["undefined"]},"v":1}}`)
	l.expect(`{"json":{"v":1,"kind":"result","id":"1","value":{}}}`)
	for _, bad := range []string{`"token":5`, `"token":["x"]`, `"subscribe":"all"`, `"subscribe":{"a":1}`, `"subscribe":[5]`, `"cursors":[1]`, `"cursors":5`} {
		l := r.s.first(t, r.at, `{"json":{"v":2,"kind":"attach",`+bad+`}}`)
		l.fails(protocolError)
		l.closed(1002, "protocol error")
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	shows(t, "4.1-id", "4.1-id-missing", "4.1-method", "4.1-no-args", "4.1-ping", "4.2-pong", "4.2-result", "4.2-error", "12-twice", "12-call-level")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key)
	for _, id := range []string{"1", "007", "1e3", "", " ", "null", `\"`, `\\`, "héllo", "😀", "a.b", "<&>", strings.Repeat("x", 10_000)} {
		l.send(callText(id, "getRoomState", ""))
		l.expect(`{"json":{"v":1,"kind":"result","id":"` + id + `","value":{}}}`)
		l.send(callText(id, "shout", ""))
		l.fails(failed(id, "method_not_found"))
	}
	l.send(callText("same", "getRoomState", ""), callText("same", "shout", ""), callText("same", "getRoomState", ""))
	l.expect(`{"json":{"v":1,"kind":"result","id":"same","value":{}}}`)
	l.fails(failed("same", "method_not_found"))
	l.expect(`{"json":{"v":1,"kind":"result","id":"same","value":{}}}`)
	for _, bad := range []string{`"method":"listRooms"`, `"id":5,"method":"listRooms"`, `"id":null,"method":"listRooms"`, `"id":["x"],"method":"x"`} {
		l := r.s.attached(t, r.at, r.a.key)
		l.send(`{"json":{"v":1,"kind":"call",` + bad + `}}`)
		l.fails(protocolError)
		l.closed(1002, "protocol error")
	}
	for _, bad := range []string{``, `,"method":5`, `,"method":null`} {
		l := r.s.attached(t, r.at, r.a.key)
		l.send(`{"json":{"v":1,"kind":"call","id":"1"` + bad + `}}`)
		require.Contains(t, l.next(), `"code":"protocol_error"`)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	shows(t, "4.1-args", "11-kept", "11-set", "11-objects", "4.2-state")
	s := own(t)
	r := s.room(t)
	l := s.attached(t, r.at, r.a.key, `,"subscribe":["state"]`)
	const value = `{"due":"2026-01-02T03:04:05.678Z","none":null,"by":[["k","1"],[["a"],null]],"set":["3","2"],"re":"/a.b/gi","url":"https://example.com/","nan":"NaN","zero":"-0","far":[{"deep":"2026-01-02T03:04:05.678Z"}]}`
	types := func(prefix string) string {
		out := `"due":["Date"],"none":["undefined"],"by":["map",{"0.1":["bigint"],"1.0":["set"],"1.1":["undefined"]}],"set":["set",{"0":["bigint"]}],"re":["regexp"],"url":["URL"],"nan":["number"],"zero":["number"],"far.0.deep":["Date"]`
		for _, name := range []string{"due", "none", "by", "set", "re", "url", "nan", "zero", "far.0.deep"} {
			out = strings.Replace(out, `"`+name+`":[`, `"`+prefix+name+`":[`, 1)
		}
		return out
	}
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"setRoomState","args":[` + value + `]},"meta":{"values":{` + types("args.0.") + `},"v":1}}`)
	require.Equal(t, `{"json":{"v":1,"kind":"state","patch":`+value+`},"meta":{"values":{`+types("patch.")+`},"v":1}}`, l.until(`"id":"1"`)[0])
	read := `{"json":{"v":1,"kind":"result","id":"h1","value":` + value + `},"meta":{"values":{` + types("value.") + `},"v":1}}`
	require.Equal(t, read, r.call(t, r.b, "getRoomState", "").is(200).body)
	s.restart(t, true)
	require.Equal(t, read, r.call(t, r.b, "getRoomState", "").is(200).body)
	// What is no plain object replaces whole.
	l = s.attached(t, r.at, r.a.key, `,"subscribe":["state"]`)
	l.send(`{"json":{"v":1,"kind":"call","id":"2","method":"setRoomState","args":[{"by":[["other",1]],"set":["only"],"far":[],"due":{"a":1}}]},"meta":{"values":{"args.0.by":["map"],"args.0.set":["set"]},"v":1}}`)
	l.until(`"id":"2"`)
	got := r.call(t, r.b, "getRoomState", "").is(200).body
	require.Contains(t, got, `"due":{"a":1},"none":null,"by":[["other",1]],"set":["only"]`)
	require.Contains(t, got, `"far":[]`)
}
