package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	shapeParticipant = "id string, name string, type string, agent_type string?, can_delegate bool, can_accept bool, status string?, room_role string?, alias string?"
	shapeRole        = "name string, exclusive bool, held_by list, assumable_by_me bool, instructions_preview string"
	shapeHolder      = "name string, present_here bool, session_room string?"
	shapeRoomDetail  = "id string, name string, description string, channel_type string?, admin_mode bool, instructions string?, matrix_room_id string, " +
		"created_at string, bridge_id string?, bridge_display_name string?, external_channel_id string?, group_id string?, group_name string?, " +
		"group_path string?, agent_names list, agent_statuses object, connected_user_names list, join_event_listeners list, aliases object, roles list, archived bool"
	spacedDate = `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$`
)

func TestRoomLists(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	one, two := a.room(t, a), a.room(t, a, b)
	private := b.roomWith(t, object{"read_visibility": "private", "write_visibility": "private"}, b)
	archived := a.room(t, a)
	a.call(t, "archive_room", object{"room_id": archived})
	t.Run("list_rooms", func(t *testing.T) {
		shows(t, "4.4-list_rooms", "4.4-list_rooms.archived", "4.4-list_rooms.connected")
		stream := a.within(t, two)
		rooms := list(t, stream.call(t, "list_rooms", nil))
		require.ElementsMatch(t, anys(one, two), column(t, rooms, "room_id"))
		for _, r := range rooms {
			o := shape(t, r, "room_id string, name string, description string, connected bool, archived bool")
			require.Equal(t, o["room_id"] == two, o["connected"])
			require.Equal(t, false, o["archived"])
		}
		for _, r := range list(t, a.call(t, "list_rooms", nil)) {
			require.Equal(t, false, at(t, r, "connected"))
		}
		rooms = list(t, a.call(t, "list_rooms", object{"include_archived": true}))
		require.ElementsMatch(t, anys(one, two, archived), column(t, rooms, "room_id"))
		require.Equal(t, true, find(t, rooms, "room_id", archived)["archived"])
	})
	t.Run("list_all_rooms", func(t *testing.T) {
		shows(t, "4.4-list_all_rooms", "4.4-list_all_rooms.archived")
		c := s.agent(t)
		rooms := list(t, c.call(t, "list_all_rooms", nil))
		ids := column(t, rooms, "room_id")
		require.Subset(t, ids, anys(one, two))
		require.NotContains(t, ids, archived)
		shape(t, find(t, rooms, "room_id", one), "room_id string, name string, description string, archived bool")
		ids = column(t, list(t, c.call(t, "list_all_rooms", object{"include_archived": true})), "room_id")
		require.Contains(t, ids, archived)
		require.Contains(t, column(t, list(t, b.call(t, "list_all_rooms", nil)), "room_id"), private)
		if outside() == "" {
			require.NotContains(t, column(t, list(t, s.stranger(t).call(t, "list_all_rooms", nil)), "room_id"), private)
		}
	})
}

func TestRoomDetail(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	t.Run("detail", func(t *testing.T) {
		shows(t, "4.3-ROOMDETAIL", "4.4-get_room_detail", "4.3-dates-spaced", "4.4-create_room.admin_mode", "4.4-create_room.instructions", "4.4-create_room.internal_only")
		room := a.roomWith(t, object{"admin_mode": true, "instructions": "Be brief.", "internal_only": true}, a, b)
		o := shape(t, a.call(t, "get_room_detail", object{"room_id": room}), shapeRoomDetail)
		require.Equal(t, room, o["id"])
		require.Equal(t, "where tests are", o["description"])
		require.Equal(t, "channel_public", o["channel_type"])
		require.Equal(t, true, o["admin_mode"])
		require.Equal(t, "Be brief.", o["instructions"])
		require.Regexp(t, spacedDate, o["created_at"])
		require.ElementsMatch(t, anys(a.name, b.name), o["agent_names"])
		require.Equal(t, object{a.name: "no_session", b.name: "no_session"}, o["agent_statuses"])
		require.Equal(t, []any{}, o["connected_user_names"])
		require.Equal(t, []any{}, o["join_event_listeners"])
		require.Equal(t, object{}, o["aliases"])
		require.Equal(t, []any{}, o["roles"])
		require.Equal(t, false, o["archived"])
		for _, null := range []string{"bridge_id", "bridge_display_name", "external_channel_id", "group_id", "group_name", "group_path"} {
			require.Nil(t, o[null], null)
		}
	})
	t.Run("member", func(t *testing.T) {
		shows(t, "4.3-member", "6.4-membership")
		room := a.room(t, a)
		b.try(t, "get_room_detail", object{"room_id": room}).refused(403)
		b.try(t, "get_room_detail", object{"room_id": "none"}).refused(400)
		b.try(t, "get_role_detail", object{"room_id": room, "role_name": "x"}).refused(403)
		b.subscribe(t, b.open(t).conn, room, false).refused(403)
		b.open(t).try(t, "connect_to_room", object{"room_id": room}).refused(403)
		b.post(t, "/message", object{"room_id": room, "content": "x"}).refused(403)
		b.get(t, "/rooms/"+room+"/history").refused(403)
		b.get(t, "/rooms/"+room+"/media?mxc=mxc://x/y").refused(403)
		b.upload(t, room, part{"file", "a.txt", "text/plain", "x"}).refused(403)
		_, refusal := b.tryOpen(t, opening{}, "rooms="+room)
		refusal.refused(403)
	})
}

func TestConnectToRoom(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	target := a.room(t, a)
	room := a.roomWith(t, object{
		"instructions": "Be brief.", "roles": []any{object{"name": "chair", "instructions": "Keep order.", "exclusive": true}},
		"linked_rooms": []any{object{"target_room_id": target, "label": "annex"}}, "aliases": object{b.name: "Bee"},
	}, a, b)
	t.Run("result", func(t *testing.T) {
		shows(t, "4.4-connect_to_room", "4.4-connect_to_room.ids", "4.3-PARTICIPANT", "4.3-ROLE", "4.3-LINK", "4.3-PACKAGE", "8-29")
		entered := a.open(t).call(t, "connect_to_room", object{"room_id": room})
		o := shape(t, entered, "agent_id string, room_id string, name string, description string, participants list, instructions string, "+
			"reference_types object, references list, documents list, packages list, linked_rooms list, roles list, warning string?")
		require.Equal(t, a.id, o["agent_id"])
		require.Equal(t, room, o["room_id"])
		require.Len(t, o["participants"], 2)
		for _, p := range list(t, o, "participants") {
			shape(t, p, shapeParticipant)
		}
		bee := find(t, list(t, o, "participants"), "name", b.name)
		require.Equal(t, object{
			"id": b.id, "name": b.name, "type": "agent", "agent_type": "session_addressable", "can_delegate": true, "can_accept": true,
			"status": "no_session", "room_role": nil, "alias": "Bee",
		}, bee)
		role := shape(t, at(t, o, "roles", 0), shapeRole)
		require.Equal(t, "Keep order.", role["instructions_preview"])
		require.Equal(t, true, role["exclusive"])
		link := shape(t, at(t, o, "linked_rooms", 0), "target_room_id string, target_room_name string, target_room_description string, label string, access string")
		require.Equal(t, "member", link["access"])
		require.Equal(t, "annex", link["label"])
		require.Equal(t, []any{}, o["packages"])
		require.Equal(t, object{}, o["reference_types"])
		require.Nil(t, o["warning"])
	})
	t.Run("instructions", func(t *testing.T) {
		shows(t, "4.4-connect_to_room.instructions", "4.4-connect_to_room.general-false")
		stream := a.open(t)
		enter := func(room string, general bool) string {
			return text(t, stream.call(t, "connect_to_room", object{"room_id": room, "include_general_instructions": general}), "instructions")
		}
		whole := text(t, stream.call(t, "connect_to_room", object{"room_id": room}), "instructions")
		require.Equal(t, whole, enter(room, true))
		require.Contains(t, whole, a.name)
		require.Contains(t, whole, "Be brief.")
		require.Contains(t, whole, "@"+b.name+" (no_session)")
		for _, operation := range []string{"post_message", "thread_id", "delegate_task", "accept_task", "finalise_task", "load_internal_documents"} {
			require.Contains(t, whole, operation, "how to speak, what tasks are, and what the room has")
		}
		own := enter(room, false)
		require.Contains(t, own, "Be brief.")
		require.NotContains(t, own, a.name)
		require.Greater(t, len(whole), len(own)+100)
		require.Empty(t, enter(target, false))
	})
	t.Run("warning", func(t *testing.T) {
		shows(t, "4.4-connect_to_room.warning", "4.4-connect_to_room.effects", "2.10-route-connect", "D18", "8-07", "8-29", "2.10-loser", "4.4-connect_to_room.again")
		room := a.room(t, a, b)
		holder, other, ears := a.within(t, room), a.open(t), b.within(t, room)
		warning := text(t, other.call(t, "connect_to_room", object{"room_id": room}), "warning")
		require.Contains(t, warning, room)
		require.Contains(t, warning, holder.conn)
		holder.changed(t)
		other.changed(t, room)
		require.Nil(t, other.call(t, "connect_to_room", object{"room_id": room}).(object)["warning"])
		a.beat(t, holder.conn, 0).is(200)
		a.say(t, room, "no event came of it")
		ears.hears(t, "no event came of it")
		b.say(t, room, "next")
		other.hears(t, "next")
	})
	t.Run("archived", func(t *testing.T) {
		shows(t, "4.4-connect_to_room.archived", "4.4-archive_room", "4.4-unarchive_room")
		room := a.room(t, a, b)
		o := shape(t, a.call(t, "archive_room", object{"room_id": room}), shapeRoomDetail)
		require.Equal(t, true, o["archived"])
		stream := a.open(t)
		stream.enter(t, room)
		stream.call(t, "post_message", object{"body": "posting goes on"})
		require.NotEmpty(t, at(t, stream.call(t, "read_context", nil), "threads"))
		o = shape(t, a.call(t, "unarchive_room", object{"room_id": room}), shapeRoomDetail)
		require.Equal(t, false, o["archived"])
		for _, op := range []string{"archive_room", "unarchive_room"} {
			s.agent(t).try(t, op, object{"room_id": room}).refused(403)
			a.try(t, op, object{"room_id": "no-such-room"}).refused(400)
		}
	})
}
