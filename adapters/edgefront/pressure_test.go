package edgefront_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/internal/testsocket"
)

// Whatever waits behind the call that runs, a ping is answered.
func TestPingDoesNotWaitBehindCalls(t *testing.T) {
	for name, c := range map[string]struct{ calls, bytes int }{
		"many": {3_000, 10}, "large": {6, 1_000_000}, "more than may wait": {10_000, 10},
	} {
		t.Run(name, func(t *testing.T) {
			log := newGatedLog()
			g := newGatewayOn(t, log, core.Options{}, patient())
			alice := g.register("alice")
			room := g.room("chat", nil, alice)
			s := g.rawDial("/agents/alice/chat")
			s.Put(testsocket.Text(attachText(alice.key)))
			s.Await(`"kind":"hello"`)
			release := log.hold()
			defer release()
			s.Put(testsocket.Text(callText("slow", "post_message", `,"args":["slow"]`)))
			<-log.held
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				for i := range c.calls {
					s.Put(testsocket.Text(callText(fmt.Sprintf("c%d", i), "no_such_method", `,"args":["`+strings.Repeat("x", c.bytes)+`"]`)))
				}
				s.Put(testsocket.Text(pingText))
			}()
			s.Await(`"kind":"pong"`)
			<-sent
			release()
			s.Await(`"id":"slow"`)
			require.Equal(t, 1, mustTurn(t, g, room))
		})
	}
}

// A call that finds no room is refused, by its id, and the connection goes on; those before it run in their order.
func TestCallsBeyondWhatMayWaitAreRefused(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":[]}}`)
	l.until(`"kind":"hello"`)
	release := log.hold()
	defer release()
	l.send(callText("c0", "post_message", `,"args":["slow"]`))
	<-log.held
	// Four of 1 MB have room beside it.
	for i := range 6 {
		l.send(callText(fmt.Sprintf("c%d", i+1), "no_such_method", `,"args":["`+strings.Repeat("x", 1_000_000)+`"]`))
	}
	const busy = `"code":"method_error","message":"too many calls wait on this connection, and this one was dropped: send it again when others were answered"}}`
	l.expect(`{"json":{"v":1,"kind":"error","id":"c5",`+busy, `{"json":{"v":1,"kind":"error","id":"c6",`+busy)
	release()
	require.Contains(t, l.next(), `"id":"c0","value"`)
	for i := range 4 {
		require.Contains(t, l.next(), fmt.Sprintf(`"id":"c%d","code":"method_not_found"`, i+1))
	}
	l.send(callText("c7", "list_participants", ""))
	require.Contains(t, l.next(), `"id":"c7","value"`)
}

// Frames before admission are bounded in bytes too, and end alike, even while a gate does not heed its context.
func TestLargeFramesBeforeAdmission(t *testing.T) {
	gate := make(chan struct{})
	defer close(gate)
	g := newGateway(t, edgefront.Options{OnConnect: func(context.Context, *http.Request) error {
		<-gate
		return nil
	}})
	for _, size := range []int{100_000, 1_000_000} {
		s := g.rawDial("/agents/alice/chat")
		go func() {
			for i := range 100 {
				s.Put(testsocket.Text(callText(fmt.Sprint(i), "post_message", `,"args":["`+strings.Repeat("x", size)+`"]`)))
			}
		}()
		require.Equal(t, 1013, s.CloseCode())
	}
}

// Large frames right behind attach are no fault when admission is quick.
func TestLargeFramesRightBehindAttach(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	s := g.rawDial("/agents/alice/chat")
	out := testsocket.Text(attachText(alice.key))
	const count = 4
	for i := range count {
		out = append(out, testsocket.Text(callText(fmt.Sprint(i), "no_such_method", `,"args":["`+strings.Repeat("x", 900_000)+`"]`))...)
	}
	go s.Put(out)
	for i := range count {
		s.Await(fmt.Sprintf(`"id":"%d"`, i))
	}
}
