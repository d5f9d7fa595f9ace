package edgefront_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/internal/testsocket"
)

const (
	attachedAll = `{"json":{"v":2,"kind":"attached","grants":["read","rpc"],"accepted":["state","messages","events"]}}`
	// chatState is the state of the room in these tests, with one message in it.
	chatState = `{"json":{"v":1,"kind":"state","snapshot":{"id":"<room>","topic":"chat","description":"",` +
		`"floor":"open","state":"ACTIVE","turn":%,"created_at":"<time>","participants":{` +
		`"<alice>":{"name":"alice","handle":"alice","joined_at":"<time>","presence":"awaiting_manual_poll"},` +
		`"<bob>":{"name":"bob","handle":"bob","joined_at":"<time>","presence":"awaiting_manual_poll"}},` +
		`"roles":{},"links":{},"documents":{},"references":{},"typing":{}}},` +
		`"meta":{"values":{"snapshot.created_at":["Date"],"snapshot.participants.<alice>.joined_at":["Date"],` +
		`"snapshot.participants.<bob>.joined_at":["Date"]},"v":1}}`
	created = `{"json":{"v":2,"kind":"event","seq":1,"type":"room.created","payload":{"id":"<room>","topic":"chat",` +
		`"description":"","floor":"open","state":"ACTIVE"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`
)

func stateText(turn string) string { return strings.Replace(chatState, "%", turn, 1) }

// withLive is a state in which a member is live, as whoever has a socket of its own in the room is.
func withLive(state, name string) string {
	at := strings.Index(state, `"<`+name+`>":{"name"`)
	return state[:at] + strings.Replace(state[at:], `"awaiting_manual_poll"`, `"live"`, 1)
}

func joinedText(seq, name string) string {
	return `{"json":{"v":2,"kind":"event","seq":` + seq + `,"type":"member.joined","payload":{"agent":"<` + name + `>","name":"` +
		name + `","handle":"` + name + `"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`
}

func postedText(seq, turn, sender, text string) string {
	return `{"json":{"v":2,"kind":"event","seq":` + seq + `,"type":"message.posted","payload":{"id":"<msg>","turn":` + turn +
		`,"sender":"<` + sender + `>","sender_name":"` + sender + `","text":"` + text + `"},"at":"<time>"},` +
		`"meta":{"values":{"at":["Date"]},"v":1}}`
}

func messagesText(form, role, text, name, seq string) string {
	return `{"json":{"v":1,"kind":"messages","` + form + `":[{"role":"` + role + `","content":"` + text + `","name":"` + name +
		`","seq":` + seq + `,"at":"<time>"}]},"meta":{"values":{"` + form + `.0.at":["Date"]},"v":1}}`
}

// The worked example of the protocol, with this gateway's state and events: first connection, a call, a drop, a resume.
func TestWorkedAttachAndResume(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	g.post(room, bob, "hi")

	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + bob.key + `","subscribe":["state","messages","events"]}}`)
	l.expect(
		attachedAll,
		withLive(stateText("1"), "bob"),
		messagesText("snapshot", "user", "hi", "bob", "1"),
		created, joinedText("2", "alice"), joinedText("3", "bob"), postedText("4", "0", "bob", "hi"),
		helloText,
	)
	l.send(`{"json":{"v":1,"kind":"call","id":"c1","method":"post_message","args":["hello"]}}`)
	l.expect(
		messagesText("appended", "user", "hello", "bob", "2"),
		`{"json":{"v":1,"kind":"state","patch":{"turn":2}}}`,
		postedText("5", "1", "bob", "hello"),
		`{"json":{"v":1,"kind":"result","id":"c1","value":{"event_id":"<msg>"}}}`,
	)
	require.NoError(t, l.conn.CloseNow())

	g.post(room, alice, "hey")
	l = g.dial("/agents/" + alice.ID + "/" + room)
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + bob.key +
		`","subscribe":["state","messages","events"],"cursors":{"messages":2,"events":5}}}`)
	l.expect(
		attachedAll,
		withLive(stateText("3"), "bob"),
		messagesText("appended", "assistant", "hey", "alice", "3"),
		postedText("6", "2", "alice", "hey"),
		helloText,
	)
	l.send(pingText)
	l.expect(pongText)
	g.post(room, alice, "still there?")
	l.expect(
		messagesText("appended", "assistant", "still there?", "alice", "4"),
		`{"json":{"v":1,"kind":"state","patch":{"turn":4}}}`,
		postedText("7", "3", "alice", "still there?"),
	)
	require.NoError(t, l.conn.Close(websocket.StatusNormalClosure, "client closed"))
}

func TestPlainClientWaitsForTheGraceAndGetsNoEvents(t *testing.T) {
	g := newGateway(t, quick())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	g.post(room, bob, "hi")
	l := g.dial("/agents/alice/chat")
	l.expect(stateText("1"), messagesText("snapshot", "user", "hi", "bob", "1"), helloText)
	g.post(room, alice, "hey")
	l.expect(messagesText("appended", "assistant", "hey", "alice", "2"), `{"json":{"v":1,"kind":"state","patch":{"turn":2}}}`)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"post_message","args":["x"]}}`)
	l.expect(`{"json":{"v":2,"kind":"error","id":"1","code":"unauthorized","message":"this call needs the rpc claim: attach with the token of a member"}}`)
	l.send(pingText)
	l.expect(pongText)
}

func TestFirstFrameThatIsNoAttachMakesAnonymous(t *testing.T) {
	g := newGateway(t, edgefront.Options{AttachGrace: time.Hour})
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(pingText)
	l.until(`"kind":"state"`)
	l.expect(`{"json":{"v":1,"kind":"messages","snapshot":[]}}`, helloText, pongText)
	l.send(attachText(alice.key))
	l.expect(`{"json":{"v":1,"kind":"error","code":"protocol_error","message":"attach must be the first frame and may come once"}}`)
	require.Equal(t, websocket.CloseError{Code: 1002, Reason: "protocol error"}, l.ended())
}

func TestSubscriptions(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	g.post(room, alice, "hi")
	const meta = `,"meta":{"values":{"token":["undefined"],"cursors":["undefined"]},"v":1}`
	for name, c := range map[string]struct {
		attach   string
		accepted string
		kinds    []string
	}{
		"all without a subscription": {`{}`, `["state","messages","events"]`, []string{"state", "messages", "event", "event", "event"}},
		"order and repeats":          {`{"subscribe":["events","state","events"]}`, `["events","state"]`, []string{"state", "event", "event", "event"}},
		"unknown ones are left out":  {`{"subscribe":["video","messages"]}`, `["messages"]`, []string{"messages"}},
		"none":                       {`{"subscribe":[]}`, `[]`, nil},
		"cursors":                    {`{"cursors":{"events":2,"messages":1}}`, `["state","messages","events"]`, []string{"state", "event"}},
		"odd cursors are ignored":    {`{"cursors":{"events":-1,"messages":"x","video":3}}`, `["state","messages","events"]`, []string{"state", "messages", "event", "event", "event"}},
		"cursor of the whole log":    {`{"cursors":{"events":3,"messages":1}}`, `["state","messages","events"]`, []string{"state"}},
		"cursor from another life":   {`{"cursors":{"events":900,"messages":900}}`, `["state","messages","events"]`, []string{"state", "messages"}},
		"undefined options":          {`{"token":null,"subscribe":["state"],"cursors":null}` + meta, `["state"]`, []string{"state"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := g.dial("/agents/alice/chat")
			fields, rest, _ := strings.Cut(c.attach, "}"+`,"meta"`)
			if rest != "" {
				fields += "}"
				rest = `,"meta"` + rest
			}
			frame := `{"json":{"v":2,"kind":"attach",` + strings.TrimPrefix(fields, "{") + rest + `}`
			frame = strings.Replace(frame, `"attach",}`, `"attach"}`, 1)
			l.send(frame)
			l.expect(`{"json":{"v":2,"kind":"attached","grants":["read"],"accepted":` + c.accepted + `}}`)
			for _, kind := range c.kinds {
				require.Contains(t, l.next(), `"kind":"`+kind+`"`)
			}
			l.expect(helloText)
		})
	}
}

func TestRetentionShowsAsJump(t *testing.T) {
	o := patient()
	o.RetainEvents = 3
	g := newGateway(t, o)
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	for range 5 {
		g.post(room, alice, "x")
	}
	for cursors, want := range map[string][]string{
		``: {"5", "6", "7"}, `,"cursors":{"events":2}`: {"5", "6", "7"}, `,"cursors":{"events":6}`: {"7"},
	} {
		l := g.dial("/agents/alice/chat")
		l.send(`{"json":{"v":2,"kind":"attach","subscribe":["events"]` + cursors + `}}`)
		l.until("attached")
		for _, seq := range want {
			require.Contains(t, l.next(), `"seq":`+seq+`,`)
		}
		l.expect(helloText)
	}
}

// A long log comes in several frames that make up the same log.
func TestLongLogIsSentInPieces(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	const count = 30
	for range count {
		g.post(room, alice, strings.Repeat("x", 50_000))
	}
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","subscribe":["messages"]}}`)
	l.until("attached")
	frames, got := 0, 0
	for {
		text, err := l.raw()
		require.NoError(t, err)
		if text == helloText {
			break
		}
		require.Less(t, len(text), 500_000)
		form := "appended"
		if frames == 0 {
			form = "snapshot"
		}
		require.Contains(t, text[:60], form)
		got += strings.Count(text, `"role"`)
		frames++
	}
	require.Equal(t, count, got)
	require.Greater(t, frames, 3)
}

func TestClosedRoomIsANoticeInStateAndEventsOnly(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	_, _, err := g.node.CloseRoom(t.Context(), room, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	l.expect(
		`{"json":{"v":1,"kind":"state","patch":{"state":"CLOSED","next_actor":null}}}`,
		`{"json":{"v":2,"kind":"event","seq":3,"type":"room.state_changed","payload":{"from":"ACTIVE","to":"CLOSED","actor":"<alice>"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"state","patch":{"closed_at":"<time>","close_reason":"manual_close"}},"meta":{"values":{"patch.closed_at":["Date"]},"v":1}}`,
		`{"json":{"v":2,"kind":"event","seq":4,"type":"room.closed","payload":{"reason":"manual_close","actor":"<alice>"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
	)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"post_message","args":["x"]}}`)
	l.expect(`{"json":{"v":1,"kind":"error","id":"1","code":"method_error","message":"room <room> is CLOSED"}}`)
}

// Frames that arrive together with the upgrade request are not lost.
func TestFramesBehindTheUpgradeRequest(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	early := testsocket.Text(attachText(alice.key))
	for range 40 {
		early = append(early, testsocket.Text(pingText)...)
	}
	s := g.rawDial("/agents/alice/chat", append(early, testsocket.Text(callText("last", "list_participants", ""))...))
	s.Await(`"kind":"hello"`)
	for range 40 {
		s.Await(`"kind":"pong"`)
	}
	s.Await(`"id":"last"`)
}

func TestEventOfAMessageShowsAllOfIt(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	g.room("duel", func(c *core.CreateRoom) { c.Facts.Floor = core.FloorTurns }, alice, bob)
	l := g.attach("/agents/bob/duel", alice.key)
	l.send(callText("1", "post_message", `,"args":["your turn"]`))
	l.expect(
		messagesText("appended", "user", "your turn", "alice", "1"),
		`{"json":{"v":1,"kind":"state","patch":{"turn":1,"next_actor":"<bob>"}}}`,
		`{"json":{"v":2,"kind":"event","seq":4,"type":"message.posted","payload":{"id":"<msg>","turn":0,"sender":"<alice>",`+
			`"sender_name":"alice","text":"your turn","addressed":["<bob>"],"next":"<bob>"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"result","id":"1","value":{"event_id":"<msg>"}}}`,
	)
	open := g.room("direct", func(c *core.CreateRoom) { c.Facts.ChannelType = "direct" }, alice, bob)
	root := g.post(open, alice, "root")
	l = g.attach("/agents/bob/direct", alice.key)
	l.send(callText("1", "post_message", `,"args":["reply","`+root.Message+`"]`))
	require.Contains(t, g.plain(l.until(`"kind":"event"`)), `"text":"reply","thread":"<msg>","address_all":true}`)
}
