package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdateRoom(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	room := a.roomWith(t, object{"roles": []any{object{"name": "chair", "instructions": "x"}}}, a, b)
	try := func(t *testing.T, more object) answer {
		args := object{"room_id": room}
		for k, v := range more {
			args[k] = v
		}
		return a.try(t, "update_room", args)
	}
	t.Run("fields", func(t *testing.T) {
		shows(t, "4.4-update_room", "4.4-update_room.fields")
		o := shape(t, result(try(t, object{"name": "new name", "description": "new words", "instructions": "new rules", "admin_mode": true})), shapeRoomDetail)
		require.Equal(t, "new name", o["name"])
		require.Equal(t, "new words", o["description"])
		require.Equal(t, "new rules", o["instructions"])
		require.Equal(t, true, o["admin_mode"])
		o = result(try(t, object{"name": nil, "description": nil, "instructions": nil, "admin_mode": nil})).(object)
		require.Equal(t, "new name", o["name"])
		require.Equal(t, "new rules", o["instructions"])
		require.Equal(t, true, o["admin_mode"])
		require.Equal(t, "new words", at(t, a.call(t, "get_room_detail", object{"room_id": room}), "description"))
		s.agent(t).try(t, "update_room", object{"room_id": room, "name": "x"}).refused(403)
		a.try(t, "update_room", object{"room_id": "no-such-room", "name": "x"}).refused(400)
		require.Contains(t, try(t, object{"read_visibility": "private"}).refused(400), "read_visibility")
	})
	t.Run("listeners", func(t *testing.T) {
		shows(t, "4.4-update_room.join_event_listeners")
		require.Equal(t, anys(b.name), result(try(t, object{"join_event_listeners": object{b.name: true}})).(object)["join_event_listeners"])
		c := s.agent(t)
		stream := b.within(t, room)
		a.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": c.name})
		require.Equal(t, true, stream.event(t, "room_join").payload["listening"])
		require.Equal(t, []any{}, result(try(t, object{"join_event_listeners": object{b.name: false}})).(object)["join_event_listeners"])
		try(t, object{"join_event_listeners": object{"no-such-agent": true}}).refused(400)
		try(t, object{"join_event_listeners": object{s.agent(t).name: true}}).refused(400)
	})
	t.Run("aliases", func(t *testing.T) {
		shows(t, "4.4-update_room.aliases", "6.4-alias-replace", "6.4-alias-unique")
		require.Equal(t, object{b.name: "bee"}, result(try(t, object{"aliases": object{b.name: "bee"}})).(object)["aliases"])
		require.Equal(t, object{b.name: "BEE"}, result(try(t, object{"aliases": object{b.name: "BEE"}})).(object)["aliases"])
		require.Equal(t, object{b.name: "beta"}, result(try(t, object{"aliases": object{b.name: "beta"}})).(object)["aliases"])
		for _, bad := range []object{
			{"no-such-agent": "x"}, {s.agent(t).name: "x"}, {a.name: "a b"}, {a.name: "Beta"}, {a.name: b.name}, {a.name: "CHAIR"},
		} {
			try(t, object{"aliases": bad}).refused(400)
		}
		require.Equal(t, object{}, result(try(t, object{"aliases": object{b.name: ""}})).(object)["aliases"])
	})
	t.Run("bridge", func(t *testing.T) {
		shows(t, "4.4-update_room.bridge")
		try(t, object{"channel_type": "channel_private"}).refused(400)
		try(t, object{"external_channel_id": "x"}).refused(400)
		try(t, object{"bridge_id": "no-such-bridge"}).refused(400)
	})
}

func TestInvite(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, c := s.agents(t)
	room := a.room(t, a)
	t.Run("write", func(t *testing.T) {
		shows(t, "4.4-invite_agent_to_room.write", "4.3-write-member")
		require.Equal(t, object{"ok": true}, b.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": b.name}))
		require.Contains(t, at(t, a.call(t, "get_room_detail", object{"room_id": room}), "agent_names"), b.name)
	})
	t.Run("400", func(t *testing.T) {
		shows(t, "4.4-invite_agent_to_room.400")
		a.try(t, "invite_agent_to_room", object{"room_id": room, "agent_name": "no-such-agent"}).refused(400)
		a.try(t, "invite_agent_to_room", object{"room_id": "no-such-room", "agent_name": c.name}).refused(400)
	})
}

// TestRights is about an agent without owner and rooms that only their owner's agents may write.
func TestRights(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	outsider := s.stranger(t)
	room := a.roomWith(t, object{
		"read_visibility": "public", "write_visibility": "private", "roles": []any{object{"name": "chair", "instructions": "x"}},
	}, a, outsider)
	t.Run("owner", func(t *testing.T) {
		shows(t, "6.4-owner-rights")
		b.call(t, "invite_agent_to_room", object{"room_id": room, "agent_name": b.name})
		b.within(t, room).call(t, "define_role", object{"name": "scribe", "instructions": "write"})
		b.call(t, "update_room", object{"room_id": room, "description": "by another agent of the owner"})
	})
	t.Run("no owner", func(t *testing.T) {
		shows(t, "4.3-write", "4.3-no-owner", "6.4-null-owner", "6.4-write", "4.7-define_role.errors", "4.7-edit_role.errors", "4.7-delete_role.errors",
			"4.8-link_rooms.errors", "4.8-unlink_rooms.errors", "4.6-attach_reference_to_room.errors", "4.6-create_reference.400", "4.4-create_room.reference_ids")
		target := a.room(t, a, outsider)
		stream := outsider.within(t, room)
		for name, args := range map[string]object{
			"update_room":          {"room_id": room, "description": "x"},
			"archive_room":         {"room_id": room},
			"unarchive_room":       {"room_id": room},
			"invite_agent_to_room": {"room_id": room, "agent_name": b.name},
			"add_users_to_room":    {"room_id": room, "user_names": []string{"x"}},
			"define_role":          {"name": "boss", "instructions": "x"},
			"edit_role":            {"name": "chair", "instructions": "x"},
			"delete_role":          {"name": "chair"},
			"link_rooms":           {"source_room_id": room, "target_room_id": target, "label": "x"},
			"unlink_rooms":         {"source_room_id": room, "target_room_id": target},
		} {
			stream.try(t, name, args).refused(403)
		}
		ref := a.reference(t, object{"read_visibility": "public"})
		require.Contains(t, []int{400, 403}, outsider.try(t, "attach_reference_to_room", object{"room_id": room, "reference_id": ref}).status)
		outsider.try(t, "create_reference", object{
			"type": "github", "name": "x", "description": "x", "instructions": "x", "value": object{"urls": []string{"https://example.org"}},
		}).refused(400)
		outsider.try(t, "create_room", object{"name": "x", "description": "x", "agent_names": []string{}, "reference_ids": []string{ref}}).refused(400)
		// Members may read and speak all the same, and public rooms may be written by all.
		stream.call(t, "post_message", object{"body": "a member speaks"})
		outsider.call(t, "update_room", object{"room_id": target, "description": "by a member without owner"})
	})
}
