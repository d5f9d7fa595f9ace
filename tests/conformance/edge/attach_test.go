package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

func TestAttach(t *testing.T) {
	t.Parallel()
	shows(t, "6-order", "6-accepted", "8-attach", "7-read", "4.4-event", "10-item", "10-first", "8-again", "8-order")
	r := shared(t).room(t)
	r.say(t, r.a, "one")
	r.emit(t, r.b, "progress")
	l, boot := r.s.attach(t, r.at, r.a.key)
	require.Equal(t, []string{"attached", "state", "messages", "event", "event", "event", "event", "event", "hello"}, kinds(t, boot))
	require.Equal(t, upTo(1, 5), numbers(t, of("event", boot), "json", "seq"))
	require.Equal(t, `{"json":{"v":2,"kind":"event","seq":5,"type":"progress","payload":{"n":1},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		plain(boot[7]))
	links := map[string]*link{"state": nil, "messages": nil, "events": nil}
	for only := range links {
		one, boot := r.s.attach(t, r.at, "", `,"subscribe":["`+only+`"]`)
		links[only] = one
		kind := strings.TrimSuffix(only, "s")
		if only == "messages" {
			kind = only
		}
		for _, k := range kinds(t, boot)[1 : len(boot)-1] {
			require.Equal(t, kind, k)
		}
	}
	r.say(t, r.b, "two")
	r.emit(t, r.b, "more")
	live := l.until(`"type":"more"`)
	require.Equal(t, []string{"messages", "state", "event", "event"}, kinds(t, live))
	links["messages"].expect(live[0])
	links["state"].expect(live[1])
	links["events"].expect(live[2], live[3])
	for _, one := range links {
		one.silent()
	}
	_, again := r.s.attach(t, r.at, r.a.key)
	require.Equal(t, append(of("event", boot), live[2], live[3]), of("event", again))
}

func TestSecondAttach(t *testing.T) {
	t.Parallel()
	shows(t, "6-second")
	r := shared(t).room(t)
	for _, second := range []string{attachText(r.a.key), attachText(""), `{"json":{"v":2,"kind":"attach"}}`} {
		l := r.s.attached(t, r.at, r.a.key)
		l.send(second)
		l.fails(protocolError)
		l.closed(1002, "protocol error")
	}
}

// TestHole lets one member speak for as long as others connect.
func TestHole(t *testing.T) {
	t.Parallel()
	shows(t, "6-hole", "11-each", "8-order", "9-seq")
	r := shared(t).room(t)
	speaker := r.s.attached(t, r.at, r.a.key, `,"subscribe":[]`)
	stop, spoken := make(chan struct{}), make(chan int, 1)
	go func() {
		n := 0
		defer func() { spoken <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			id := fmt.Sprint(n + 1)
			call := []byte(callText(id, "postMessage", `,"args":["`+id+`"]`))
			if speaker.conn.Write(t.Context(), websocket.MessageText, call) != nil {
				return
			}
			if _, _, err := speaker.conn.Read(t.Context()); err != nil {
				return
			}
			n++
		}
	}()
	const clients = 12
	links, boots := make([]*link, clients), make([][]string, clients)
	for i := range clients {
		links[i], boots[i] = r.s.attach(t, r.at, r.b.key)
	}
	close(stop)
	n := <-spoken
	require.Positive(t, n)
	last := fmt.Sprintf(`"seq":%d,"type":"message.posted"`, 3+n)
	for i, all := range boots {
		if !strings.Contains(strings.Join(all, ""), last) {
			all = append(all, links[i].until(last)...)
		}
		require.Equal(t, upTo(1, 3+n), numbers(t, of("event", all), "json", "seq"))
		hasAllMessages(t, all, n)
		hasAllTurns(t, all, n)
	}
}

// hasAllMessages demands that a snapshot and what is appended to it are messages from 1 to a number.
func hasAllMessages(t *testing.T, all []string, messages int) {
	t.Helper()
	seen := 0
	for _, x := range of("messages", all) {
		frame := at(t, parse(t, x), "json").(object)
		items, snapshot := frame["snapshot"].([]any)
		require.Equal(t, snapshot, seen == 0 && x == of("messages", all)[0])
		if !snapshot {
			items = list(t, frame, "appended")
		}
		for _, item := range items {
			seen++
			require.Equal(t, []any{fmt.Sprint(seen), float64(seen)}, []any{at(t, item, "content"), at(t, item, "seq")})
		}
	}
	require.Equal(t, messages, seen)
}

// hasAllTurns demands that a snapshot of the state and the patches behind it count the turns one by one.
func hasAllTurns(t *testing.T, all []string, messages int) {
	t.Helper()
	turn := -1
	for _, x := range of("state", all) {
		frame := at(t, parse(t, x), "json").(object)
		if state, snapshot := frame["snapshot"]; snapshot {
			require.Equal(t, -1, turn, "one snapshot")
			turn = int(at(t, state, "turn").(float64))
		} else if n, counts := at(t, frame, "patch").(object)["turn"]; counts {
			turn++
			require.Equal(t, float64(turn), n)
		}
	}
	require.Equal(t, messages, turn)
}

// TestExample walks through the protocol's own example of an attach and of a resume.
func TestExample(t *testing.T) {
	t.Parallel()
	shows(t, "6-example", "6-example-resume", "8-messages", "8-events", "8-state", "9-role", "9-at", "12-before", "4.2-result", "10-emitted")
	r := shared(t).room(t)
	r.say(t, r.b, "hi")
	r.call(t, r.b, "emitEvent", `["boot",{"n":1}]`).is(200)
	words := []string{r.a.id, "<a>", r.b.id, "<b>", r.a.name, "<a>", r.b.name, "<b>", r.id, "<room>"}
	plainly := func(x string) string { return plain(x, words...) }
	l, boot := r.s.attach(t, r.at, r.a.key, `,"subscribe":["state","messages","events"]`)
	require.Equal(t, `{"json":{"v":2,"kind":"attached","grants":["read","rpc"],"accepted":["state","messages","events"]}}`, boot[0])
	require.True(t, strings.HasPrefix(boot[1], `{"json":{"v":1,"kind":"state","snapshot":{"id":"`+r.id+`"`), boot[1])
	require.Equal(t, `{"json":{"v":1,"kind":"messages","snapshot":[{"role":"user","content":"hi","name":"<b>","seq":1,"at":"<time>"}]},"meta":{"values":{"snapshot.0.at":["Date"]},"v":1}}`, plainly(boot[2]))
	require.Equal(t, `{"json":{"v":2,"kind":"event","seq":5,"type":"boot","payload":{"n":1},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`, plainly(boot[7]))
	require.Equal(t, helloText, boot[8])
	l.send(callText("c1", "postMessage", `,"args":["hello"]`))
	require.Equal(t, `{"json":{"v":1,"kind":"messages","appended":[{"role":"assistant","content":"hello","name":"<a>","seq":2,"at":"<time>"}]},"meta":{"values":{"appended.0.at":["Date"]},"v":1}}`, plainly(l.next()))
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"turn":2}}}`)
	require.Contains(t, l.next(), `{"json":{"v":2,"kind":"event","seq":6,"type":"message.posted","payload":{"id":"`)
	require.Contains(t, l.next(), `{"json":{"v":1,"kind":"result","id":"c1","value":{"event_id":"`)
	require.NoError(t, l.conn.CloseNow())
	r.say(t, r.b, "hey")
	l, boot = r.s.attach(t, r.at, r.a.key, `,"subscribe":["state","messages","events"],"cursors":{"messages":2,"events":6}`)
	require.Equal(t, []string{"attached", "state", "messages", "event", "hello"}, kinds(t, boot))
	require.Contains(t, boot[1], `"snapshot":{`)
	require.Equal(t, `{"json":{"v":1,"kind":"messages","appended":[{"role":"user","content":"hey","name":"<b>","seq":3,"at":"<time>"}]},"meta":{"values":{"appended.0.at":["Date"]},"v":1}}`, plainly(boot[2]))
	require.Contains(t, boot[3], `"seq":7,"type":"message.posted"`)
	l.silent()
}
