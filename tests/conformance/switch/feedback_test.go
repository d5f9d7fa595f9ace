package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessageRoute(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a, b)
	ears := b.within(t, room)
	t.Run("200", func(t *testing.T) {
		shows(t, "1.7-message-200", "1.7-message-metadata", "1.7-message-no-connection")
		o := shape(t, a.post(t, "/message", object{"room_id": room, "content": "hello", "metadata": object{"x": 1}}).is(200).json(), "ok bool, event_id string")
		require.Equal(t, true, o["ok"])
		require.Equal(t, o["event_id"], ears.hears(t, "hello").payload["message_id"])
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "1.7-message-404", "1.7-message-403", "1.7-message-422")
		a.post(t, "/message", object{"room_id": "no-such-room", "content": "x"}).refused(404)
		s.agent(t).post(t, "/message", object{"room_id": room, "content": "x"}).refused(403)
		a.post(t, "/message", object{"room_id": room}).invalid(422)
		a.post(t, "/message", object{"content": "x"}).invalid(422)
	})
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.room(t, a, b)
	stream := a.within(t, room)
	read := func(t *testing.T, parameters ...string) object {
		t.Helper()
		return shape(t, a.get(t, "/rooms/"+room+"/history"+query(parameters...)).is(200).json(), "events list, has_more bool")
	}
	root := a.say(t, room, "0")
	for i := range 60 {
		if i > 0 {
			stream.call(t, "post_message", object{"body": fmt.Sprint(i), "thread_id": root})
		}
	}
	t.Run("flat", func(t *testing.T) {
		shows(t, "1.8-history", "8-20", "1.8-history-limit")
		o := read(t, "limit=100")
		require.Equal(t, false, o["has_more"])
		bodies := column(t, list(t, o, "events"), "body")
		require.Subset(t, bodies, anys("0", "1", "59"))
		e := shape(t, list(t, o, "events")[len(bodies)-1], "sender string, sender_name string, body string, timestamp int?")
		require.Equal(t, "59", e["body"])
		require.Equal(t, a.name, e["sender_name"])
		require.Greater(t, e["timestamp"], 1e12)
		o = read(t)
		require.Len(t, o["events"], 50)
		require.Equal(t, true, o["has_more"])
		require.Equal(t, "59", at(t, o, "events", 49, "body"), "the newest, oldest first")
		require.Equal(t, "10", at(t, o, "events", 0, "body"))
		require.Len(t, read(t, "limit=1")["events"], 1)
	})
	t.Run("bounds", func(t *testing.T) {
		shows(t, "1.8-history-bounds", "1.8-history-date")
		future, past := "2100-01-01T00:00:00Z", "2001-01-01T00:00:00"
		require.Empty(t, read(t, "since="+future)["events"])
		require.Empty(t, read(t, "before="+past)["events"])
		require.NotEmpty(t, read(t, "since="+past, "before="+future)["events"])
		for _, name := range []string{"since", "before"} {
			status := a.get(t, "/rooms/"+room+"/history?"+name+"=yesterday").status
			require.Contains(t, []int{400, 422}, status)
		}
		a.get(t, "/rooms/"+room+"/history?limit=many").invalid(422)
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "1.8-history-errors", "1.8-participants-404")
		a.get(t, "/rooms/no-such-room/history").refused(404)
		s.agent(t).get(t, "/rooms/"+room+"/history").refused(403)
		s.do(t, "GET", "/agents/rooms/no-such-room/participants", a.key, nil).refused(404)
	})
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, outsider := s.agents(t)
	room := a.room(t, a, b)
	t.Run("typing", func(t *testing.T) {
		shows(t, "1.8-typing", "1.8-typing-errors")
		for _, is := range []bool{true, false} {
			a.post(t, "/typing", object{"room_id": room, "is_typing": is}).is(200).exactly(`{"ok":true}`)
		}
		a.post(t, "/typing", object{"room_id": "no-such-room", "is_typing": true}).refused(404)
		outsider.post(t, "/typing", object{"room_id": room, "is_typing": true}).refused(403)
		a.post(t, "/typing", object{"room_id": room}).invalid(422)
	})
	t.Run("status", func(t *testing.T) {
		shows(t, "1.8-status", "1.8-status-detail", "1.8-status-errors")
		ears := b.within(t, room)
		a.post(t, "/status", object{"room_id": room}).is(200).exactly(`{"ok":true}`)
		a.post(t, "/status", object{"room_id": room, "presence": "online", "status": "busy", "detail": ""}).is(200)
		a.post(t, "/status", object{"room_id": room, "presence": "offline", "detail": "reading files"}).is(200)
		e := ears.event(t, "message")
		body := text(t, e.payload, "body")
		require.Contains(t, []string{"*reading files*", "_reading files_"}, body)
		require.Equal(t, a.name, e.payload["sender_name"])
		a.post(t, "/status", object{"room_id": "no-such-room"}).refused(404)
		outsider.post(t, "/status", object{"room_id": room}).refused(403)
		a.post(t, "/status", object{"room_id": room, "presence": "perhaps"}).invalid(422)
	})
	t.Run("runtime-state", func(t *testing.T) {
		shows(t, "1.8-runtime", "1.8-runtime-422", "1.8-runtime-errors")
		for _, state := range []string{"working", "awaiting-input", "idle"} {
			a.post(t, "/runtime-state", object{"room_id": room, "state": state}).is(200).exactly(`{"ok":true}`)
		}
		a.post(t, "/runtime-state", object{
			"room_id": room, "state": "working", "thread_id": a.say(t, room, "thread"), "anchor_event_id": "x", "deeplink_url": "switchdash://session?x=1",
			"detail": "reads", "control_capabilities": object{"reset": true, "compact": false, "interrupt": true},
		}).is(200).exactly(`{"ok":true}`)
		a.post(t, "/runtime-state", object{"room_id": room, "state": "asleep"}).invalid(422)
		a.post(t, "/runtime-state", object{"room_id": room}).invalid(422)
		a.post(t, "/runtime-state", object{"room_id": "no-such-room", "state": "idle"}).refused(404)
		outsider.post(t, "/runtime-state", object{"room_id": room, "state": "idle"}).refused(403)
	})
}
