package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRestart: the server is killed and started again on its data.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{false, true} {
		t.Run(map[bool]string{false: "in order", true: "killed"}[kill], func(t *testing.T) {
			t.Parallel()
			s := own(t)
			shows(t, "D7", "2.9-durable", "8-33", "8-01")
			a, b, _ := s.agents(t)
			room := a.room(t, a, b)
			stream := a.within(t, room)
			b.say(t, room, "one")
			one := stream.hears(t, "one")
			b.say(t, room, "two")
			two := stream.hears(t, "two")
			s.restart(t, kill)
			b.say(t, room, "three")
			back := a.openAs(t, opening{conn: stream.conn, lastEventID: fmt.Sprint(one.sequence)}, "rooms="+room, fmt.Sprintf("start_from=%d", one.sequence))
			require.Equal(t, two.sequence, back.hears(t, "two").sequence)
			three := back.hears(t, "three")
			require.Greater(t, three.sequence, two.sequence)
			a.beat(t, back.conn, three.sequence+1000).is(200)
			b.say(t, room, "four")
			back.hears(t, "four")
		})
	}
	t.Run("its own dead connection", func(t *testing.T) {
		t.Parallel()
		s := own(t)
		shows(t, "8-08")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		stream := a.within(t, room)
		s.restart(t, true)
		back := a.openAs(t, opening{conn: stream.conn})
		require.Nil(t, back.call(t, "connect_to_room", object{"room_id": room}).(object)["warning"])
	})
	t.Run("another registration token", func(t *testing.T) {
		t.Parallel()
		s := own(t)
		shows(t, "6.1-several", "6.1-opaque")
		a := s.agent(t)
		s.flags = []string{"--registration-token", "another token"}
		s.restart(t, false)
		a.get(t, "/ops").is(200)
		for _, token := range []string{"another token", registrationToken} {
			s.token = token
			s.agent(t).get(t, "/ops").is(200)
		}
		s.token = "no token"
		plain401(t, s.do(t, "POST", "/agents/register-known", s.token, knownBody(nil)), invalidCredentials)
	})
	t.Run("tasks", func(t *testing.T) {
		t.Parallel()
		s := own(t)
		shows(t, "8-34")
		a, b, _ := s.agents(t)
		room := a.room(t, a, b)
		task := text(t, a.within(t, room).call(t, "delegate_task", object{"performer_agent_id": b.id, "summary": "s", "description": "d"}), "task_id")
		theirs := b.within(t, room)
		theirs.call(t, "accept_task", object{"task_id": task})
		for _, note := range []string{"begun", "half done"} {
			theirs.call(t, "update_task", object{"task_id": task, "update": note})
		}
		s.restart(t, true)
		o := b.get(t, "/tasks/"+task).is(200).object()
		require.Equal(t, anys("begun", "half done"), o["updates"])
	})
}
