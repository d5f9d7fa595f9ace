package edgefront_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// later is a number in the second life of a log.
func later(n uint64) uint64 { return 1<<32 | n }

// twoLives makes a room with versions 1 to 6 from a log's first life and 7 and 8 from its second: two messages, and,
// after the last of three members has left, a third.
func twoLives(t *testing.T, retain int) (*gateway, string, person) {
	t.Helper()
	log := memlog.New()
	o := patient()
	o.RetainEvents = retain
	g := newGatewayOn(t, log, core.Options{}, o)
	alice, bob, carol := g.register("alice"), g.register("bob"), g.register("carol")
	room := g.room("chat", nil, alice, bob, carol)
	g.post(room, alice, "one")
	g.post(room, alice, "two")
	stream := core.RoomStream(room)
	last, err := log.Last(t.Context(), stream)
	require.NoError(t, err)
	_, err = log.Append(t.Context(), stream, last, []core.Event{{
		Kind: core.MemberLeft, Version: later(7), At: g.node.Now(), Body: []byte(`{"agent":"` + carol.ID + `"}`),
	}})
	require.NoError(t, err)
	require.NoError(t, g.node.CatchUp(t.Context()))
	g.post(room, alice, "three")
	return g, room, alice
}

var seqForm = regexp.MustCompile(`"seq":(\d+)`)

// got is the form of each frame up to hello, with its numbers.
func (l *link) got() (out []string) {
	l.t.Helper()
	l.until("attached")
	for {
		text := l.next()
		if text == helloText {
			return out
		}
		form := regexp.MustCompile(`"(snapshot|appended|event)"`).FindStringSubmatch(text)[1]
		for _, seq := range seqForm.FindAllStringSubmatch(text, -1) {
			form += " " + seq[1]
		}
		out = append(out, form)
	}
}

// A backup was restored, and the room's numbers went on above those that the lost life may have given.
func TestMessageCursorsAcrossLives(t *testing.T) {
	g, room, alice := twoLives(t, 1000)
	whole := []string{fmt.Sprintf("snapshot 1 2 %d", later(3))}
	for name, c := range map[string]struct {
		cursor uint64
		want   []string
	}{
		"nothing seen":                        {0, []string{fmt.Sprintf("appended 1 2 %d", later(3))}},
		"message of the first life":           {1, []string{fmt.Sprintf("appended 2 %d", later(3))}},
		"last message of the first life":      {2, []string{fmt.Sprintf("appended %d", later(3))}},
		"lost message whose number is taken":  {3, whole},
		"lost message beyond the room":        {9, whole},
		"last message":                        {later(3), nil},
		"number of a message in another life": {later(2), whole},
		"beyond the room":                     {later(4), whole},
		"life that never was":                 {2<<32 | 3, whole},
		"life without a count":                {later(0), whole},
	} {
		t.Run(name, func(t *testing.T) {
			l := g.dial("/agents/alice/chat")
			l.send(fmt.Sprintf(`{"json":{"v":2,"kind":"attach","subscribe":["messages"],"cursors":{"messages":%d}}}`, c.cursor))
			require.Equal(t, c.want, l.got())
		})
	}
	l := g.dial("/agents/alice/chat")
	l.send(fmt.Sprintf(`{"json":{"v":2,"kind":"attach","subscribe":["messages"],"cursors":{"messages":%d}}}`, later(3)))
	require.Empty(t, l.got())
	g.post(room, alice, "four")
	l.expect(messagesText("appended", "assistant", "four", "alice", fmt.Sprint(later(4))))
}

func TestEventCursorsAcrossLives(t *testing.T) {
	events := func(seqs ...uint64) (out []string) {
		for _, seq := range seqs {
			out = append(out, fmt.Sprintf("event %d", seq))
		}
		return out
	}
	for retain, rows := range map[int]map[uint64][]string{
		1000: {
			0: events(1, 2, 3, 4, 5, 6, later(7), later(8)), 5: events(6, later(7), later(8)), 6: events(later(7), later(8)),
			7: events(later(7), later(8)), 900: events(later(7), later(8)),
			later(0): events(later(7), later(8)), later(7): events(later(8)), later(8): nil,
		},
		4: {0: events(5, 6, later(7), later(8)), 5: events(6, later(7), later(8)), later(7): events(later(8))},
		2: {0: events(later(7), later(8)), 6: events(later(7), later(8))},
		1: {0: events(later(8)), 6: events(later(8))},
	} {
		g, room, alice := twoLives(t, retain)
		for cursor, want := range rows {
			t.Run(fmt.Sprintf("%d of %d", cursor, retain), func(t *testing.T) {
				l := g.dial("/agents/alice/chat")
				l.send(fmt.Sprintf(`{"json":{"v":2,"kind":"attach","subscribe":["events"],"cursors":{"events":%d}}}`, cursor))
				require.Equal(t, want, l.got())
			})
		}
		l := g.dial("/agents/alice/chat")
		l.send(`{"json":{"v":2,"kind":"attach","subscribe":["events"]}}`)
		l.got()
		g.post(room, alice, "four")
		l.expect(postedText(fmt.Sprint(later(9)), "3", "alice", "four"))
	}
}
