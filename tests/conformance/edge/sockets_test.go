package conformance

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/testsocket"
)

func closePayload(code int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(code))) }

// fragments cuts a message into frames.
func fragments(payload string, size int) (out [][]byte) {
	first := byte(testsocket.OpText)
	for len(payload) > size {
		out = append(out, testsocket.Frame(first, payload[:size]))
		payload, first = payload[size:], testsocket.OpContinue
	}
	return append(out, testsocket.Frame(testsocket.Fin|first, payload))
}

// TestSockets: each row is what an admitted client sends, and the code with which its socket is closed. Nobody else notices.
func TestSockets(t *testing.T) {
	t.Parallel()
	shows(t, "1-binary", "12-1000", "12-1002", "12-1003", "12-1007", "12-1009", "12-1006", "12-undisturbed")
	r := shared(t).room(t)
	bystander := r.s.attached(t, r.at, r.a.key)
	for name, c := range socketRows() {
		raw := r.s.raw(t, r.at, testsocket.Text(attachText(r.b.key, `,"subscribe":[]`)))
		raw.Await(helloText)
		began := time.Now()
		raw.Put(c.send...)
		require.Equal(t, c.code, raw.CloseCode(), name)
		raw.Gone()
		require.Less(t, time.Since(began), soon, name)
	}
	// Cut in the middle of a frame.
	for _, bytes := range [][]byte{nil, testsocket.Text(pingText)[:7], testsocket.Frame(testsocket.OpText, "{")} {
		raw := r.s.raw(t, r.at, testsocket.Text(attachText(r.b.key)))
		raw.Await(helloText)
		raw.Put(bytes)
		require.NoError(t, raw.Close())
	}
	bystander.silent()
	r.say(t, r.a, "still well")
	require.Contains(t, bystander.next(), "still well")
}

// socketRow is what a client sends, and the code with which its socket is closed.
type socketRow struct {
	send [][]byte
	code int
}

func socketRows() map[string]socketRow {
	const oversize = 1<<20 + 1
	rows := map[string]socketRow{
		"client closed":                {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8client closed")}, 1000},
		"close without a code":         {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "")}, 1005},
		"close with half a code":       {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03")}, 1002},
		"binary":                       {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpBinary, pingText)}, 1003},
		"empty binary":                 {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpBinary, "")}, 1003},
		"invalid UTF-8":                {[][]byte{testsocket.Text("{\"json\":\"\xff\"}")}, 1007},
		"UTF-8 that is cut":            {[][]byte{testsocket.Text("\xe2\x82")}, 1007},
		"invalid UTF-8 in fragments":   {[][]byte{testsocket.Frame(testsocket.OpText, "{\"json\":\"\xe2"), testsocket.Frame(testsocket.Fin|testsocket.OpContinue, "\xff\"}")}, 1007},
		"oversize":                     {[][]byte{testsocket.Text(strings.Repeat(" ", oversize))}, 1009},
		"oversize in fragments":        {fragments(strings.Repeat(" ", oversize), 64<<10), 1009},
		"oversize, only announced":     {[][]byte{testsocket.Text(strings.Repeat(" ", oversize))[:1<<20+64]}, 1009},
		"not masked":                   {[][]byte{testsocket.Unmasked(testsocket.Fin|testsocket.OpText, pingText)}, 1002},
		"unknown opcode":               {[][]byte{testsocket.Frame(testsocket.Fin|0x3, "")}, 1002},
		"reserved bits":                {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpText|0x40, pingText)}, 1002},
		"continuation of nothing":      {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpContinue, "x")}, 1002},
		"a message inside another":     {[][]byte{testsocket.Frame(testsocket.OpText, "{"), testsocket.Text(pingText)}, 1002},
		"control frame in fragments":   {[][]byte{testsocket.Frame(testsocket.OpPing, "")}, 1002},
		"control frame that is long":   {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpPing, strings.Repeat("x", 126))}, 1002},
		"a close in a message":         {[][]byte{testsocket.Frame(testsocket.OpText, "{"), testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8")}, 1000},
		"a message that is no JSON":    {[][]byte{testsocket.Text("hello?")}, 1002},
		"a message behind the close":   {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8"), testsocket.Text(pingText)}, 1000},
		"a frame of another version":   {[][]byte{testsocket.Text(`{"json":{"v":3,"kind":"ping"}}`)}, 1002},
		"a frame without its envelope": {[][]byte{testsocket.Text(`{"v":1,"kind":"ping"}`)}, 1002},
	}
	for _, code := range []int{1000, 1001, 1008, 1011, 3000, 4999} {
		rows[fmt.Sprint("closes with ", code)] = socketRow{[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, closePayload(code))}, code}
	}
	for _, code := range []int{0, 999, 1004, 1005, 1006, 1015, 2999, 5000} {
		rows[fmt.Sprint("closes with ", code)] = socketRow{[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, closePayload(code))}, 1002}
	}
	return rows
}

func TestFragments(t *testing.T) {
	t.Parallel()
	shows(t, "12-fragments", "12-control", "12-size", "1-text")
	r := shared(t).room(t)
	raw := r.s.raw(t, r.at, fragments(attachText(r.a.key, `,"subscribe":["state"]`), 7)...)
	raw.Await(helloText)
	raw.Put(testsocket.Frame(testsocket.OpText, pingText[:10]), testsocket.Frame(testsocket.Fin|testsocket.OpPing, "between"), testsocket.Frame(testsocket.OpContinue, ""), testsocket.Frame(testsocket.Fin|testsocket.OpContinue, pingText[10:]))
	op, payload, err := raw.Read()
	require.NoError(t, err)
	require.Equal(t, []any{byte(testsocket.OpPong), "between"}, []any{op, payload})
	raw.Await(pongText)
	// A message of exactly 1 MiB.
	call := callText("1", "shout", `,"args":[""]`)
	call = strings.Replace(call, `[""]`, `["`+strings.Repeat("x", 1<<20-len(call))+`"]`, 1)
	require.Len(t, call, 1<<20)
	raw.Put(fragments(call, 100_000)...)
	raw.Await(failed("1", "method_not_found"))
	// Many members' keys together are more than that.
	l := r.s.attached(t, r.at, r.b.key, `,"subscribe":[]`)
	for i := range 2 {
		l.call(fmt.Sprint(i), "setRoomState", fmt.Sprintf(`,"args":[{"k%d":"%s"}]`, i, strings.Repeat("y", 100_000)))
	}
	_, boot := r.s.attach(t, r.at, r.b.key)
	require.Greater(t, len(boot[1]), 200_000)
}

// TestManyMessages sends more in one bootstrap than a client may send in one message.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	shows(t, "12-size")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
	words, sent := strings.Repeat("x", 8000), 0
	for total := 0; total < 1<<20+100_000; total += len(words) {
		l.call("1", "postMessage", `,"args":["`+words+`"]`)
		sent++
	}
	_, boot := r.s.attach(t, r.at, r.b.key, `,"subscribe":["messages"]`)
	bytes, items := 0, 0
	for _, x := range boot {
		bytes += len(x)
		items += strings.Count(x, `"role":"assistant"`)
	}
	require.Equal(t, sent, items)
	require.Greater(t, bytes, 1<<20)
}
