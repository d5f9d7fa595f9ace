package operations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func TestListAllRoomsShowsPrivateRoomsToMembersOnly(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a, b := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: bob.ID}
	require.Equal(t, `[]`, w.must(t, a, "list_all_rooms", `{}`))
	open := w.room(t, a, `{"name":"open","description":"d","agent_names":["ada"]}`)
	w.ms.Add(1)
	secret := w.room(t, a, `{"name":"secret","description":"","agent_names":["ada"],"read_visibility":"private","write_visibility":"private"}`)
	first := `{"room_id":"` + open + `","name":"open","description":"d","archived":false}`
	second := `{"room_id":"` + secret + `","name":"secret","description":"","archived":false}`
	require.Equal(t, "["+first+"]", w.must(t, b, "list_all_rooms", `{}`))
	require.Equal(t, "["+first+","+second+"]", w.must(t, a, "list_all_rooms", `{"include_archived":true}`))
}

func TestGetRoomDetail(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a, b := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: bob.ID}
	bare := w.room(t, a, `{"name":"bare","description":"","agent_names":["ada"]}`)
	full := w.room(t, a, `{"name":"full","description":"d","agent_names":["ada","bob"],"channel_type":"group","admin_mode":true,
		"instructions":"Be kind.","aliases":{"bob":"boss"},"join_event_listeners":["bob"],
		"roles":[{"name":"judge","instructions":"Judge.","exclusive":true}]}`)
	w.connect(t, ada, full)

	const nowhere = `"bridge_id":null,"bridge_display_name":null,"external_channel_id":null,"group_id":null,"group_name":null,"group_path":null,`
	require.Equal(t, `{"id":"`+bare+`","name":"bare","description":"","channel_type":"channel_public","admin_mode":false,"instructions":null,`+
		`"matrix_room_id":"`+bare+`","created_at":"2026-01-02 03:04:05.678000+00:00",`+nowhere+
		`"agent_names":["ada"],"agent_statuses":{"ada":"no_session"},"connected_user_names":[],"join_event_listeners":[],"aliases":{},"roles":[],"archived":false}`,
		w.must(t, a, "get_room_detail", `{"room_id":"`+bare+`"}`))
	require.Equal(t, `{"id":"`+full+`","name":"full","description":"d","channel_type":"group","admin_mode":true,"instructions":"Be kind.",`+
		`"matrix_room_id":"`+full+`","created_at":"2026-01-02 03:04:05.678000+00:00",`+nowhere+
		`"agent_names":["ada","bob"],"agent_statuses":{"ada":"live","bob":"no_session"},"connected_user_names":[],"join_event_listeners":["bob"],"aliases":{"bob":"boss"},`+
		`"roles":[{"name":"judge","exclusive":true,"held_by":[],"assumable_by_me":true,"instructions_preview":"Judge."}],"archived":false}`,
		w.must(t, b, "get_room_detail", `{"room_id":"`+full+`"}`))

	_, err := w.call(t, b, "get_room_detail", `{"room_id":"`+bare+`"}`)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = w.call(t, a, "get_room_detail", `{"room_id":"room_none"}`)
	require.ErrorIs(t, err, core.ErrNoRoom)
}

func TestInviteAgentToRoom(t *testing.T) {
	w := newWorld(t)
	ada, bob, cid := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "cid")
	child, err := w.n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bob.1", Handle: "bob.1", Parent: bob.ID}})
	require.NoError(t, err)
	a := operations.Caller{Agent: ada.ID}
	public := w.room(t, a, `{"name":"public","description":"","agent_names":["ada"]}`)
	closedToOthers := w.room(t, a, `{"name":"mine","description":"","agent_names":["ada"],"write_visibility":"private"}`)
	invite := func(c operations.Caller, room, name, more string) error {
		out, err := w.call(t, c, "invite_agent_to_room", `{"room_id":"`+room+`","agent_name":"`+name+`"`+more+`}`)
		if err == nil {
			require.Equal(t, `{"ok":true}`, out)
		}
		return err
	}

	require.NoError(t, invite(a, public, "bob", ""))
	require.True(t, w.n.IsMember(bob.ID, public))
	require.False(t, w.n.IsMember(child.Agent.ID, public))
	require.NoError(t, invite(a, public, "bob", `,"include_subagents":true`))
	require.True(t, w.n.IsMember(child.Agent.ID, public))
	require.NoError(t, invite(operations.Caller{Agent: cid.ID}, public, "cid", ""), "an agent adds itself")
	require.True(t, w.n.IsMember(cid.ID, public))
	require.NoError(t, invite(a, closedToOthers, "bob", ""), "the creator may")

	before := w.n.Applied()
	require.NoError(t, invite(a, public, "bob", ""), "already in")
	require.NoError(t, invite(a, public, "bob", `,"include_subagents":true`), "all of them")
	require.ErrorIs(t, invite(operations.Caller{Agent: cid.ID}, closedToOthers, "cid", ""), core.ErrNotAllowed)
	require.ErrorIs(t, invite(a, "room_none", "bob", ""), core.ErrNoRoom)
	var bad *operations.ArgumentError
	require.ErrorAs(t, invite(a, public, "nobody", ""), &bad)
	require.Equal(t, []string{"agent_name"}, bad.Names)
	require.Equal(t, before, w.n.Applied())

	_, _, err = w.n.CloseRoom(t.Context(), closedToOthers, core.CloseRoom{Actor: ada.ID}, nil)
	require.NoError(t, err)
	var ended *core.RoomNotActiveError
	require.ErrorAs(t, invite(a, closedToOthers, "cid", ""), &ended)
}

func TestNobodyIsInvitedToARoomOfTwo(t *testing.T) {
	w := newWorld(t)
	ada, bob, cid := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "cid")
	room := w.turns(t, ada, bob)
	_, err := w.call(t, operations.Caller{Agent: ada.ID}, "invite_agent_to_room", `{"room_id":"`+room+`","agent_name":"cid"}`)
	var bad *core.InvalidError
	require.ErrorAs(t, err, &bad)
	require.ErrorContains(t, err, "nobody can be added")
	require.False(t, w.n.IsMember(cid.ID, room))
	require.Equal(t, `{"ok":true}`,
		w.must(t, operations.Caller{Agent: ada.ID}, "invite_agent_to_room", `{"room_id":"`+room+`","agent_name":"bob"}`))
}

// TestNullInsideAnArgument: it is no false and no empty text, which would turn something off that nobody meant.
func TestNullInsideAnArgument(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	c := operations.Caller{Agent: ada.ID}
	room := w.room(t, c, `{"name":"ops","description":"","agent_names":["ada","bob"],"aliases":{"bob":"b"},"join_event_listeners":["bob"]}`)
	_ = bob
	before := w.n.Applied()
	for _, args := range []string{
		`"join_event_listeners":{"bob":null}`, `"aliases":{"bob":null}`,
	} {
		_, err := w.call(t, c, "update_room", `{"room_id":"`+room+`",`+args+`}`)
		var bad *operations.ArgumentError
		require.ErrorAs(t, err, &bad, args)
	}
	for _, args := range []string{
		`"agent_names":[null]`, `"agent_names":[],"aliases":{"ada":null}`, `"agent_names":[],"linked_rooms":[{"target_room_id":null}]`,
	} {
		_, err := w.call(t, c, "create_room", `{"name":"x","description":"",`+args+`}`)
		var bad *operations.ArgumentError
		require.ErrorAs(t, err, &bad, args)
	}
	require.Equal(t, before, w.n.Applied())
}

// TestRolesThatLookLikeNames: what a mention of one would reach, no other may be called.
func TestRolesThatLookLikeNames(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	c := operations.Caller{Agent: ada.ID}
	c.Room = w.room(t, c, `{"name":"ops","description":"","agent_names":["ada"],"roles":[{"name":"lead","instructions":""}]}`)
	for _, name := range []string{"*ada*", "~~ADA", "ada,", "*lead*", "lead:", "*", "~**"} {
		_, err := w.call(t, c, "define_role", `{"name":"`+name+`","instructions":""}`)
		var invalid *core.InvalidError
		require.ErrorAs(t, err, &invalid, name)
	}
}
