package edgefront_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/internal/typedjson"
)

// TestSharedState: what one member writes by a call comes to all as one patch before the answer, with its types, and a later
// client finds it in the snapshot.
func TestSharedState(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	g.room("chat", nil, alice, bob)
	l, watcher := g.dial("/agents/alice/chat"), g.dial("/agents/alice/chat")
	for _, c := range []struct {
		client *link
		who    person
	}{{l, alice}, {watcher, bob}} {
		c.client.send(`{"json":{"v":2,"kind":"attach","token":"` + c.who.key + `","subscribe":["state"]}}`)
		c.client.until(`"kind":"hello"`)
	}
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bob>":{"presence":"live"}}}}}`)
	both := func(text string) {
		t.Helper()
		l.expect(text)
		watcher.expect(text)
	}
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"setRoomState","args":[{"due":"2026-01-02T03:04:05.678Z","seen":["a"],"note":null,"plan":{"step":1}}]},` +
		`"meta":{"values":{"args.0.due":["Date"],"args.0.seen":["set"],"args.0.note":["undefined"]},"v":1}}`)
	both(`{"json":{"v":1,"kind":"state","patch":{"due":"<time>","seen":["a"],"note":null,"plan":{"step":1}}},` +
		`"meta":{"values":{"patch.due":["Date"],"patch.seen":["set"],"patch.note":["undefined"]},"v":1}}`)
	require.Contains(t, l.next(), `"kind":"result","id":"1","value":{"room_id":"<room>","changed":true,"bytes":`)
	l.send(callText("2", "set_room_state", `,"args":[{"patch":{"seen":null,"plan":{"of":3}}}]`))
	both(`{"json":{"v":1,"kind":"state","patch":{"seen":null,"plan":{"of":3}}}}`)
	l.until(`"id":"2"`)
	l.send(callText("3", "get_room_state", ``))
	l.expect(`{"json":{"v":1,"kind":"result","id":"3","value":{"due":"<time>","note":null,"plan":{"step":1,"of":3}}},` +
		`"meta":{"values":{"value.due":["Date"],"value.note":["undefined"]},"v":1}}`)

	late := g.dial("/agents/alice/chat")
	late.send(`{"json":{"v":2,"kind":"attach","token":"` + bob.key + `","subscribe":["state"]}}`)
	snapshot := g.plain(late.until(`"snapshot"`))
	require.Contains(t, snapshot, `"references":{},"due":"<time>","note":null,"plan":{"step":1,"of":3},"typing":{}`)
	require.Contains(t, snapshot, `"snapshot.due":["Date"],"snapshot.note":["undefined"]`)

	l.send(callText("4", "replaceRoomState", `,"args":[{"plan":{"of":3},"done":true}]`))
	both(`{"json":{"v":1,"kind":"state","patch":{"due":null,"note":null,"plan":{"step":null},"done":true}}}`)
	l.until(`"id":"4"`)
	for i, c := range []struct{ args, want string }{
		{`[{"turn":1}]`, `"code":"method_error","message":"patch: turn: under these keys the room itself tells`},
		{`[5]`, `"code":"method_error","message":"argument \"patch\" must be an object"`},
		{`[{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}]`, `"code":"method_error","message":"argument \"patch\": the value is too large, too deep`},
		{`[{"patch":{},"room_id":"room_none"}]`, `"code":"method_error","message":"no such room"`},
		{`[]`, `"message":"missing required arguments: patch"`},
	} {
		l.send(callText("r"+string(rune('0'+i)), "setRoomState", `,"args":`+c.args))
		require.Contains(t, l.next(), c.want)
	}
}

// TestRoomTokenSharesInItsRoom: a credential for one room reaches the state of that room and no other.
func TestRoomTokenSharesInItsRoom(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	other := g.room("other", nil, alice)
	token, _, err := g.node.MintRoomToken(t.Context(), alice.ID, room)
	require.NoError(t, err)
	l := g.attach("/agents/alice/chat", token)
	l.send(callText("1", "set_room_state", `,"args":[{"patch":{"a":1},"room_id":"`+other+`"}]`))
	require.Contains(t, l.until(`"id":"1"`), `"code":"unauthorized","message":"this credential opens its own room only`)
	l.send(callText("2", "set_room_state", `,"args":[{"patch":{"a":1}}]`))
	require.Contains(t, l.until(`"id":"2"`), `"changed":true`)
}

// TestEmittedEvent: it has the type and the payload that the member gave it, and is no change of the state.
func TestEmittedEvent(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	l.send(`{"json":{"v":1,"kind":"call","id":"1","method":"emitEvent","args":["progress",{"pct":50,"since":"2026-01-02T03:04:05.678Z"}]},` +
		`"meta":{"values":{"args.1.since":["Date"]},"v":1}}`)
	l.expect(
		`{"json":{"v":2,"kind":"event","seq":3,"type":"progress","payload":{"pct":50,"since":"<time>"},"at":"<time>"},`+
			`"meta":{"values":{"payload.since":["Date"],"at":["Date"]},"v":1}}`,
		`{"json":{"v":1,"kind":"result","id":"1","value":{"room_id":"<room>","version":3}}}`,
	)
	for id, c := range map[string]struct{ args, want string }{
		"2": {`["none"]`, `"type":"none","payload":null,"at":"<time>"},"meta":{"values":{"payload":["undefined"],"at":["Date"]},"v":1}}`},
		"3": {`["null",null]`, `"type":"null","payload":null,"at":"<time>"},"meta":{"values":{"at":["Date"]},"v":1}}`},
		"4": {`[{"type":"named","payload":[1]}]`, `"type":"named","payload":[1],"at":"<time>"}`},
	} {
		l.send(callText(id, "emit_event", `,"args":`+c.args))
		require.Contains(t, l.next(), c.want)
		l.until(`"id":"` + id + `"`)
	}
	l.send(callText("5", "emit_event", `,"args":["message.posted",{}]`))
	require.Contains(t, l.next(), `"code":"method_error","message":"type: \"message.posted\" is what the room itself tells by`)
}

// TestChangedSettingsPatchTheState: name, description and alias.
func TestChangedSettingsPatchTheState(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":["state"]}}`)
	l.until(`"kind":"hello"`)
	name, description, archived := "talk", "of all", true
	require.NoError(t, g.node.ChangeRoom(t.Context(), room, core.ChangeRoom{
		Actor: alice.ID, Name: &name, Description: &description, Archived: &archived, Aliases: map[string]string{alice.ID: "al"},
	}, nil))
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"topic":"talk","description":"of all","archived":true,"participants":{"<alice>":{"alias":"al"}}}}}`)
	require.NoError(t, g.node.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: "judge", Exclusive: true}, nil))
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"roles":{"judge":{"exclusive":true}}}}}`)
	require.NoError(t, g.node.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: "constructor"}, nil))
	require.NoError(t, g.node.DeleteRole(t.Context(), room, core.DeleteRole{Actor: alice.ID, Name: "judge"}, nil))
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"roles":{"judge":null}}}}`)
	late := g.attach("/agents/alice/chat", alice.key)
	late.send(pingText)
	late.expect(pongText)
}

// TestTypingShowsAndEnds: who writes is shown while it lasts, and nothing of it lies in the log.
func TestTypingShowsAndEnds(t *testing.T) {
	g := newGateway(t, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("chat", nil, alice, bob)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":["state"]}}`)
	l.until(`"kind":"hello"`)
	before := g.node.Applied()
	began := `{"json":{"v":1,"kind":"state","patch":{"typing":{"<bob>":{"since":"<time>"}}}},"meta":{"values":{"patch.typing.<bob>.since":["Date"]},"v":1}}`
	ended := `{"json":{"v":1,"kind":"state","patch":{"typing":{"<bob>":null}}}}`
	_, err := g.node.StartTyping(t.Context(), room, bob.ID, 200*time.Millisecond)
	require.NoError(t, err)
	l.expect(began, ended)
	_, err = g.node.StartTyping(t.Context(), room, bob.ID, time.Hour)
	require.NoError(t, err)
	l.expect(began)
	late := g.dial("/agents/alice/chat")
	late.send(attachText(alice.key))
	require.Contains(t, g.plain(late.until(`"snapshot"`)), `"typing":{"<bob>":{"since":"<time>"}}`)
	_, err = g.node.StopTyping(bob.ID, room)
	require.NoError(t, err)
	l.expect(ended)
	require.Equal(t, before, g.node.Applied())
}

// TestPresenceShows: how a member is there, and the role that it holds, without an event of the room that would tell; and
// nobody who left comes back by it.
func TestPresenceShows(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	made, err := g.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bot", Handle: "bot", Model: core.ModelSession}})
	require.NoError(t, err)
	bot := person{made.Agent, made.Key}
	g.name(bot.ID, "<bot>")
	room := g.room("chat", func(c *core.CreateRoom) { c.Texts.Roles = []core.RoleDef{{Name: "judge"}} }, alice, bot)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":["state"]}}`)
	require.Contains(t, g.plain(l.until(`"snapshot"`)), `"presence":"no_session"`)
	l.until(`"kind":"hello"`)
	_, err = g.node.OpenConnection(t.Context(), bot.ID, core.OpenRequest{
		ID: "c1", Scope: core.ScopeSingle, Filter: core.FilterAll, FromHead: true, Rooms: []string{room},
	})
	require.NoError(t, err)
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bot>":{"presence":"live"}}}}}`)
	_, err = g.node.AssumeRole(t.Context(), room, core.AssumeRole{Agent: bot.ID, Role: "judge", Connection: "c1"})
	require.NoError(t, err)
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bot>":{"role":"judge"}}}}}`)
	require.NoError(t, g.node.LeaveRoom(t.Context(), room, core.LeaveRoom{Agent: bot.ID}))
	l.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bot>":null}}}}`)
	require.NoError(t, g.node.JoinRoom(t.Context(), room, core.JoinRoom{Member: core.NewMember{Agent: bot.ID, Name: "bot"}, Inviter: alice.ID}))
	require.Contains(t, l.next(), `"participants":{"<bot>":{"name":"bot"`)
	require.Contains(t, l.next(), `"participants":{"<bot>":{"presence":"`)
}

// TestASocketIsPresence: a member is live while it has a socket in the room, one that comes in by a session or a room token as
// well, and of several the last one counts. Who only watches is nobody's presence.
func TestASocketIsPresence(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	made, err := g.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bot", Handle: "bot", Model: core.ModelSession}})
	require.NoError(t, err)
	bot := person{made.Agent, made.Key}
	g.name(bot.ID, "<bot>")
	room := g.room("chat", nil, alice, bot)
	session, _, err := g.node.OpenSession(t.Context(), g.node.Authenticate(bot.key))
	require.NoError(t, err)
	inRoom, _, err := g.node.MintRoomToken(t.Context(), bot.ID, room)
	require.NoError(t, err)
	l := g.dial("/agents/alice/chat")
	l.send(`{"json":{"v":2,"kind":"attach","token":"` + alice.key + `","subscribe":["state"]}}`)
	l.until(`"kind":"hello"`)
	shows := func(presence core.Status) {
		t.Helper()
		l.expect(`{"json":{"v":1,"kind":"state","patch":{"participants":{"<bot>":{"presence":"` + string(presence) + `"}}}}}`)
		require.Equal(t, presence, g.node.Presence(bot.ID, room))
	}
	for _, token := range []string{bot.key, session, inRoom} {
		first := g.attach("/agents/alice/chat", token)
		require.Equal(t, core.StatusLive, g.node.Presence(bot.ID, room), "it is live before it is greeted")
		shows(core.StatusLive)
		second := g.attach("/agents/bot/chat", token)
		require.NoError(t, first.conn.CloseNow())
		second.send(pingText)
		second.until("pong")
		require.NoError(t, second.conn.CloseNow())
		shows(core.StatusNoSession)
	}
	anyone := g.dial("/agents/bot/chat")
	anyone.send(`{"json":{"v":2,"kind":"attach"}}`)
	anyone.until(`"kind":"hello"`)
	require.Equal(t, core.StatusNoSession, g.node.Presence(bot.ID, room), "without a token it is nobody's socket")
}

// TestPurgeTakesTheSharedState: a client that mirrors the state has nothing of it left.
func TestPurgeTakesTheSharedState(t *testing.T) {
	g := newGatewayOn(t, newGatedLog(), core.Options{Purge: core.PurgePolicy{Grace: time.Millisecond}, SweepEvery: time.Hour}, patient())
	alice, bob := g.register("alice"), g.register("bob")
	room := g.room("duel", func(c *core.CreateRoom) { c.Facts.Floor = core.FloorTurns }, alice, bob)
	v, err := typedjson.FromPlain([]byte(`{"marker":1}`), typedjson.Limits{})
	require.NoError(t, err)
	_, _, err = g.node.PatchState(t.Context(), room, core.PatchState{Actor: bob.ID, Patch: v}, nil)
	require.NoError(t, err)
	l := g.attach("/agents/alice/duel", alice.key)
	_, _, err = g.node.CloseRoom(t.Context(), room, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		ended, err := g.node.Purge(t.Context(), room)
		return err == nil && ended.State == core.StatePurged
	}, patience, time.Millisecond)
	require.NotContains(t, l.until(`"snapshot"`), "marker")
}
