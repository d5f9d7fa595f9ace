package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// needRoom lists the operations that need a current room, with arguments that are well formed.
var needRoom = map[string]object{
	"list_references": {}, "list_linked_rooms": {}, "load_internal_documents": {"ids": []string{}},
	"create_room_document": {"name": "x", "description": "x", "instructions": "x", "content": "x"},
	"update_room_document": {"document_id": "x"}, "delete_room_document": {"document_id": "x"},
	"read_context": {}, "list_participants": {}, "post_message": {"body": "x"},
	"send_targeted_message": {"body": "x", "target_names": []string{"x"}},
	"delegate_task":         {"performer_agent_id": "x", "summary": "x", "description": "x"},
	"accept_task":           {"task_id": "x"}, "update_task": {"task_id": "x", "update": "x"}, "finalise_task": {"task_id": "x", "outcome": "x"},
	"cancel_task": {"task_id": "x", "reason": "x"}, "list_tasks": {}, "list_roles": {},
	"define_role": {"name": "x", "instructions": "x"}, "edit_role": {"name": "x"}, "delete_role": {"name": "x"},
	"assume_role": {"role": "x"}, "release_role": {},
}

// TestCalls is about calling operations in general.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	stream := a.within(t, room)
	t.Run("result", func(t *testing.T) {
		shows(t, "4.1-result", "4.1-empty-body")
		for _, body := range []any{nil, "", object{}, "{}"} {
			o := a.post(t, "/ops/list_rooms", body).is(200).object()
			require.Len(t, o, 1)
			require.NotEmpty(t, list(t, o, "result"))
		}
		a.post(t, "/ops/get_room_detail", nil).refused(400)
	})
	t.Run("order", func(t *testing.T) {
		shows(t, "4.1-order-1", "4.1-order-2", "4.1-order-3", "4.1-order-4", "4.1-order-5", "4.1-order-6", "4.1-order-7")
		const dead = "X-Switch-Connection-Id: no-such-connection"
		plain401(t, s.do(t, "POST", a.path("/ops/none"), "x", "[]", dead), invalidCredentials)
		for _, body := range []string{"[]", "5", `"x"`, "null", "{", "x"} {
			a.post(t, "/ops/none", body, dead).invalid(422)
		}
		isDead(t, a.post(t, "/ops/none", object{"x": 1}, dead), 409, "no-such-connection")
		theirs := b.open(t).conn
		isDead(t, a.post(t, "/ops/none", object{"x": 1}, "X-Switch-Connection-Id: "+theirs), 409, theirs)
		unknown := stream.try(t, "none", object{"x": 1}).refused(404)
		for _, sig := range signatures {
			require.Contains(t, unknown, sig.name)
		}
		refusal := stream.try(t, "get_room_detail", object{"b_1": 1, "a_1": 1}).refused(400)
		require.Contains(t, refusal, "a_1")
		require.Contains(t, refusal, "b_1")
		refusal = stream.try(t, "get_role_detail", object{}).refused(400)
		require.Contains(t, refusal, "room_id")
		require.Contains(t, refusal, "role_name")
		a.try(t, "get_room_detail", object{"room_id": "no-such-room"}).refused(400)
		b.try(t, "get_room_detail", object{"room_id": a.room(t, a)}).refused(403)
	})
	t.Run("types", func(t *testing.T) {
		shows(t, "4.1-types", "4.1-order-8", "D9", "8-32")
		for _, c := range []struct {
			operation string
			args      object
		}{
			{"read_context", object{"limit": "5"}},
			{"read_context", object{"limit": 1.5}},
			{"read_context", object{"limit": true}},
			{"read_context", object{"since": 5}},
			{"post_message", object{"body": 5}},
			{"post_message", object{"body": nil}},
			{"post_message", object{"body": "x", "thread_id": 5}},
			{"send_targeted_message", object{"body": "x", "target_names": "x"}},
			{"send_targeted_message", object{"body": "x", "target_names": []any{5}}},
			{"list_rooms", object{"include_archived": "yes"}},
			{"get_room_detail", object{"room_id": []any{}}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": "x"}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": []any{}, "aliases": []any{}}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": []any{}, "linked_rooms": []any{object{"target_room_id": 5, "label": "x"}}}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": []any{}, "roles": []any{"x"}}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": []any{}, "roles": []any{object{"name": "x"}}}},
			{"create_room", object{"name": "x", "description": "x", "agent_names": []any{}, "security_config": "x"}},
			{"list_agents", object{"name_contains": 5}},
			{"define_role", object{"name": "x", "instructions": "x", "exclusive": "x"}},
			{"load_internal_documents", object{"ids": object{}}},
			{"create_reference", object{"type": "github", "name": "x", "description": "x", "instructions": "x", "value": "x"}},
			{"update_room", object{"room_id": room, "join_event_listeners": object{a.name: "x"}}},
			{"update_agent_detail", object{"agent_id": a.id, "options": "x"}},
		} {
			stream.try(t, c.operation, c.args).refused(400)
		}
	})
	t.Run("unknown things", func(t *testing.T) {
		shows(t, "D9", "8-32")
		other := a.room(t, a)
		a.try(t, "unlink_rooms", object{"source_room_id": room, "target_room_id": other}).refused(400)
		a.try(t, "link_rooms", object{"source_room_id": room, "target_room_id": "no-such-room", "label": "x"}).refused(400)
		refusal := a.try(t, "create_room", object{"name": "x", "description": "x", "agent_names": []string{"no-such-agent"}}).refused(400)
		require.Contains(t, refusal, "no-such-agent")
		plain := s.profiled(t, "always_on", nil)
		a.try(t, "update_agent_detail", object{"agent_id": plain.id, "options": object{"auto_session": true}}).refused(400)
	})
	t.Run("null", func(t *testing.T) {
		shows(t, "4.1-null")
		stream.call(t, "read_context", object{"since": nil, "before": nil, "limit": nil})
		stream.call(t, "post_message", object{"body": "x", "thread_id": nil})
		require.NotEmpty(t, a.call(t, "list_rooms", object{"include_archived": nil}))
		a.call(t, "create_room", object{
			"name": unique("room"), "description": "x", "agent_names": []string{}, "user_names": nil, "channel_type": nil, "roles": nil,
			"internal_only": nil, "read_visibility": nil, "aliases": nil,
		})
	})
}

// TestCurrentRoom is about which room an operation acts on.
func TestCurrentRoom(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, _ := s.agents(t)
	one, two := a.room(t, a, b), a.room(t, a, b)
	t.Run("needs a room", func(t *testing.T) {
		shows(t, "4.2-none", "4.2-needs-room", "4.1-no-header", "4.2-covered")
		require.Len(t, needRoom, 22)
		unclaimed, covering := a.open(t), a.open(t, "scope=all")
		for name, args := range needRoom {
			none := a.try(t, name, args).refused(400)
			require.Equal(t, none, unclaimed.try(t, name, args).refused(400), name)
			require.Equal(t, none, covering.try(t, name, args).refused(400), name)
			require.Contains(t, none, "connect_to_room", name)
		}
	})
	t.Run("several", func(t *testing.T) {
		shows(t, "4.2-several")
		several := a.open(t, "scope=all", "rooms="+one+","+two)
		for name, args := range needRoom {
			require.Contains(t, strings.ToLower(several.try(t, name, args).refused(400)), "single-room", name)
		}
		a.unsubscribe(t, several.conn, one).is(200)
		several.call(t, "post_message", object{"body": "one room left"})
		a.unsubscribe(t, several.conn, two).is(200)
	})
	t.Run("one", func(t *testing.T) {
		shows(t, "4.2-one", "4.2-lost", "8-12")
		stream, ears := a.within(t, one), b.open(t, "scope=all")
		stream.call(t, "post_message", object{"body": "into one"})
		require.Equal(t, one, ears.hears(t, "into one").envelope["room_id"])
		stream.call(t, "connect_to_room", object{"room_id": two})
		stream.call(t, "post_message", object{"body": "into two"})
		require.Equal(t, two, ears.hears(t, "into two").envelope["room_id"])
		a.within(t, two)
		stream.try(t, "post_message", object{"body": "nowhere"}).refused(400)
		stream.try(t, "read_context", nil).refused(400)
	})
	t.Run("needs the header", func(t *testing.T) {
		shows(t, "4.2-needs-header", "4.4-connect_to_room.errors", "D8", "4.4-connect_to_room.order")
		a.try(t, "connect_to_room", object{"room_id": one}).refused(400)
		stream := a.open(t)
		stream.try(t, "connect_to_room", object{"room_id": "no-such-room"}).refused(400)
		stream.try(t, "connect_to_room", object{"room_id": b.room(t, b)}).refused(403)
		require.Equal(t, []any{}, a.beat(t, stream.conn, 0).object()["rooms"])
		stream.enter(t, one)
	})
	t.Run("without the header", func(t *testing.T) {
		shows(t, "4.2-without")
		target := a.room(t, a)
		child := s.agent(t)
		for name, args := range map[string]object{
			"list_rooms": {}, "list_all_rooms": {}, "get_room_detail": {"room_id": one},
			"create_room":  {"name": unique("room"), "description": "x", "agent_names": []string{}},
			"update_room":  {"room_id": one, "description": "again"},
			"archive_room": {"room_id": target}, "unarchive_room": {"room_id": target},
			"invite_agent_to_room": {"room_id": target, "agent_name": b.name},
			"list_reference_types": {},
			"create_reference":     {"type": "github", "name": "x", "description": "x", "instructions": "x", "value": object{"urls": []string{"https://example.org"}}},
			"link_rooms":           {"source_room_id": two, "target_room_id": target, "label": "x"},
			"list_room_groups":     {},
			"create_room_group":    {"name": unique("group")},
			"list_agents":          {},
			"get_agent_detail":     {"agent_id": b.id},
			"update_agent_detail":  {"agent_id": child.id, "options": object{}},
			"list_bridges":         {},
		} {
			a.call(t, name, args)
		}
		a.try(t, "get_role_detail", object{"room_id": one, "role_name": "none"}).refused(400)
		a.try(t, "attach_reference_to_room", object{"room_id": one, "reference_id": "none"}).refused(400)
		a.try(t, "get_room_group_detail", object{"group_id": "none"}).refused(400)
		a.try(t, "add_users_to_room", object{"room_id": one, "user_names": []string{"x"}}).refused(400)
		a.call(t, "unlink_rooms", object{"source_room_id": two, "target_room_id": target})
	})
}
