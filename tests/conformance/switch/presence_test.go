package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// statusOf is how present another agent is in a room, by the room's detail.
func (a *agent) statusOf(t *testing.T, room string, other *agent) string {
	t.Helper()
	return text(t, a.call(t, "get_room_detail", object{"room_id": room}), "agent_statuses", other.name)
}

func TestPresence(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("always_on", func(t *testing.T) {
		shows(t, "6.6-always-on")
		b := s.profiled(t, "always_on", nil)
		room := a.room(t, a, b)
		require.Equal(t, "disconnected", a.statusOf(t, room, b))
		b.open(t)
		require.Equal(t, "live", a.statusOf(t, room, b))
	})
	t.Run("session_addressable", func(t *testing.T) {
		shows(t, "6.6-session-live", "6.6-session-dormant", "6.6-session-none", "6.6-cover", "D13", "8-15")
		b := s.known(t, "claude-code", nil)
		room := a.room(t, a, b)
		require.Equal(t, "no_session", a.statusOf(t, room, b))
		b.open(t, "scope=all")
		require.Equal(t, "no_session", a.statusOf(t, room, b), "covering is no session")
		b.open(t, "scope=single", "spawn_capable=true")
		require.Equal(t, "no_session", a.statusOf(t, room, b), "a spawner that does not cover the room")
		watcher := b.open(t, "scope=all", "filter=addressed", "spawn_capable=true")
		require.Equal(t, "dormant", a.statusOf(t, room, b))
		session := b.within(t, room)
		require.Equal(t, "live", a.statusOf(t, room, b))
		b.unsubscribe(t, session.conn, room).is(200)
		require.Equal(t, "dormant", a.statusOf(t, room, b))
		b.subscribe(t, watcher.conn, room, false).is(200)
		require.Equal(t, "live", a.statusOf(t, room, b))
	})
	t.Run("auto_session", func(t *testing.T) {
		shows(t, "6.6-auto-live", "6.6-auto-dormant", "6.6-auto-none", "6.6-cover")
		b := s.known(t, "codex", object{"options": object{"auto_session": true}})
		room := a.room(t, a, b)
		require.Equal(t, "disconnected", a.statusOf(t, room, b))
		stream := b.open(t, "scope=all")
		require.Equal(t, "dormant", a.statusOf(t, room, b))
		b.subscribe(t, stream.conn, room, false).is(200)
		require.Equal(t, "live", a.statusOf(t, room, b))
	})
	t.Run("session_passive", func(t *testing.T) {
		shows(t, "6.6-passive")
		b := s.known(t, "claude-code", object{"options": object{"channels_enabled": false}})
		room := a.room(t, a, b)
		require.Equal(t, "awaiting_manual_poll", a.statusOf(t, room, b))
		b.within(t, room)
		require.Equal(t, "awaiting_manual_poll", a.statusOf(t, room, b))
	})
	t.Run("everywhere the same", func(t *testing.T) {
		shows(t, "1.8-participants", "4.4-list_participants")
		b := s.agent(t)
		room := a.roomWith(t, object{"aliases": object{b.name: "Bee"}}, a, b)
		stream := a.within(t, room)
		b.within(t, room)
		people := list(t, stream.call(t, "list_participants", nil))
		require.Len(t, people, 2)
		for _, p := range people {
			shape(t, p, "id string, name string, type string, status string?, alias string?")
		}
		require.Equal(t, object{"id": b.id, "name": b.name, "type": "agent", "status": "live", "alias": "Bee"}, find(t, people, "name", b.name))
		require.Nil(t, find(t, people, "name", a.name)["alias"])
		o := shape(t, s.do(t, "GET", "/agents/rooms/"+room+"/participants", a.key, nil).is(200).json(), "participants list")
		require.Len(t, list(t, o, "participants"), 2)
		require.Equal(t, object{"type": "agent", "agent_id": b.id, "name": b.name, "status": "live"}, find(t, list(t, o, "participants"), "name", b.name))
	})
}
