package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	shows(t, "5-grace", "5-order", "5-live", "5-no-events", "5-claims", "3-plain", "3-error-v2", "4.2-hello", "8-plain", "9-no-id")
	r := shared(t).room(t)
	r.say(t, r.a, "before")
	r.emit(t, r.a, "early")
	began := time.Now()
	l := r.s.open(t, r.at)
	boot := l.until(helloText)
	require.GreaterOrEqual(t, time.Since(began), time.Second-10*time.Millisecond)
	require.Equal(t, []string{"state", "messages", "hello"}, kinds(t, boot))
	require.Equal(t, `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"assistant","content":"before","name":"`+r.a.name+`","seq":1,"at":"<time>"}]},`+
		`"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`, plain(boot[1]))
	r.say(t, r.b, "after")
	r.emit(t, r.a, "late")
	r.call(t, r.a, "setRoomState", `[{"x":1}]`).is(200)
	live := l.until(`"x":1`)
	require.Equal(t, []string{"messages", "state", "state"}, kinds(t, live))
	require.Contains(t, live[0], `"appended":[{"`)
	l.send(callText("c1", "listRooms", ""))
	l.fails(failed("c1", "unauthorized"))
	l.silent()
}

func TestPlainFirstFrames(t *testing.T) {
	t.Parallel()
	shows(t, "5-first", "5-attach", "12-early-ping", "6-late")
	r := shared(t).room(t)
	began := time.Now()
	l := r.s.open(t, r.at)
	l.send(pingText, callText("c1", "listRooms", ""), pingText)
	require.Equal(t, []string{"state", "messages", "hello"}, kinds(t, l.until(helloText)))
	l.until(`"code":"unauthorized"`)
	l.silent()
	attached, _ := r.s.attach(t, r.at, r.a.key)
	require.Less(t, time.Since(began), soon)
	attached.silent()
	for _, late := range []*link{l, r.s.open(t, r.at)} {
		if late != l {
			late.until(helloText)
		}
		late.send(attachText(r.a.key))
		late.until(`"code":"protocol_error"`)
		late.closed(1002, "protocol error")
	}
	early := r.s.raw(t, r.at, testsocket.Text(pingText), testsocket.Text(pingText), testsocket.Text(pingText))
	early.Await(helloText)
	for range 3 {
		early.Await(pongText)
	}
}

func TestPlainRefused(t *testing.T) {
	t.Parallel()
	shows(t, "5-refused", "12-token", "12-1008", "12-closes", "6-authorize", "7-invalid", "4.4-error")
	s := shared(t)
	secret, public := s.secret(t), s.room(t)
	for _, first := range []string{"", pingText, attachText(""), attachText("nonsense"), attachText(strings.Repeat("x", 100_000))} {
		l := s.open(t, secret.at)
		if first != "" {
			l = s.first(t, secret.at, first)
		}
		l.fails(unauthorized)
		l.closed(1008, "refused")
	}
	l := s.first(t, public.at, attachText("nonsense"))
	l.fails(unauthorized)
	l.closed(1008, "refused")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	shows(t, "3-v1", "3-v2", "3-error-v1", "3-calls", "3-unknown", "3-no-number", "3-wrong", "12-version", "12-closes", "12-1002", "4.2-messages")
	r := shared(t).room(t)
	l, boot := r.s.attach(t, r.at, r.a.key)
	require.Equal(t, []string{"attached", "state", "messages", "event", "event", "event", "hello"}, kinds(t, boot))
	require.Equal(t, []int{2, 1, 1, 2, 2, 2, 1}, numbers(t, boot, "json", "v"))
	require.Equal(t, `{"json":{"v":1,"kind":"messages","snapshot":[]}}`, boot[2])
	l.silent()
	require.Equal(t, []string{`{"json":{"v":1,"kind":"result","id":"1","value":{}}}`}, l.call("1", "getRoomState", ""))
	l.send(callText("2", "shout", ""))
	l.fails(failed("2", "method_not_found"))
	for frame, want := range map[string]string{
		`{"v":3,"kind":"ping"}`:                       wrongVersion,
		`{"v":0,"kind":"ping"}`:                       wrongVersion,
		`{"v":-1,"kind":"attach"}`:                    protocolError,
		`{"kind":"ping"}`:                             protocolError,
		`{"v":"1","kind":"ping"}`:                     protocolError,
		`{"v":null,"kind":"ping"}`:                    protocolError,
		`{"v":1.5,"kind":"ping"}`:                     protocolError,
		`{"v":2,"kind":"ping"}`:                       protocolError,
		`{"v":2,"kind":"call","id":"1","method":"x"}`: protocolError,
		`{"v":1,"kind":"attach"}`:                     protocolError,
		`{"v":1,"kind":"event"}`:                      protocolError,
	} {
		l := r.s.attached(t, r.at, r.a.key)
		l.send(`{"json":` + frame + `}`)
		l.fails(want)
		l.closed(1002, "protocol error")
	}
}
