package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withRoles makes a room with two roles, one of them exclusive.
func (a *agent) withRoles(t *testing.T, members ...*agent) string {
	t.Helper()
	return a.roomWith(t, object{"roles": []any{
		object{"name": "scribe", "instructions": "Write it down."},
		object{"name": "chair", "instructions": strings.Repeat("ö", 250), "exclusive": true},
	}}, members...)
}

func TestRoles(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("list", func(t *testing.T) {
		shows(t, "4.7-list_roles", "4.3-ROLE", "0.1-preview", "4.7-assumable", "4.3-HOLDER", "4.7-get_role_detail", "4.7-get_role_detail.errors")
		a, b, _ := s.agents(t)
		room := a.withRoles(t, a, b)
		mine, theirs := a.within(t, room), b.within(t, room)
		roles := list(t, mine.call(t, "list_roles", nil))
		require.Equal(t, anys("chair", "scribe"), column(t, roles, "name"))
		chair := shape(t, roles[0], shapeRole)
		require.Equal(t, strings.Repeat("ö", 200), chair["instructions_preview"])
		require.Equal(t, true, chair["exclusive"])
		require.Equal(t, true, chair["assumable_by_me"])
		require.Equal(t, []any{}, chair["held_by"])
		mine.call(t, "assume_role", object{"role": "chair"})
		roles = list(t, theirs.call(t, "list_roles", nil))
		require.Equal(t, anys(false, true), column(t, roles, "assumable_by_me"))
		holder := shape(t, at(t, roles[0], "held_by", 0), shapeHolder)
		require.Equal(t, object{"name": a.name, "present_here": true, "session_room": holder["session_room"]}, holder)
		require.Equal(t, false, at(t, mine.call(t, "list_roles", nil), 1, "assumable_by_me"), "it holds another")
		detail := shape(t, b.call(t, "get_role_detail", object{"room_id": room, "role_name": "chair"}),
			"name string, exclusive bool, held_by list, assumable_by_me bool, instructions string")
		require.Equal(t, strings.Repeat("ö", 250), detail["instructions"])
		b.try(t, "get_role_detail", object{"room_id": room, "role_name": "boss"}).refused(400)
		s.agent(t).try(t, "get_role_detail", object{"room_id": room, "role_name": "chair"}).refused(403)
		require.Equal(t, "chair", find(t, list(t, b.open(t).call(t, "connect_to_room", object{"room_id": room}), "participants"), "name", a.name)["room_role"])
	})
	t.Run("elsewhere", func(t *testing.T) {
		shows(t, "4.3-HOLDER-elsewhere", "4.3-HOLDER")
		a, b, _ := s.agents(t)
		room := a.withRoles(t, a, b)
		name := unique("elsewhere")
		other := a.roomWith(t, object{"name": name}, a)
		mine, theirs := a.within(t, room), b.within(t, room)
		mine.call(t, "assume_role", object{"role": "scribe"})
		mine.call(t, "connect_to_room", object{"room_id": other})
		holder := shape(t, at(t, theirs.call(t, "list_roles", nil), 1, "held_by", 0), shapeHolder)
		require.Equal(t, object{"name": a.name, "present_here": false, "session_room": name}, holder)
		a.unsubscribe(t, mine.conn, other).is(200)
		holder = at(t, theirs.call(t, "list_roles", nil), 1, "held_by", 0).(object)
		require.Equal(t, object{"name": a.name, "present_here": false, "session_room": nil}, holder)
	})
	t.Run("define", func(t *testing.T) {
		shows(t, "4.7-define_role", "4.7-define_role.errors")
		a := s.agent(t)
		stream := a.within(t, a.withRoles(t, a))
		require.Equal(t, object{"status": "defined", "name": "clerk"}, stream.call(t, "define_role", object{"name": "clerk", "instructions": "Count.", "exclusive": true}))
		clerk := find(t, list(t, stream.call(t, "list_roles", nil)), "name", "clerk")
		require.Equal(t, true, clerk["exclusive"])
		for _, bad := range []string{"", " ", "a b", "a\tb", "a\nb", "clerk", "scribe"} {
			stream.try(t, "define_role", object{"name": bad, "instructions": "x"}).refused(400)
		}
	})
	t.Run("edit", func(t *testing.T) {
		shows(t, "4.7-edit_role", "4.7-edit_role.errors")
		a, b, _ := s.agents(t)
		room := a.withRoles(t, a, b)
		mine, theirs := a.within(t, room), b.within(t, room)
		theirs.call(t, "assume_role", object{"role": "scribe"})
		require.Equal(t, object{"status": "edited", "name": "scribe"}, mine.call(t, "edit_role", object{"name": "scribe", "instructions": "Draw it."}))
		o := mine.call(t, "get_role_detail", object{"room_id": room, "role_name": "scribe"}).(object)
		require.Equal(t, "Draw it.", o["instructions"])
		require.Equal(t, false, o["exclusive"])
		require.Len(t, o["held_by"], 1)
		mine.call(t, "edit_role", object{"name": "scribe", "exclusive": true})
		o = mine.call(t, "get_role_detail", object{"room_id": room, "role_name": "scribe"}).(object)
		require.Equal(t, "Draw it.", o["instructions"])
		require.Equal(t, true, o["exclusive"])
		mine.try(t, "edit_role", object{"name": "boss", "instructions": "x"}).refused(400)
	})
	t.Run("delete", func(t *testing.T) {
		shows(t, "4.7-delete_role", "4.7-delete_role.errors")
		a, b, _ := s.agents(t)
		room := a.withRoles(t, a, b)
		mine, theirs := a.within(t, room), b.within(t, room)
		theirs.call(t, "assume_role", object{"role": "chair"})
		require.Equal(t, object{"status": "deleted", "name": "chair"}, mine.call(t, "delete_role", object{"name": "chair"}))
		require.Equal(t, anys("scribe"), column(t, list(t, mine.call(t, "list_roles", nil)), "name"))
		theirs.call(t, "assume_role", object{"role": "scribe"})
		mine.try(t, "delete_role", object{"name": "chair"}).refused(400)
	})
	t.Run("assume", func(t *testing.T) {
		shows(t, "4.7-assume_role", "4.7-assume_role.unknown", "4.7-assume_role.another", "4.7-assume_role.exclusive", "4.7-assume_role.shared",
			"4.7-assume_role.again", "4.7-release_role", "4.7-release_role.anywhere", "8-28")
		a, b, _ := s.agents(t)
		room, other := a.withRoles(t, a, b), a.withRoles(t, a, b)
		mine, theirs := a.within(t, room), b.within(t, room)
		o := shape(t, mine.call(t, "assume_role", object{"role": "scribe"}), "role string, instructions string")
		require.Equal(t, object{"role": "scribe", "instructions": "Write it down."}, o)
		require.Equal(t, o, mine.call(t, "assume_role", object{"role": "scribe"}))
		require.Equal(t, o, theirs.call(t, "assume_role", object{"role": "scribe"}), "a shared role")
		require.ElementsMatch(t, anys(a.name, b.name), column(t, list(t, mine.call(t, "list_roles", nil), 1, "held_by"), "name"))
		mine.try(t, "assume_role", object{"role": "boss"}).refused(400)
		mine.try(t, "assume_role", object{"role": "chair"}).refused(400)
		elsewhere := a.within(t, other)
		elsewhere.try(t, "assume_role", object{"role": "scribe"}).refused(400)
		require.Equal(t, object{"status": "released"}, elsewhere.call(t, "release_role", nil))
		require.Equal(t, object{"status": "released"}, elsewhere.call(t, "release_role", nil))
		require.Equal(t, anys(b.name), column(t, list(t, mine.call(t, "list_roles", nil), 1, "held_by"), "name"))
		theirs.call(t, "release_role", nil)
		mine.call(t, "assume_role", object{"role": "chair"})
		theirs.try(t, "assume_role", object{"role": "chair"}).refused(400)
		mine.call(t, "release_role", nil)
		theirs.call(t, "assume_role", object{"role": "chair"})
	})
	t.Run("renew", func(t *testing.T) {
		shows(t, "1.6-renew", "1.6-renew-held")
		a := s.agent(t)
		stream := a.within(t, a.withRoles(t, a))
		a.post(t, "/leases/renew", nil).is(200).exactly(`{"ok":true,"held":false}`)
		stream.call(t, "assume_role", object{"role": "chair"})
		a.post(t, "/leases/renew", nil).is(200).exactly(`{"ok":true,"held":true}`)
		stream.call(t, "release_role", nil)
		a.post(t, "/leases/renew", nil).is(200).exactly(`{"ok":true,"held":false}`)
	})
}
