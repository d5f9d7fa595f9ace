package conformance

import (
	"fmt"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

func TestCursors(t *testing.T) {
	t.Parallel()
	shows(t, "8-state", "8-messages", "8-nothing", "8-events", "8-zero", "8-ahead", "8-bad", "8-not-accepted")
	r := shared(t).room(t)
	for _, words := range []string{"one", "two", "three"} {
		r.say(t, r.a, words)
	}
	boot := func(subscribe, cursors string) []string {
		_, boot := r.s.attach(t, r.at, r.b.key, subscribe, `,"cursors":`+cursors)
		return boot[1 : len(boot)-1]
	}
	whole := boot("", `{}`)
	state, snapshot, events := whole[0], whole[1], whole[2:]
	require.Len(t, events, 6)
	const snap = `{"json":{"v":1,"kind":"messages","snapshot":[`
	require.Contains(t, snapshot, snap)
	for cursors, want := range map[string][]string{
		`{"messages":3,"events":6}`:     nil,
		`{"events":6}`:                  {snapshot},
		`{"messages":3}`:                events,
		`{"messages":3,"events":4}`:     events[4:],
		`{"messages":3,"events":0}`:     events,
		`{"messages":3,"events":99}`:    nil,
		`{"messages":99,"events":6}`:    {snapshot},
		`{"state":5,"weather":1}`:       append([]string{snapshot}, events...),
		`{"messages":-1,"events":-1}`:   append([]string{snapshot}, events...),
		`{"messages":1.5,"events":0.5}`: append([]string{snapshot}, events...),
		`{"messages":"3","events":"6"}`: append([]string{snapshot}, events...),
		`{"messages":null,"events":[]}`: append([]string{snapshot}, events...),
	} {
		got := boot("", cursors)
		require.Equal(t, state, got[0], cursors)
		require.Equal(t, want, append([]string(nil), got[1:]...), cursors)
	}
	for seen := range 3 {
		got := boot(`,"subscribe":["messages"]`, fmt.Sprintf(`{"messages":%d,"events":1}`, seen))
		require.Len(t, got, 1)
		require.Contains(t, got[0], `"kind":"messages","appended":[`)
		items := list(t, parse(t, got[0]), "json", "appended")
		require.Len(t, items, 3-seen)
		require.Equal(t, float64(seen+1), at(t, items[0], "seq"))
	}
	require.Equal(t, events, boot(`,"subscribe":["events"]`, `{"messages":1}`))
}

func TestRetention(t *testing.T) {
	t.Parallel()
	shows(t, "8-old", "10-retained", "10-reused", "10-first", "12-one-by-one")
	r := shared(t).room(t)
	l := r.s.attached(t, r.at, r.a.key)
	const calls = 1100
	go func() {
		for i := range calls {
			// What does not arrive is missed below.
			_ = l.conn.Write(t.Context(), websocket.MessageText, []byte(callText(fmt.Sprint(i), "emitEvent", fmt.Sprintf(`,"args":["tick",%d]`, i))))
		}
	}()
	live := l.until(fmt.Sprintf(`"id":"%d"`, calls-1))
	require.Equal(t, upTo(4, calls+3), numbers(t, of("event", live), "json", "seq"))
	require.Equal(t, upTo(0, calls-1), numbers(t, of("event", live), "json", "payload"))
	for i, x := range of("result", live) {
		require.Contains(t, x, fmt.Sprintf(`"id":"%d"`, i))
	}
	for _, cursors := range []string{`{}`, `{"events":5}`} {
		_, boot := r.s.attach(t, r.at, r.b.key, `,"subscribe":["events"],"cursors":`+cursors)
		require.Equal(t, of("event", live)[calls-1000:], of("event", boot))
	}
	r.emit(t, r.a, "next")
	require.Equal(t, []int{calls + 4}, numbers(t, l.until(`"type":"next"`), "json", "seq"))
}

func TestRestart(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{false, true} {
		t.Run(map[bool]string{false: "in order", true: "killed"}[kill], func(t *testing.T) {
			t.Parallel()
			shows(t, "9-append-only", "10-committed", "10-item", "9-seq")
			s := own(t)
			r := s.room(t)
			l := s.attached(t, r.at, r.a.key)
			r.say(t, r.b, "one")
			r.emit(t, r.a, "tick")
			live := l.until(`"type":"tick"`)
			_, before := s.attach(t, r.at, r.b.key)
			if !kill {
				shows(t, "12-1001", "13-shutdown")
				st := s.stream(t, r.at+"?subscribe=events", r.a.key)
				st.until(t, helloText)
				s.restart(t, false)
				l.closed(1001, "agent going away")
				_, err := st.read(t)
				require.Error(t, err)
			} else {
				s.restart(t, true)
			}
			l, after := s.attach(t, r.at, r.b.key)
			require.Equal(t, of("event", before), of("event", after))
			require.Equal(t, of("messages", before), of("messages", after))
			_, others := s.attach(t, r.at, "")
			require.Equal(t, of("messages", before), of("messages", others))
			require.Equal(t, of("event", live), of("event", after)[3:])
			r.say(t, r.a, "two")
			require.Equal(t, []int{2}, numbers(t, []string{l.last(`"appended"`)}, "json", "appended", 0, "seq"))
		})
	}
}
