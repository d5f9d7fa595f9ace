package edgefront_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/internal/testsocket"
)

// closeLimit is the second in which every socket is closed, ten times over for a busy machine.
const closeLimit = 10 * time.Second

// Each row is what a hostile client sends once it was admitted, and the code with which its socket is closed, within a
// second. Nobody else notices.
func TestHostileSockets(t *testing.T) {
	for name, c := range map[string]struct {
		progress time.Duration
		rows     func(key string) map[string]hostileRow
	}{
		// Only those that wait for the end of a client's time have little of it: a busy machine may take longer than that
		// between two pieces of a large message, which is then one that never ends.
		"at once": {0, hostileRows}, "when the time is over": {300 * time.Millisecond, endlessRows},
	} {
		t.Run(name, func(t *testing.T) {
			o := patient()
			o.ProgressTimeout = c.progress
			g := newGateway(t, o)
			alice := g.register("alice")
			room := g.room("chat", nil, alice)
			bystander := g.attach("/agents/alice/chat", alice.key)
			before := g.node.Applied()
			t.Run("rows", func(t *testing.T) {
				for name, row := range c.rows(alice.key) {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						g.playHostile(t, alice.key, row)
					})
				}
			})
			require.Equal(t, before, g.node.Applied(), "nothing changed")
			g.post(room, alice, "still well?")
			require.Contains(t, bystander.next(), "still well?", "and nothing else meanwhile")
		})
	}
}

func (g *gateway) playHostile(t *testing.T, key string, row hostileRow) {
	s := g.rawDial("/agents/alice/chat")
	s.Put(testsocket.Text(attachText(key)))
	s.Await(`"kind":"hello"`)
	start := time.Now()
	s.Put(row.send...)
	require.Equal(t, row.code, s.CloseCode())
	s.Gone()
	require.Less(t, time.Since(start), closeLimit)
}

// hostileRow is what a client sends, and how its socket is closed.
type hostileRow struct {
	send [][]byte
	code int
}

// endlessRows begin what they do not end.
func endlessRows(string) map[string]hostileRow {
	return map[string]hostileRow{
		"message that never ends":  {[][]byte{testsocket.Frame(testsocket.OpText, `{"json":`)}, 1002},
		"frame that never ends":    {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpText, strings.Repeat("x", 100))[:50]}, 1002},
		"fragment that never ends": {[][]byte{testsocket.Frame(testsocket.OpText, `{"json":`), testsocket.Frame(testsocket.OpContinue, strings.Repeat("x", 100))[:50]}, 1002},
	}
}

func hostileRows(key string) map[string]hostileRow {
	const oversize = 1<<20 + 1
	rows := map[string]hostileRow{
		"client closed":                  {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8client closed")}, 1000},
		"client going away":              {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe9")}, 1001},
		"close without a code":           {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "")}, 1005},
		"close with half a code":         {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03")}, 1002},
		"close with a reserved code":     {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xed")}, 1002},
		"binary":                         {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpBinary, "x")}, 1003},
		"empty binary":                   {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpBinary, "")}, 1003},
		"invalid UTF-8":                  {[][]byte{testsocket.Text("{\"json\":\"\xff\"}")}, 1007},
		"UTF-8 cut at the end":           {[][]byte{testsocket.Text("\xe2\x82")}, 1007},
		"oversize":                       {[][]byte{testsocket.Text(strings.Repeat(" ", oversize))}, 1009},
		"far oversize":                   {[][]byte{testsocket.Text(strings.Repeat(" ", 8*oversize))}, 1009},
		"oversize by announcement":       {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpText, strings.Repeat(" ", oversize))[:1<<20+64]}, 1009},
		"oversize in fragments":          {fragments(strings.Repeat(" ", oversize), 64<<10), 1009},
		"not masked":                     {[][]byte{testsocket.Unmasked(testsocket.Fin|testsocket.OpText, pingText)}, 1002},
		"unknown opcode":                 {[][]byte{testsocket.Frame(testsocket.Fin|0x3, "")}, 1002},
		"reserved bits":                  {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpText|0x40, pingText)}, 1002},
		"continuation of nothing":        {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpContinue, "x")}, 1002},
		"new message inside another":     {[][]byte{testsocket.Frame(testsocket.OpText, "{"), testsocket.Text(pingText)}, 1002},
		"fragmented control frame":       {[][]byte{testsocket.Frame(testsocket.OpPing, "")}, 1002},
		"control frame too long":         {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpPing, strings.Repeat("x", 126))}, 1002},
		"no JSON":                        {[][]byte{testsocket.Text("hello?")}, 1002},
		"empty message":                  {[][]byte{testsocket.Text("")}, 1002},
		"bare frame":                     {[][]byte{testsocket.Text(`{"v":1,"kind":"ping"}`)}, 1002},
		"null":                           {[][]byte{testsocket.Text(`null`)}, 1002},
		"unknown kind":                   {[][]byte{testsocket.Text(`{"json":{"v":1,"kind":"shout"}}`)}, 1002},
		"version of the future":          {[][]byte{testsocket.Text(`{"json":{"v":3,"kind":"ping"}}`)}, 1002},
		"wrong version of a kind":        {[][]byte{testsocket.Text(`{"json":{"v":2,"kind":"ping"}}`)}, 1002},
		"a frame of the server":          {[][]byte{testsocket.Text(helloText)}, 1002},
		"second attach":                  {[][]byte{testsocket.Text(attachText(key))}, 1002},
		"attach with a bad field":        {[][]byte{testsocket.Text(`{"json":{"v":2,"kind":"attach","subscribe":"all"}}`)}, 1002},
		"too deep":                       {[][]byte{testsocket.Text(`{"json":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`)}, 1002},
		"forbidden path in annotations":  {[][]byte{testsocket.Text(`{"json":{"v":1,"kind":"ping"},"meta":{"values":{"__proto__.x":["Date"]}}}`)}, 1002},
		"invalid UTF-8 in fragments":     {[][]byte{testsocket.Frame(testsocket.OpText, "{\"json\":\"\xe2"), testsocket.Frame(testsocket.Fin|testsocket.OpContinue, "\xff\"}")}, 1007},
		"fragments that are not masked":  {[][]byte{testsocket.Frame(testsocket.OpText, "{"), testsocket.Unmasked(testsocket.Fin|testsocket.OpContinue, "}")}, 1002},
		"a close frame that is too long": {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8"+strings.Repeat("x", 124))}, 1002},
		"a close frame in two":           {[][]byte{testsocket.Frame(testsocket.OpClose, "\x03\xe8")}, 1002},
		"a reason that is not UTF-8":     {[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8\xff")}, 1000},
		"a close in mid-message":         {[][]byte{testsocket.Frame(testsocket.OpText, "{"), testsocket.Frame(testsocket.Fin|testsocket.OpClose, "\x03\xe8")}, 1000},
	}
	// RFC 6455, section 7.4: a code that a peer may send is answered with the same, any other is a fault.
	for _, code := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999} {
		rows[fmt.Sprintf("closes with %d", code)] = hostileRow{[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, string(closePayload(code)))}, code}
	}
	for _, code := range []int{0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535} {
		rows[fmt.Sprintf("closes with %d", code)] = hostileRow{[][]byte{testsocket.Frame(testsocket.Fin|testsocket.OpClose, string(closePayload(code)))}, 1002}
	}
	return rows
}

func closePayload(code int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(code)) }

// A peer that does not answer the close frame holds its socket for no more than a second.
func TestCloseIsBounded(t *testing.T) {
	g := newGateway(t, patient())
	s := g.rawDial("/agents/nobody/nothing")
	s.Put(testsocket.Text(attachText("nonsense")))
	s.Await("unauthorized")
	start := time.Now()
	s.Gone()
	require.Less(t, time.Since(start), closeLimit)
}

// fragments cuts a message into frames.
func fragments(payload string, size int) [][]byte {
	var out [][]byte
	op := byte(testsocket.OpText)
	for len(payload) > size {
		out = append(out, testsocket.Frame(op, payload[:size]))
		payload, op = payload[size:], testsocket.OpContinue
	}
	return append(out, testsocket.Frame(testsocket.Fin|op, payload))
}

func TestFragmentsWithControlFramesBetween(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	s := g.rawDial("/agents/alice/chat")
	parts := fragments(attachText(alice.key), 7)
	for _, p := range parts {
		s.Put(p, testsocket.Frame(testsocket.Fin|testsocket.OpPing, "x"))
	}
	pongs := 0
	for pongs < len(parts) {
		op, _, err := s.Read()
		require.NoError(t, err)
		if op == testsocket.OpPong {
			pongs++
		}
	}
	s.Put(testsocket.Text(pingText))
	s.Await(`"kind":"pong"`)
}

// A frame cut at every length ends the socket, changes nothing and disturbs nobody.
func TestCutInMidFrame(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	bystander := g.attach("/agents/alice/chat", alice.key)
	before := g.node.Applied()
	whole := testsocket.Text(callText("1", "post_message", `,"args":["x"]`))
	for cut := range len(whole) {
		s := g.rawDial("/agents/alice/chat")
		s.Put(testsocket.Text(attachText(alice.key)))
		s.Await(`"kind":"hello"`)
		s.Put(whole[:cut])
		require.NoError(t, s.Close())
	}
	require.Equal(t, before, g.node.Applied(), "nothing changed")
	bystander.send(pingText)
	bystander.expect(pongText)
}

// gatedConnect is an OnConnect hook that waits until the test lets it go.
func gatedConnect(gate <-chan struct{}) func(context.Context, *http.Request) error {
	return func(ctx context.Context, _ *http.Request) error {
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return nil
	}
}

func TestFramesBeforeAdmission(t *testing.T) {
	for name, c := range map[string]struct {
		pings int
		code  int
	}{"as many as may wait": {63, 0}, "one more": {64, 1013}, "far more": {5_000, 1013}} {
		t.Run(name, func(t *testing.T) {
			gate := make(chan struct{})
			g := newGateway(t, edgefront.Options{OnConnect: gatedConnect(gate)})
			alice := g.register("alice")
			g.room("chat", nil, alice)
			other := g.rawDial("/agents/alice/chat")
			other.Put(testsocket.Text(attachText(alice.key)))
			s := g.rawDial("/agents/alice/chat")
			start := time.Now()
			s.Put(testsocket.Text(attachText(alice.key)), bytes.Repeat(testsocket.Text(pingText), c.pings))
			if c.code != 0 {
				require.Equal(t, c.code, s.CloseCode())
				s.Gone()
				require.Less(t, time.Since(start), closeLimit)
			}
			close(gate)
			other.Await(`"kind":"hello"`)
			if c.code != 0 {
				return
			}
			s.Await(`"kind":"hello"`)
			for range c.pings {
				s.Await(`"kind":"pong"`)
			}
		})
	}
}

// A client that pings without end is served at the pace at which it takes the pongs.
func TestPingFlood(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	s := g.rawDial("/agents/alice/chat")
	s.Put(testsocket.Text(attachText(alice.key)))
	s.Await(`"kind":"hello"`)
	const count = 20_000
	go func() {
		for range 100 {
			s.Put(bytes.Repeat(testsocket.Text(pingText), count/200), bytes.Repeat(testsocket.Frame(testsocket.Fin|testsocket.OpPing, "x"), count/200))
		}
	}()
	texts, controls := 0, 0
	for texts < count/2 || controls < count/2 {
		op, _, err := s.Read()
		require.NoError(t, err)
		if op == testsocket.OpText {
			texts++
		} else {
			controls++
		}
	}
}

// The two halves of a client that takes nothing: one that only listens, and one that floods as well.
func TestClientThatNeverReads(t *testing.T) {
	for name, flood := range map[string][]byte{
		"silent": nil, "pinging": bytes.Repeat(testsocket.Text(pingText), 1000), "sending control frames": bytes.Repeat(testsocket.Frame(testsocket.Fin|testsocket.OpPing, "x"), 1000),
	} {
		t.Run(name, func(t *testing.T) {
			o := patient()
			o.ProgressTimeout = 200 * time.Millisecond
			g := newGateway(t, o)
			alice := g.register("alice")
			room := g.room("chat", nil, alice)
			listener := g.attach("/agents/alice/chat", alice.key)
			s := g.rawDial("/agents/alice/chat")
			s.Put(testsocket.Text(attachText(alice.key)))
			s.Await(`"kind":"hello"`)
			cut := make(chan struct{})
			go func() {
				defer close(cut)
				for {
					if _, err := s.Write(append(flood, testsocket.Frame(testsocket.Fin|testsocket.OpPong, "")...)); err != nil {
						return
					}
				}
			}()
			// Others are not delayed: each message reaches them before the next is sent.
			for range 120 {
				g.post(room, alice, strings.Repeat("x", 100_000))
				listener.until(`"kind":"messages"`)
			}
			select {
			case <-cut:
			case <-time.After(patience):
				t.Fatal("the socket was never cut")
			}
		})
	}
}
