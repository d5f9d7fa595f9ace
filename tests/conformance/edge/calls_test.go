package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	shows(t, "12-not-found", "12-reserved", "12-method-error", "12-names", "12-arguments", "12-dates", "12-call-level", "12-before")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":["messages"]`)
	for _, method := range []string{"shout", "", "GetRoomState", "get_roomState", "toString", "hasOwnProperty", "post message"} {
		l.send(callText("1", method, ""))
		l.fails(failed("1", "method_not_found"))
	}
	for _, method := range []string{"constructor", "alarm", "fetch", "webSocket", "authorize", "onAttach", "onConnect", "_", "_x", "__proto__"} {
		l.send(callText("1", method, ""))
		l.fails(failed("1", "method_private"))
	}
	for args, message := range map[string]string{
		`[]`: "missing required arguments: body", `[5]`: "argument ", `["x",null,3]`: "takes at most 2 arguments", `[{"nobody":1}]`: "body",
	} {
		l.send(callText("1", "postMessage", `,"args":`+args))
		x := l.next()
		require.Contains(t, x, failed("1", "method_error"))
		require.Contains(t, x, message)
	}
	for i, c := range []struct{ method, args string }{
		{"post_message", `["%s"]`},
		{"postMessage", `["%s"]`},
		{"postMessage", `["%s",null]`},
		{"postMessage", `[{"body":"%s"}]`},
		{"post_message", `[{"thread_id":null,"body":"%s"}]`},
	} {
		words := unique("words")
		got := l.call("1", c.method, `,"args":`+fmt.Sprintf(c.args, words))
		require.Equal(t, []string{"messages", "result"}, kinds(t, got))
		require.Contains(t, got[0], fmt.Sprintf(`"content":"%s","name":"%s","seq":%d`, words, r.a.name, i+1))
	}
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"postMessage","args":["last",null]},"meta":{"values":{"args.1":["undefined"]},"v":1}}`)
	require.Equal(t, []string{"messages", "result"}, kinds(t, l.until(`"id":"1"`)))
	require.Contains(t, l.call("1", "listAgents", "")[0], `"value.0.created_at":["Date"]`)
	l.silent()
}

func TestRepeatedCalls(t *testing.T) {
	t.Parallel()
	shows(t, "12-key")
	r := shared(t).room(t)
	words := unique("words")
	args := fmt.Sprintf(`[{"body":"%s","idempotency_key":"%s"}]`, words, words)
	again := func(args string) string {
		l := r.s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
		return l.call("1", "postMessage", `,"args":`+args)[0]
	}
	first := again(args)
	require.Contains(t, first, `"kind":"result","id":"1"`)
	require.Equal(t, first, again(args))
	r.s.do(t, "POST", "/edge"+r.at+"/rpc/post_message", r.a.key, args).is(200)
	require.Contains(t, again(strings.Replace(args, "body\":\"", "body\":\"other ", 1)), failed("1", "method_error"))
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":["messages"]`)
	require.Contains(t, l.call("1", "postMessage", `,"args":["last"]`)[0], `"content":"last","name":"`+r.a.name+`","seq":2`)
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	shows(t, "12-args", "12-protocol", "12-closes", "12-1002")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key)
	for _, args := range []string{`{"0":"x"}`, `"x"`, `5`, `true`} {
		l.send(callText("1", "getRoomState", `,"args":`+args))
		l.fails(failed("1", "protocol_error"))
	}
	l.silent()
	for _, bad := range []string{
		"", "hello", "{", `null`, `[]`, `{"json":null}`, `{"json":[]}`, `{"json":"ping"}`, `{"json":{}}`, `{"json":{"v":1}}`, `{"json":{"v":1,"kind":5}}`,
		`{"json":{"v":1,"kind":"shout"}}`, `{"json":{"v":1,"kind":""}}`, helloText, pongText, `{"json":{"v":1,"kind":"state","patch":{}}}`,
		`{"json":{"v":1,"kind":"messages","snapshot":[]}}`, `{"json":{"v":1,"kind":"result","id":"1","value":1}}`,
		`{"json":{"v":1,"kind":"error","code":"method_error","message":"x"}}`, `{"json":{"v":2,"kind":"attached","grants":[],"accepted":[]}}`,
		pingText + pingText, `{"json":{"v":1,"kind":"ping"},"meta":{"values":{"x":["no such type"]},"v":1}}`,
		`{"json":{"v":1,"kind":"ping"},"meta":{"values":{"__proto__.x":["Date"]},"v":1}}`,
		`{"json":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
	} {
		l := r.s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
		l.send(bad)
		l.fails(protocolError)
		l.closed(1002, "protocol error")
	}
}

func TestPings(t *testing.T) {
	t.Parallel()
	shows(t, "12-pong", "12-control", "4.1-ping", "12-one-by-one")
	r := shared(t).room(t)
	const calls = 300
	raw := r.s.raw(t, r.at, testsocket.Text(attachText(r.a.key, `,"subscribe":[]`)))
	raw.Await(helloText)
	for i := range calls {
		raw.Put(testsocket.Text(callText(fmt.Sprint(i), "postMessage", `,"args":["words"]`)))
	}
	raw.Put(testsocket.Text(pingText), testsocket.Frame(testsocket.Fin|testsocket.OpPing, "payload"))
	pongs, controls, answered, early := 0, 0, 0, 0
	for answered < calls || pongs == 0 || controls == 0 {
		op, payload, err := raw.Read()
		require.NoError(t, err)
		switch {
		case op == testsocket.OpPong:
			require.Equal(t, "payload", payload)
			controls++
		case payload == pongText:
			pongs++
			early = answered
		default:
			require.Contains(t, payload, fmt.Sprintf(`"kind":"result","id":"%d"`, answered))
			answered++
		}
	}
	require.Equal(t, []int{1, 1}, []int{pongs, controls})
	require.Less(t, early, calls)
}

func TestState(t *testing.T) {
	t.Parallel()
	shows(t, "11-set", "11-replace", "11-null", "11-objects", "11-missing", "11-root", "11-each", "11-own", "8-state")
	r := shared(t).room(t)
	l, other := r.s.attached(t, r.at, r.a.key, `,"subscribe":["state"]`), r.s.attached(t, r.at, "", `,"subscribe":["state"]`)
	step := func(method, args, patch, after string) {
		t.Helper()
		texts := l.call("1", method, `,"args":[`+args+`]`)
		if patch != "" {
			require.Equal(t, `{"json":{"v":1,"kind":"state","patch":`+patch+`}}`, texts[0])
			other.expect(texts[0])
		}
		require.Len(t, texts, map[bool]int{true: 1, false: 2}[patch == ""], "%v", texts)
		require.Equal(t, []string{`{"json":{"v":1,"kind":"result","id":"2","value":` + after + `}}`}, l.call("2", "getRoomState", ""))
		_, boot := r.s.attach(t, r.at, r.b.key, `,"subscribe":["state"]`)
		mine := strings.TrimSuffix(strings.TrimPrefix(after, "{"), "}")
		if mine != "" {
			mine += ","
		}
		require.Contains(t, boot[1], `"references":{},`+mine+`"typing":{}`)
	}
	require.Equal(t, []string{`{"json":{"v":1,"kind":"result","id":"2","value":{}}}`}, l.call("2", "getRoomState", ""))
	step("setRoomState", `{"a":1,"list":[1,2]}`, `{"a":1,"list":[1,2]}`, `{"a":1,"list":[1,2]}`)
	step("setRoomState", `{"a":{"b":null,"c":{"d":2,"e":null}}}`, `{"a":{"b":null,"c":{"d":2,"e":null}}}`, `{"a":{"c":{"d":2}},"list":[1,2]}`)
	step("set_room_state", `{"patch":{"a":{"c":{"f":3}},"list":[3]}}`, `{"a":{"c":{"f":3}},"list":[3]}`, `{"a":{"c":{"d":2,"f":3}},"list":[3]}`)
	step("setRoomState", `{"a":null}`, `{"a":null}`, `{"list":[3]}`)
	step("replaceRoomState", `{"x":{"y":1}}`, `{"list":null,"x":{"y":1}}`, `{"x":{"y":1}}`)
	step("replaceRoomState", `{}`, `{"x":null}`, `{}`)
	for _, own := range []string{"id", "topic", "floor", "state", "turn", "next_actor", "participants", "typing", "closed_at", "roles"} {
		for _, method := range []string{"setRoomState", "replaceRoomState"} {
			l.send(callText("1", method, `,"args":[{"`+own+`":1}]`))
			l.fails(failed("1", "method_error"))
		}
	}
	l.silent()
	other.silent()
}

func TestEmitted(t *testing.T) {
	t.Parallel()
	shows(t, "4.4-payload", "10-emitted", "10-own-types", "1-paths", "3-v2", "12-before")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"emitEvent","args":["progress",{"pct":50,"since":"2026-01-02T03:04:05.678Z"}]},"meta":{"values":{"args.1.since":["Date"]},"v":1}}`)
	require.Equal(t, `{"json":{"v":2,"kind":"event","seq":4,"type":"progress","payload":{"pct":50,"since":"<time>"},"at":"<time>"},`+
		`"meta":{"values":{"payload.since":["Date"],"at":["Date"]},"v":1}}`, plain(l.next()))
	require.Equal(t, []string{`{"json":{"v":1,"kind":"result","id":"1","value":{"room_id":"` + r.id + `","version":4}}}`}, l.until(`"id":"1"`))
	l.send(`{"json":{"v":1,"kind":"call","id":"2","method":"emitEvent","args":["none",null]},"meta":{"values":{"args.1":["undefined"]},"v":1}}`)
	none := plain(l.until(`"id":"2"`)[0])
	require.Contains(t, none, `"type":"none","payload":null,"at":"<time>"`)
	for _, bad := range []string{"message.posted", "room.closed", "member.joined", ""} {
		l.send(callText("3", "emitEvent", `,"args":["`+bad+`",1]`))
		l.fails(failed("3", "method_error"))
	}
	l.silent()
}

func TestMessages(t *testing.T) {
	t.Parallel()
	shows(t, "9-seq", "9-role", "9-content", "9-name", "9-at", "9-no-id", "9-doors", "4.2-messages")
	s := shared(t)
	r := s.room(t)
	odd := `"quoted" \ <&> é 😀 \u2028`
	r.s.do(t, "POST", r.at+"/rpc/postMessage", r.a.key, []any{odd}).is(200)
	s.do(t, "POST", "/agents/"+r.b.id+"/message", r.b.key, object{"room_id": r.id, "content": "by the Switch door"}, "Content-Type: application/json").is(200)
	log := func(at string) []any {
		_, boot := s.attach(t, at, r.b.key, `,"subscribe":["messages"]`)
		return list(t, parse(t, boot[1]), "json", "snapshot")
	}
	items := func(roles ...string) (out []any) {
		for i, content := range []string{odd, "by the Switch door"} {
			name := []string{r.a.name, r.b.name}[i]
			out = append(out, object{"role": roles[i], "content": content, "name": name, "seq": float64(i + 1), "at": "<time>"})
		}
		return out
	}
	undated := func(l []any) []any {
		for _, item := range l {
			o := item.(object)
			require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, o["at"])
			o["at"] = "<time>"
		}
		return l
	}
	require.Equal(t, items("assistant", "user"), undated(log(r.at)))
	require.Equal(t, items("user", "assistant"), undated(log("/agents/"+r.b.id+"/"+r.id)))
	turns := s.listed(t)
	l := s.attached(t, turns.at, turns.viewer)
	session := turns.a.login(t)
	c := parse(t, s.do(t, "GET", "/v1/rooms/"+turns.id+"/context", session, nil).is(200).body)
	s.do(t, "POST", "/v1/rooms/"+turns.id+"/messages", session, object{
		"expected_turn": 0, "ciphertext": "by the areyouai door", "bundle_hash": at(t, c, "bundle_hash"),
	}).is(201)
	require.Contains(t, l.last(`"appended"`), `"role":"assistant","content":"by the areyouai door","name":"`+turns.a.name+`","seq":1`)
}
