package edgefront_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
)

// What a token opens: rows are tokens, columns a public room, a private room, and a room that does not exist yet.
func TestTokensToClaims(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob, eve := g.register("alice"), g.register("bob"), g.register("eve")
	open := g.room("open", nil, alice, bob)
	const code = "hc_for-people"
	secret := g.room("secret", func(cmd *core.CreateRoom) {
		private(cmd)
		cmd.HumanCodeHash = core.HashSecret(code)
	}, alice, bob)
	viewer, err := g.node.JoinViewers(t.Context(), secret, code)
	require.NoError(t, err)
	gone, err := g.node.JoinViewers(t.Context(), secret, code)
	require.NoError(t, err)
	require.NoError(t, g.node.LeaveViewers(t.Context(), secret, gone))
	session, _, err := g.node.OpenSession(t.Context(), core.Credential{Agent: bob.ID})
	require.NoError(t, err)
	here, _, err := g.node.MintRoomToken(t.Context(), bob.ID, open)
	require.NoError(t, err)
	registration, err := g.node.NewRegistrationToken(t.Context(), "owner")
	require.NoError(t, err)

	const (
		rpc     = `["read","rpc"]`
		read    = `["read"]`
		unknown = "this token is not valid here"
		closed  = "no conversation of this name is open to you"
	)
	for name, c := range map[string]struct{ token, public, private, missing string }{
		"API key of a member":          {bob.key, rpc, rpc, rpc},
		"session token of a member":    {session, rpc, rpc, rpc},
		"API key of the agent itself":  {alice.key, rpc, rpc, rpc},
		"API key of somebody else":     {eve.key, read, closed, rpc},
		"room token of the first room": {here, rpc, closed, closed},
		"code of the second room":      {code, unknown, read, unknown},
		"viewer of the second room":    {viewer, unknown, read, unknown},
		"viewer who left":              {gone, unknown, unknown, unknown},
		"registration token":           {registration, unknown, unknown, unknown},
		"nonsense":                     {"nonsense", unknown, unknown, unknown},
		"nothing":                      {"", read, closed, closed},
	} {
		for room, want := range map[string]string{"open": c.public, "secret": c.private, "new of " + name: c.missing} {
			t.Run(name+"/"+room, func(t *testing.T) {
				before := g.node.Applied()
				l := g.dial("/agents/alice/" + room)
				l.send(attachText(c.token))
				if want[0] == '[' {
					require.Contains(t, l.next(), `"kind":"attached","grants":`+want)
					l.until(`"kind":"hello"`)
					return
				}
				require.Contains(t, l.next(), `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"`+want)
				require.Equal(t, websocket.CloseError{Code: 1008, Reason: "refused"}, l.ended())
				require.Equal(t, before, g.node.Applied(), "nothing changed")
			})
		}
	}
}

// Without a token, what is private and what does not exist look the same, whichever part of the address it is.
func TestPrivateAndMissingLookTheSame(t *testing.T) {
	g := newGateway(t, quick())
	alice := g.register("alice")
	room := g.room("secret", private, alice)
	var texts []string
	for _, path := range []string{
		"/agents/alice/secret", "/agents/alice/" + room, "/agents/alice/nothing", "/agents/nobody/secret",
		"/agents/alice/" + core.RoomPrefix + "019f0000-0000-7000-8000-000000000000",
	} {
		l := g.dial(path)
		texts = append(texts, l.next())
		require.EqualValues(t, 1008, l.ended().Code)
	}
	for _, text := range texts {
		require.Equal(t, texts[0], text)
	}
}

func TestCreatePolicies(t *testing.T) {
	for policy, c := range map[edgefront.Create]struct{ anonymous, agent string }{
		edgefront.CreateOff:           {"unauthorized", "unauthorized"},
		edgefront.CreateAuthenticated: {"unauthorized", `["read","rpc"]`},
		edgefront.CreateAnyone:        {`["read"]`, `["read","rpc"]`},
		"what is this":                {"unauthorized", "unauthorized"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			g := newGateway(t, edgefront.Options{Create: policy})
			g.register("alice")
			bob := g.register("bob")
			l := g.dial("/agents/alice/one")
			l.send(attachText(""))
			require.Contains(t, l.next(), c.anonymous)
			l = g.dial("/agents/alice/two")
			l.send(attachText(bob.key))
			require.Contains(t, l.next(), c.agent)
			l = g.dial("/agents/alice/" + core.RoomPrefix + "x")
			l.send(attachText(bob.key))
			require.Contains(t, l.next(), "unauthorized", "what looks like an id is no name of a new room")
		})
	}
}

func TestNamesMayHoldAnything(t *testing.T) {
	g := newGateway(t, patient())
	g.register("alice")
	bob := g.register("bob")
	for path, name := range map[string]string{
		"a%2Fb": "a/b", "%2B1555": "+1555", "%E2%82%AC%20%25": "€ %", "a.b_c-D": "a.b_c-D",
	} {
		l := g.dial("/agents/alice/" + path)
		l.send(attachText(bob.key))
		require.Contains(t, l.until(`"kind":"state"`), `"topic":"`+name+`"`)
	}
}

// Several first uses at once make one room.
func TestFirstUseAtOnce(t *testing.T) {
	o := patient()
	o.CreatesPerHour = 1
	g := newGateway(t, o)
	alice := g.register("alice")
	bob := g.register("bob")
	links := make([]*link, 20)
	for i := range links {
		links[i] = g.dial("/agents/alice/new")
	}
	for _, l := range links {
		l.send(attachText(bob.key))
	}
	for _, l := range links {
		l.until(`"kind":"hello"`)
	}
	require.Len(t, g.node.RoomsOf(alice.ID), 1)
}

func TestRoomTokenStaysInItsRoom(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	token, _, err := g.node.MintRoomToken(t.Context(), alice.ID, room)
	require.NoError(t, err)
	l := g.attach("/agents/alice/chat", token)
	before := g.node.Applied()
	for _, method := range []string{"create_room", "createRoom", "list_rooms", "connect_to_room"} {
		l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"` + method + `","args":[{"name":"x","agent_names":[]}]}}`)
		l.expect(`{"json":{"v":2,"kind":"error","id":"1","code":"unauthorized","message":"a room token opens its room only: this operation reaches beyond it"}}`)
	}
	require.Equal(t, before, g.node.Applied())
	l.send(`{"json":{"v":1,"kind":"call","id":"2","method":"postMessage","args":["hi"]}}`)
	require.Contains(t, l.until(`"id":"2"`), `"kind":"result"`)
}

// Two gateways on one log: what was made through one counts at the other at once, and a cursor that is ahead of the
// other brings nothing twice.
func TestTwoGatewaysOnOneLog(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	a := newGatewayOn(t, store.Open(), core.Options{NodeID: "a"}, patient())
	b := newGatewayOn(t, store.Open(), core.Options{NodeID: "b"}, patient())
	for i := range 20 {
		alice := a.register("alice-" + string(rune('a'+i)))
		room := a.room("chat", nil, alice)
		a.post(room, alice, "one")
		l := b.dial("/agents/" + alice.Handle + "/chat")
		l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","cursors":{"messages":1,"events":3}}}`)
		l.until(`"kind":"state"`)
		l.expect(helloText)
		a.post(room, alice, "two")
		require.Contains(t, l.next(), `"seq":2`)
	}
}

// laggard is a log whose tail stops while the test holds it.
type laggard struct {
	*memlog.Log
	gate sync.RWMutex
}

func (l *laggard) Tail(ctx context.Context, after core.Position) iter.Seq2[[]core.Recorded, error] {
	return func(yield func([]core.Recorded, error) bool) {
		for batch, err := range l.Log.Tail(ctx, after) {
			l.gate.RLock()
			more := yield(batch, err)
			l.gate.RUnlock()
			if !more {
				return
			}
		}
	}
}

// A client that resumes at a node that is behind what it has seen waits until the node is not.
func TestResumeAtANodeThatLags(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	log := &laggard{Log: store.Open()}
	a := newGatewayOn(t, store.Open(), core.Options{NodeID: "a"}, patient())
	b := newGatewayOn(t, log, core.Options{NodeID: "b"}, patient())
	alice := a.register("alice")
	room := a.room("chat", nil, alice)
	b.attach("/agents/alice/chat", alice.key)
	log.gate.Lock()
	a.post(room, alice, "one")
	l := b.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","cursors":{"messages":1,"events":3}}}`)
	time.AfterFunc(20*time.Millisecond, log.gate.Unlock)
	require.Contains(t, l.until(`"kind":"state"`), `"turn":1`)
	l.expect(helloText)
	a.post(room, alice, "two")
	require.Contains(t, l.next(), `"seq":2`)
}

// A conversation that another node has just made is found and not made a second time.
func TestFirstUseAtANodeThatLags(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	log := &laggard{Log: store.Open()}
	a := newGatewayOn(t, store.Open(), core.Options{NodeID: "a"}, patient())
	b := newGatewayOn(t, log, core.Options{NodeID: "b"}, patient())
	alice := a.register("alice")
	require.NoError(t, b.node.CatchUp(t.Context()))
	log.gate.Lock()
	room := a.room("chat", nil, alice)
	l := b.dial("/agents/alice/chat")
	l.send(attachText(alice.key))
	time.AfterFunc(20*time.Millisecond, log.gate.Unlock)
	require.Contains(t, l.until(`"kind":"state"`), room)
	require.Len(t, b.node.RoomsOf(alice.ID), 1)
}

// A token that another node has just given out is valid.
func TestTokenAtANodeThatLags(t *testing.T) {
	store := memlog.NewStore(memlog.Options{})
	log := &laggard{Log: store.Open()}
	a := newGatewayOn(t, store.Open(), core.Options{NodeID: "a"}, patient())
	b := newGatewayOn(t, log, core.Options{NodeID: "b"}, patient())
	log.gate.Lock()
	alice := a.register("alice")
	a.room("secret", private, alice)
	l := b.dial("/agents/alice/secret")
	l.send(attachText(alice.key))
	time.AfterFunc(20*time.Millisecond, log.gate.Unlock)
	require.Contains(t, l.next(), `"grants":["read","rpc"]`)
}

func TestAttachGraceEndsInAnonymous(t *testing.T) {
	g := newGateway(t, edgefront.Options{AttachGrace: time.Millisecond})
	alice := g.register("alice")
	g.room("secret", private, alice)
	l := g.dial("/agents/alice/secret")
	require.Contains(t, l.next(), `"v":2,"kind":"error","code":"unauthorized"`)
	require.EqualValues(t, 1008, l.ended().Code)
}

// What rests on membership ends with it: the event that says so is the last that the client gets.
func TestLeavingEndsTheConnection(t *testing.T) {
	log := memlog.New()
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("secret", private, alice, bob)
	stays, leaves := g.attach("/agents/alice/secret", alice.key), g.attach("/agents/alice/secret", bob.key)
	stays.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bob>":{"presence":"live"}}}}}`)
	last, err := log.Last(t.Context(), core.RoomStream(room))
	require.NoError(t, err)
	_, err = log.Append(t.Context(), core.RoomStream(room), last, []core.Event{{
		Kind: core.MemberLeft, Version: 4, At: g.node.Now(), Body: []byte(`{"agent":"` + bob.ID + `"}`),
	}})
	require.NoError(t, err)
	for _, l := range []*link{stays, leaves} {
		l.expect(
			`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bob>":null}}}}`,
			`{"json":{"v":2,"kind":"event","seq":4,"type":"member.left","payload":{"agent":"<bob>"},"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`,
		)
	}
	require.Equal(t, websocket.CloseError{Code: 1008, Reason: "no longer a member of this room"}, leaves.ended())
	stays.send(pingText)
	stays.expect(pongText)
	l := g.dial("/agents/alice/secret")
	l.send(attachText(bob.key))
	require.Contains(t, l.next(), "unauthorized")
}
