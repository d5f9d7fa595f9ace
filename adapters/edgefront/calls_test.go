package edgefront_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
)

func callText(id, method, args string) string {
	return `{"json":{"v":1,"kind":"call","id":"` + id + `","method":"` + method + `"` + args + `}}`
}

func TestCallTable(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":[]}}`)
	l.until(`"kind":"hello"`)
	for i, c := range []struct{ method, args, want string }{
		{"list_participants", ``, `"value":[{"id":"<alice>"`},
		{"listParticipants", `,"args":[]`, `"value":[{"id":"<alice>"`},
		{"listParticipants", `,"args":[{}]`, `"value":[{"id":"<alice>"`},
		{"list_participants", `,"args":[null]`, `"value":[{"id":"<alice>"`},
		{"list_participants", `,"args":["x"]`, `"code":"method_error","message":"list_participants takes at most 0 arguments"`},
		{"list_participants", `,"args":[{"x":1}]`, `"code":"method_error","message":"unexpected arguments: x"`},
		{"read_context", `,"args":[{"limit":1}]`, `"value":{"threads":[{`},
		{"readContext", `,"args":[1,null,null]`, `"value":{"threads":[{`},
		{"readContext", `,"args":[null,"2026-01-01T00:00:00Z"]`, `"value":{"threads":[{`},
		{"readContext", `,"args":["one"]`, `"code":"method_error","message":"argument \"limit\" must be an integer"`},
		{"readContext", `,"args":[1.5]`, `"code":"method_error","message":"argument \"limit\" must be an integer"`},
		{"post_message", ``, `"code":"method_error","message":"missing required arguments: body"`},
		{"post_message", `,"args":[null]`, `"code":"method_error","message":"missing required arguments: body"`},
		{"post_message", `,"args":[["a"]]`, `"code":"method_error","message":"argument \"body\" must be a string"`},
		{"post_message", `,"args":["` + strings.Repeat("x", 300_000) + `"]`, `"code":"method_error","message":"message has 300000 bytes, at most 262144 are accepted"`},
		{"post_message", `,"args":["a","msg_none"]`, `"code":"method_error","message":"argument \"thread_id\": no such message in this room"`},
		{"connect_to_room", `,"args":["x"]`, `"code":"method_error","message":"this operation needs an open connection`},
		{"nothing", ``, `"code":"method_not_found","message":"there is no such method"`},
		{"", ``, `"code":"method_not_found"`},
		{"Post_Message", ``, `"code":"method_not_found"`},
		{"constructor", ``, `"code":"method_private"`},
		{"onAttach", ``, `"code":"method_private"`},
		{"_post_message", ``, `"code":"method_private"`},
		{"post_message", `,"args":{"body":"a"}`, `"code":"protocol_error","message":"args must be a list`},
	} {
		before := g.node.Applied()
		id := fmt.Sprintf("0%d", i)
		l.send(callText(id, c.method, c.args))
		got := l.next()
		require.Contains(t, got, c.want, "%s%.80s", c.method, c.args)
		require.Contains(t, got, `"id":"`+id+`"`)
		require.Equal(t, before, g.node.Applied(), "nothing changed")
	}
	l.send(pingText)
	l.expect(pongText)
}

func TestRichArgumentsAndUndefined(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":[]}}`)
	l.until(`"kind":"hello"`)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"readContext","args":[{"since":"2026-01-02T03:04:05.678Z","before":null}]},` +
		`"meta":{"values":{"args.0.since":["Date"],"args.0.before":["undefined"]},"v":1}}`)
	require.Contains(t, l.next(), `"value":{"threads":[`)
	l.send(`{"json":{"v":1,"kind":"call","id":"2","method":"post_message","args":["hi",null]},"meta":{"values":{"args.1":["undefined"]},"v":1}}`)
	l.expect(`{"json":{"v":1,"kind":"result","id":"2","value":{"event_id":"<msg>"}}}`)
}

// The frames that a call causes come before its answer, whoever else speaks meanwhile.
func TestWhatACallCausesComesBeforeItsAnswer(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	l := g.attach("/agents/alice/chat", alice.key)
	stop := make(chan struct{})
	var noise sync.WaitGroup
	noise.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				g.post(room, bob, "noise")
			}
		}
	})
	defer noise.Wait()
	defer close(stop)
	for i := range 50 {
		text := fmt.Sprintf("mine %d", i)
		l.send(callText(fmt.Sprintf("c%d", i), "post_message", `,"args":["`+text+`"]`))
		var seen []string
		for {
			got, err := l.raw()
			require.NoError(t, err)
			if strings.Contains(got, `"kind":"messages"`) && strings.Contains(got, text) {
				seen = append(seen, "message")
			}
			if strings.Contains(got, `"kind":"event"`) && strings.Contains(got, text) {
				seen = append(seen, "event")
			}
			if strings.Contains(got, `"kind":"result"`) {
				break
			}
		}
		require.Equal(t, []string{"message", "event"}, seen)
	}
}

// gatedLog lets appends wait, so that a call runs as long as a test wants.
type gatedLog struct {
	core.Log
	mu   sync.Mutex
	gate chan struct{}
	// held gets a signal when an append waits.
	held chan struct{}
}

func newGatedLog() *gatedLog { return &gatedLog{Log: memlog.New(), held: make(chan struct{}, 64)} }

// hold makes appends wait until the function returned is called.
func (l *gatedLog) hold() (release func()) {
	gate := make(chan struct{})
	l.mu.Lock()
	l.gate = gate
	l.mu.Unlock()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		l.gate = nil
		l.mu.Unlock()
		close(gate)
	})
}

func (l *gatedLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate != nil {
		l.held <- struct{}{}
		<-gate
	}
	return l.Log.Append(ctx, s, last, e)
}

func TestPingIsAnsweredWhileACallRuns(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	release := log.hold()
	defer release()
	l.send(callText("slow", "post_message", `,"args":["slow"]`))
	<-log.held
	l.send(callText("next", "no_such_method", ``))
	for range 100 {
		l.send(pingText)
		l.expect(pongText)
	}
	release()
	l.until(`"id":"slow"`)
	l.expect(`{"json":{"v":1,"kind":"error","id":"next","code":"method_not_found","message":"there is no such method"}}`)
}

func TestCallsOfOneConnectionRunInOrder(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":["messages"]}}`)
	l.until(`"kind":"hello"`)
	const count = 2_000
	done := make(chan error, 1)
	go func() {
		for i := range count {
			text := callText(fmt.Sprintf("c%d", i), "post_message", fmt.Sprintf(`,"args":["m%d"]`, i))
			if err := l.conn.Write(context.Background(), 1, []byte(text)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for i := range count {
		require.Contains(t, l.next(), fmt.Sprintf(`"content":"m%d"`, i))
		require.Contains(t, l.next(), fmt.Sprintf(`"id":"c%d"`, i))
	}
	require.NoError(t, <-done)
}

func TestBudgetOfACall(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, edgefront.Options{CallBudget: 20 * time.Millisecond})
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	release := log.hold()
	defer release()
	l.send(callText("1", "post_message", `,"args":["slow"]`))
	l.expect(`{"json":{"v":1,"kind":"error","id":"1","code":"method_error","message":"the call took longer than it may; it may still take effect"}}`)
	l.send(pingText)
	l.expect(pongText)
}

func TestTurnRefusalNamesWhoseTurnItIs(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	g.room("duel", func(c *core.CreateRoom) { c.Facts.Floor = core.FloorTurns }, alice, bob)
	l := g.attach("/agents/alice/duel", bob.key)
	l.send(callText("1", "post_message", `,"args":["me first"]`))
	l.expect(`{"json":{"v":1,"kind":"error","id":"1","code":"method_error","message":"it is the turn of alice (turn 0)"}}`)
}
