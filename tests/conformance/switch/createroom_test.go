package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCreateRoom(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	try := func(t *testing.T, more object) answer {
		args := object{"name": unique("room"), "description": "d", "agent_names": []string{a.name}}
		for k, v := range more {
			args[k] = v
		}
		return a.try(t, "create_room", args)
	}
	create := func(t *testing.T, more object) object {
		t.Helper()
		return a.call(t, "get_room_detail", object{"room_id": text(t, result(try(t, more)), "id")}).(object)
	}
	t.Run("result", func(t *testing.T) {
		shows(t, "4.4-create_room", "4.4-create_room.required", "4.4-create_room.agent_names", "4.4-create_room.owner")
		o := shape(t, a.call(t, "create_room", object{"name": "some name", "description": "d", "agent_names": []string{}}), "id string, name string, matrix_room_id string, failed_attachments list")
		require.Equal(t, "some name", o["name"])
		require.Empty(t, o["failed_attachments"])
		a.try(t, "get_room_detail", object{"room_id": o["id"]}).refused(403)
		for _, missing := range []string{"name", "description", "agent_names"} {
			args := object{"name": "x", "description": "x", "agent_names": []string{}}
			delete(args, missing)
			require.Contains(t, a.try(t, "create_room", args).refused(400), missing)
		}
		require.Contains(t, try(t, object{"agent_names": []string{b.name, "no-such-agent"}}).refused(400), "no-such-agent")
		// The other agents of the owner may write it, members or not.
		private := text(t, result(try(t, object{"read_visibility": "private", "write_visibility": "private"})), "id")
		require.Equal(t, object{"ok": true}, b.call(t, "invite_agent_to_room", object{"room_id": private, "agent_name": b.name}))
	})
	t.Run("bridges", func(t *testing.T) {
		shows(t, "4.4-create_room.user_names", "4.4-create_room.bridge_id", "4.4-add_users_to_room")
		try(t, object{"user_names": []string{"someone"}}).refused(400)
		try(t, object{"bridge_id": "no-such-bridge"}).refused(400)
		room := a.room(t, a)
		a.try(t, "add_users_to_room", object{"room_id": room, "user_names": []string{"someone"}}).refused(400)
		a.try(t, "add_users_to_room", object{"room_id": "no-such-room", "user_names": []string{"someone"}}).refused(400)
	})
	t.Run("channel_type", func(t *testing.T) {
		shows(t, "4.4-create_room.channel_type")
		for _, kind := range []string{"channel_public", "channel_private", "direct", "group", "lobby"} {
			require.Equal(t, kind, create(t, object{"channel_type": kind})["channel_type"])
		}
		require.Equal(t, "channel_public", create(t, nil)["channel_type"])
		try(t, object{"channel_type": "hall"}).refused(400)
		try(t, object{"channel_type": ""}).refused(400)
	})
	t.Run("security_config", func(t *testing.T) {
		shows(t, "4.4-create_room.security_config")
		try(t, object{"security_config": object{"a": []any{1, object{"b": nil}}}}).is(200)
		try(t, object{"security_config": nil}).is(200)
		try(t, object{"security_config": 5}).refused(400)
	})
	t.Run("references", func(t *testing.T) {
		shows(t, "4.4-create_room.reference_ids", "4.4-create_room.package_ids")
		ref := a.reference(t, nil)
		o := result(try(t, object{"reference_ids": []string{ref}})).(object)
		require.Empty(t, o["failed_attachments"])
		shown := a.within(t, text(t, o, "id")).call(t, "list_references", nil)
		require.Equal(t, anys(ref), column(t, list(t, shown, "references"), "id"))
		try(t, object{"reference_ids": []string{"no-such-reference"}}).refused(400)
		try(t, object{"package_ids": []string{"no-such-package"}}).refused(400)
	})
	t.Run("links", func(t *testing.T) {
		shows(t, "4.4-create_room.linked_rooms")
		target := b.room(t, b)
		link := func(target, label string) object {
			return object{"linked_rooms": []any{object{"target_room_id": target, "label": label}}}
		}
		room := text(t, result(try(t, link(target, "see"))), "id")
		links := list(t, a.within(t, room).call(t, "list_linked_rooms", nil))
		require.Equal(t, anys(target), column(t, links, "target_room_id"))
		try(t, link("no-such-room", "see")).refused(400)
		try(t, link(target, "  ")).refused(400)
		try(t, object{"linked_rooms": []any{object{"target_room_id": target}}}).refused(400)
	})
	t.Run("visibility", func(t *testing.T) {
		shows(t, "4.4-create_room.visibility", "6.4-visibility-pair")
		for _, pair := range [][2]string{{"public", "public"}, {"public", "private"}, {"private", "private"}} {
			try(t, object{"read_visibility": pair[0], "write_visibility": pair[1]}).is(200)
		}
		for _, pair := range [][2]string{{"private", "public"}, {"secret", "public"}, {"public", "nobody"}, {"", "public"}} {
			try(t, object{"read_visibility": pair[0], "write_visibility": pair[1]}).refused(400)
		}
	})
	t.Run("group", func(t *testing.T) {
		shows(t, "4.4-create_room.group_name")
		name := unique("group")
		try(t, object{"group_name": name}).refused(400)
		group := a.call(t, "create_room_group", object{"name": name})
		o := create(t, object{"group_name": name})
		require.Equal(t, at(t, group, "id"), o["group_id"])
		require.Equal(t, name, o["group_name"])
		require.Equal(t, name, o["group_path"])
		a.call(t, "create_room_group", object{"name": name})
		try(t, object{"group_name": name}).refused(400)
	})
	t.Run("roles", func(t *testing.T) {
		shows(t, "4.4-create_room.roles")
		role := func(names ...string) object {
			out := []any{}
			for _, n := range names {
				out = append(out, object{"name": n, "instructions": "do"})
			}
			return object{"roles": out}
		}
		require.Len(t, create(t, role("one", "two"))["roles"], 2)
		for _, bad := range [][]string{{""}, {" "}, {"a b"}, {"a\tb"}, {"twice", "twice"}} {
			try(t, role(bad...)).refused(400)
		}
	})
	t.Run("subagents", func(t *testing.T) {
		shows(t, "4.4-create_room.include_subagents_for", "4.4-invite_agent_to_room.subagents")
		parent := s.agent(t)
		child := s.known(t, "codex", object{"parent_agent_id": parent.id})
		o := create(t, object{"agent_names": []string{a.name, parent.name}, "include_subagents_for": []string{parent.name}})
		require.ElementsMatch(t, anys(a.name, parent.name, child.name), o["agent_names"])
		room := a.room(t, a)
		a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": parent.name, "include_subagents": true})
		require.ElementsMatch(t, anys(a.name, parent.name, child.name), at(t, a.call(t, "get_room_detail", object{"room_id": room}), "agent_names"))
		try(t, object{"include_subagents_for": []string{"no-such-agent"}}).refused(400)
	})
	t.Run("listeners", func(t *testing.T) {
		shows(t, "4.4-create_room.join_event_listeners")
		require.Equal(t, anys(a.name), create(t, object{"join_event_listeners": []string{a.name}})["join_event_listeners"])
		try(t, object{"join_event_listeners": []string{"no-such-agent"}}).refused(400)
	})
	t.Run("aliases", func(t *testing.T) {
		shows(t, "4.4-create_room.aliases", "6.4-alias-pattern", "6.4-alias-unique")
		both := []string{a.name, b.name}
		o := create(t, object{"agent_names": both, "aliases": object{a.name: "Al.x_y-9"}})
		require.Equal(t, object{a.name: "Al.x_y-9"}, o["aliases"])
		for _, bad := range []string{"", "a b", "ä", "@a", "a/b", "a\n"} {
			try(t, object{"aliases": object{a.name: bad}}).refused(400)
		}
		for _, colliding := range []object{
			{"agent_names": both, "aliases": object{a.name: "same", b.name: "SAME"}},
			{"agent_names": both, "aliases": object{a.name: b.name}},
			{"roles": []any{object{"name": "chair", "instructions": "x"}}, "aliases": object{a.name: "Chair"}},
			{"aliases": object{"no-such-agent": "x"}},
			{"aliases": object{b.name: "x"}},
		} {
			try(t, colliding).refused(400)
		}
	})
}
