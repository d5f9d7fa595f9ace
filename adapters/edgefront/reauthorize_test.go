package edgefront_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/testsocket"
)

// clock is the time, and what a test adds to it.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) move(d time.Duration) { c.ahead.Add(int64(d)) }

// rights is a gateway with a clock of its own and a private room with two members.
type rights struct {
	*gateway
	clock      *clock
	room       string
	alice, bob person
}

const humanCode = "hc_for-people"

func newRights(t *testing.T, o edgefront.Options) *rights {
	t.Helper()
	r := &rights{clock: &clock{}}
	r.gateway = newGatewayOn(t, memlog.New(), core.Options{Now: r.clock.now}, o)
	r.alice, r.bob = r.register("alice"), r.register("bob")
	r.room = r.gateway.room("secret", func(cmd *core.CreateRoom) {
		private(cmd)
		cmd.HumanCodeHash, cmd.Facts.Creator = core.HashSecret(humanCode), r.alice.ID
	}, r.alice, r.bob)
	return r
}

func (r *rights) roomToken() string {
	r.t.Helper()
	token, _, err := r.node.MintRoomToken(context.Background(), r.bob.ID, r.room)
	require.NoError(r.t, err)
	return token
}

func (r *rights) replaceKey() {
	r.t.Helper()
	_, err := r.node.Register(context.Background(), core.Registration{
		Agent: core.Agent{Name: "bob", Handle: "bob"}, Overwrite: true,
	})
	require.NoError(r.t, err)
}

// credential is something to come with, and how it ends.
type credential struct {
	token func(*rights) string
	end   func(*rights)
}

func endingCredentials() map[string]credential {
	key := func(r *rights) string { return r.bob.key }
	return map[string]credential{
		"room token that is over":        {(*rights).roomToken, func(r *rights) { r.clock.move(time.Hour) }},
		"room token that was replaced":   {(*rights).roomToken, func(r *rights) { r.roomToken() }},
		"room token and a replaced key":  {(*rights).roomToken, (*rights).replaceKey},
		"API key that was replaced":      {key, (*rights).replaceKey},
		"session token that is over":     {(*rights).session, func(r *rights) { r.clock.move(core.SessionLife) }},
		"session and a replaced API key": {(*rights).session, (*rights).replaceKey},
		"room token of a closed room": {(*rights).roomToken, func(r *rights) {
			_, _, err := r.node.CloseRoom(context.Background(), r.room, core.CloseRoom{Actor: r.alice.ID}, nil)
			require.NoError(r.t, err)
		}},
	}
}

func (r *rights) session() string {
	r.t.Helper()
	token, _, err := r.node.OpenSession(context.Background(), core.Credential{Agent: r.bob.ID})
	require.NoError(r.t, err)
	return token
}

const ended = "what this connection was granted has ended: come back with a valid token"

// A call with what has ended does nothing, whatever the time of the next check.
func TestEndedCredentialsCallNothing(t *testing.T) {
	for name, c := range endingCredentials() {
		t.Run(name, func(t *testing.T) {
			r := newRights(t, patient())
			l := r.attach("/agents/alice/secret", c.token(r))
			l.send(callText("c0", "post_message", `,"args":["in time"]`))
			require.Contains(t, l.until(`"id":"c0"`), `"kind":"result"`)
			c.end(r)
			require.NoError(t, r.node.CatchUp(t.Context()))
			before := r.node.Applied()
			l.send(callText("c1", "post_message", `,"args":["too late"]`))
			require.Equal(t, `{"json":{"v":2,"kind":"error","id":"c1","code":"unauthorized","message":"`+ended+`"}}`, l.until(`"id":"c1"`))
			require.Equal(t, before, r.node.Applied(), "nothing changed")
			l.send(pingText)
			l.expect(pongText)
		})
	}
}

// A socket that only listens is closed when what it came with ends; the others stay.
func TestEndedRightsCloseTheSocket(t *testing.T) {
	rows := endingCredentials()
	rows["code for people that is over"] = credential{
		func(*rights) string { return humanCode }, func(r *rights) { r.clock.move(core.HumanCodeLife) },
	}
	var viewer string
	rows["viewer who leaves"] = credential{
		func(r *rights) string {
			var err error
			viewer, err = r.node.JoinViewers(t.Context(), r.room, humanCode)
			require.NoError(t, err)
			return viewer
		},
		func(r *rights) { require.NoError(t, r.node.LeaveViewers(t.Context(), r.room, viewer)) },
	}
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			o := patient()
			o.Reauth = 5 * time.Millisecond
			r := newRights(t, o)
			stays, goes := r.attach("/agents/alice/secret", r.alice.key), r.attach("/agents/alice/secret", c.token(r))
			c.end(r)
			require.Equal(t, `{"json":{"v":2,"kind":"error","code":"unauthorized","message":"`+ended+`"}}`, goes.until(`"kind":"error"`))
			require.Equal(t, websocket.CloseError{Code: 1008, Reason: "refused"}, goes.ended())
			stays.send(pingText)
			stays.until(`"kind":"pong"`)
		})
	}
}

// The sockets of an agent that was deleted close at once, before any check is due, whatever it came with.
func TestDeletedAgentsSocketsClose(t *testing.T) {
	r := newRights(t, patient())
	stays := r.attach("/agents/alice/secret", r.alice.key)
	var closing []*link
	for _, token := range []string{r.bob.key, r.session(), r.roomToken()} {
		closing = append(closing, r.attach("/agents/alice/secret", token))
	}
	require.NoError(t, r.node.DeleteAgent(context.Background(), r.bob.ID))
	for _, l := range closing {
		require.EqualValues(t, 1008, l.ended().Code)
	}
	stays.send(pingText)
	stays.until(`"kind":"pong"`)
}

// In a public room an ended credential ends the socket too, as it would be refused at the door; nobody's socket stays.
func TestEndedCredentialInAPublicRoom(t *testing.T) {
	o := patient()
	o.Reauth = 5 * time.Millisecond
	r := newRights(t, o)
	r.gateway.room("open", nil, r.alice)
	stays, goes := r.attach("/agents/alice/open", ""), r.attach("/agents/alice/open", r.bob.key)
	r.replaceKey()
	require.EqualValues(t, 1008, goes.ended().Code)
	stays.send(pingText)
	stays.expect(pongText)
}

// A client that takes a long log slowly does not keep its rights for longer.
func TestRightsEndDuringALongSnapshot(t *testing.T) {
	o := patient()
	o.Reauth = time.Millisecond
	r := newRights(t, o)
	for range 100 {
		r.post(r.room, r.bob, strings.Repeat("x", 200_000))
	}
	s := r.rawDial("/agents/alice/secret")
	s.Put(testsocket.Text(attachText(r.bob.key)))
	s.Await(`"kind":"attached"`)
	r.replaceKey()
	got := 0
	for {
		op, payload, err := s.Read()
		require.NoError(t, err)
		if op == testsocket.OpClose {
			require.Equal(t, "\x03\xf0refused", payload)
			break
		}
		require.NotEqual(t, helloText, payload)
		got += len(payload)
	}
	require.Less(t, got, 20_000_000)
}

// fullLog takes no events once the test says so.
type fullLog struct {
	core.Log
	full atomic.Bool
}

func (l *fullLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if l.full.Load() {
		return nil, core.ErrFull
	}
	return l.Log.Append(ctx, s, last, e)
}

// A room token that cannot be extended is good until its end.
func TestRoomTokenWhileTheLogIsFull(t *testing.T) {
	now, log := &clock{}, &fullLog{Log: memlog.New()}
	g := newGatewayOn(t, log, core.Options{Now: now.now, SweepEvery: time.Hour}, patient())
	alice := g.register("alice")
	room := g.room("secret", private, alice)
	token, _, err := g.node.MintRoomToken(t.Context(), alice.ID, room)
	require.NoError(t, err)
	now.move(core.RoomTokenLife - 30*time.Second)
	log.full.Store(true)
	l := g.attach("/agents/alice/secret", token)
	l.send(callText("1", "list_participants", ""))
	require.Contains(t, l.until(`"id":"1"`), `"kind":"result"`)
}

// A viewer on a socket is heard of as long as the socket is open.
func TestOpenSocketIsAViewersSignOfLife(t *testing.T) {
	o := patient()
	o.Reauth = 5 * time.Millisecond
	r := newRights(t, o)
	viewer, err := r.node.JoinViewers(t.Context(), r.room, humanCode)
	require.NoError(t, err)
	l := r.attach("/agents/alice/secret", viewer)
	for range 3 {
		r.clock.move(core.ViewerLife + time.Second)
		require.Eventually(t, func() bool { return r.node.CheckViewer(r.room, viewer) == nil }, patience, time.Millisecond)
	}
	l.send(pingText)
	l.until(`"kind":"pong"`)
	l.send(callText("1", "post_message", `,"args":["hi"]`))
	require.Contains(t, l.until(`"id":"1"`), `"code":"unauthorized"`)
}
