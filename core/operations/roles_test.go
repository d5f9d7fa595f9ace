package operations_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

// field reads one field of a result, as JSON.
func field(t *testing.T, result, name string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(result), &fields))
	require.Contains(t, fields, name)
	return string(fields[name])
}

// argumentFault asserts that an argument was refused, by whichever layer, with some words in the text.
func argumentFault(t *testing.T, err error, words string) {
	t.Helper()
	require.ErrorContains(t, err, words)
	switch err.(type) {
	case *operations.ArgumentError, *core.InvalidError, *core.TooLongError:
	default:
		t.Fatalf("%T: %v", err, err)
	}
}

func TestRolesFromDefinitionToDeletion(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"],"roles":[{"name":"zed","instructions":"Z"}]}`)
	a, b := w.connect(t, ada, room), w.connect(t, bob, room)
	long := strings.Repeat("é", 300)

	require.Equal(t, `{"status":"defined","name":"judge"}`,
		w.wire(t, a, "define_role", `{"name":"judge","instructions":"`+long+`","exclusive":true}`))
	const zed = `{"name":"zed","exclusive":false,"held_by":[],"assumable_by_me":true,"instructions_preview":"Z"}`
	judge := func(rest string) string {
		return `{"name":"judge","exclusive":true,` + rest + `,"instructions_preview":"` + strings.Repeat("é", 200) + `"}`
	}
	require.Equal(t, "["+judge(`"held_by":[],"assumable_by_me":true`)+","+zed+"]", w.wire(t, b, "list_roles", `{}`))

	require.Equal(t, `{"role":"judge","instructions":"`+long+`"}`, w.wire(t, a, "assume_role", `{"role":"judge"}`))
	const here = `"held_by":[{"name":"ada","present_here":true,"session_room":null}]`
	require.Equal(t, "["+judge(here+`,"assumable_by_me":false`)+","+zed+"]", w.wire(t, b, "list_roles", `{}`))
	notZed := strings.Replace(zed, "true", "false", 1)
	require.Equal(t, "["+judge(here+`,"assumable_by_me":true`)+","+notZed+"]", w.wire(t, a, "list_roles", `{}`),
		"the holder may take its own role again and no other")

	for op, args := range map[string]string{
		"get_room_detail": `{"room_id":"` + room + `"}`, "connect_to_room": `{"room_id":"` + room + `"}`,
	} {
		require.Equal(t, "["+judge(here+`,"assumable_by_me":false`)+","+zed+"]", field(t, w.wire(t, b, op, args), "roles"), op)
	}
	require.Equal(t, `{"name":"judge","exclusive":true,`+here+`,"assumable_by_me":false,"instructions":"`+long+`"}`,
		w.wire(t, operations.Caller{Agent: bob.ID}, "get_role_detail", `{"room_id":"`+room+`","role_name":"judge"}`))

	require.Equal(t, `{"status":"edited","name":"judge"}`, w.wire(t, b, "edit_role", `{"name":"judge","instructions":"J"}`))
	require.Equal(t, `{"role":"judge","instructions":"J"}`, w.wire(t, a, "assume_role", `{"role":"judge"}`))
	require.Equal(t, `{"status":"released"}`, w.wire(t, a, "release_role", `{}`))
	require.Equal(t, `{"status":"released"}`, w.wire(t, a, "release_role", `{}`), "also when none is held")
	require.Equal(t, `{"status":"edited","name":"judge"}`, w.wire(t, b, "edit_role", `{"name":"judge","exclusive":false}`))
	w.must(t, b, "assume_role", `{"role":"judge"}`)
	require.Equal(t, `[{"name":"judge","exclusive":false,"held_by":[{"name":"bob","present_here":true,"session_room":null}],`+
		`"assumable_by_me":true,"instructions_preview":"J"},`+zed+`]`, w.wire(t, a, "list_roles", `{}`), "a shared role has room")
	require.Equal(t, `{"status":"deleted","name":"judge"}`, w.wire(t, a, "delete_role", `{"name":"judge"}`))
	require.Equal(t, "["+zed+"]", w.wire(t, b, "list_roles", `{}`), "whoever held it holds nothing")
}

func TestRoleOfAParticipant(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	args := `{"name":"ops","description":"","agent_names":["ada","bob"],"roles":[{"name":"judge","instructions":""}]}`
	room := w.room(t, operations.Caller{Agent: ada.ID}, args)
	w.ms.Add(1)
	other := w.room(t, operations.Caller{Agent: ada.ID}, args)
	a := w.connect(t, ada, room)
	w.must(t, a, "assume_role", `{"role":"judge"}`)
	roles := func(room string) (out []string) {
		var rc operations.RoomContext
		require.NoError(t, json.Unmarshal([]byte(w.must(t, w.connect(t, bob), "connect_to_room", `{"room_id":"`+room+`"}`)), &rc))
		for _, p := range rc.Participants {
			role := "-"
			if p.RoomRole != nil {
				role = *p.RoomRole
			}
			out = append(out, p.Name+"="+role)
		}
		return out
	}
	require.Equal(t, []string{"ada=judge", "bob=-"}, roles(room))
	require.Equal(t, []string{"ada=-", "bob=-"}, roles(other), "the role of another room")
	detail := w.must(t, a, "get_agent_detail", `{"agent_id":"`+ada.ID+`"}`)
	var rooms []operations.AgentRoom
	require.NoError(t, json.Unmarshal([]byte(field(t, detail, "rooms")), &rooms))
	require.Equal(t, "judge", *rooms[0].RoomRole)
	require.Nil(t, rooms[1].RoomRole)

	w.ms.Add(6 * time.Second.Milliseconds())
	require.Equal(t, []string{"ada=-", "bob=-"}, roles(room), "its session ended")
}

// TestWhereAHolderIs: present_here follows the connection that took the role, and a room's name is told to those who may
// know of the room.
func TestWhereAHolderIs(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	nowhere := operations.Caller{Agent: ada.ID}
	room := w.room(t, nowhere, `{"name":"ops","description":"","agent_names":["ada","bob"],"roles":[{"name":"judge","instructions":""}]}`)
	public := w.room(t, nowhere, `{"name":"public","description":"","agent_names":["ada"]}`)
	secret := w.room(t, nowhere, `{"name":"secret","description":"","agent_names":["ada"],"read_visibility":"private","write_visibility":"private"}`)
	a, b := w.connect(t, ada, room), w.connect(t, bob, room)
	w.must(t, a, "assume_role", `{"role":"judge"}`)
	held := func(c operations.Caller) string {
		var list []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(w.wire(t, c, "list_roles", `{}`)), &list))
		return field(t, string(list[0]), "held_by")
	}
	move := func(to string) {
		_, err := w.n.Subscribe(t.Context(), ada.ID, a.Connection.ID, to, true)
		require.NoError(t, err)
	}
	require.Equal(t, `[{"name":"ada","present_here":true,"session_room":null}]`, held(b))
	move(public)
	require.Equal(t, `[{"name":"ada","present_here":false,"session_room":"public"}]`, held(b))
	require.Equal(t, `[{"name":"ada","present_here":false,"session_room":null}]`, held(operations.Caller{Agent: bob.ID, Room: room}),
		"a caller bound to one room is told of no other")
	move(secret)
	require.Equal(t, `[{"name":"ada","present_here":false,"session_room":null}]`, held(b))
	_, err := w.n.Unsubscribe(t.Context(), ada.ID, a.Connection.ID, secret)
	require.NoError(t, err)
	require.Equal(t, `[{"name":"ada","present_here":false,"session_room":null}]`, held(b))

	// A connection that has several rooms is in none of them.
	o, err := w.n.OpenConnection(t.Context(), ada.ID, core.OpenRequest{
		ID: a.Connection.ID, Scope: core.ScopeAll, Filter: core.FilterAll, FromHead: true, Rooms: []string{room, public},
	})
	require.NoError(t, err)
	require.Len(t, o.Connection.Rooms, 2)
	require.Equal(t, `[{"name":"ada","present_here":false,"session_room":null}]`, held(b))
}

func TestRoleRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob, eve := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "eve")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"],
		"write_visibility":"private","roles":[{"name":"judge","instructions":"","exclusive":true},{"name":"clerk","instructions":""}]}`)
	a, b := w.connect(t, ada, room), w.connect(t, bob, room)
	w.must(t, a, "assume_role", `{"role":"judge"}`)
	before := w.n.Applied()
	for _, tc := range []struct{ op, args, want string }{
		{"define_role", `{"name":"x"}`, "missing required arguments: instructions"},
		{"define_role", `{"name":"","instructions":""}`, "must not be blank"},
		{"define_role", `{"name":"a b","instructions":""}`, "white space"},
		{"define_role", `{"name":"JUDGE","instructions":""}`, "a role of this room"},
		{"define_role", `{"name":"Bob","instructions":""}`, "the name of an agent"},
		{"define_role", `{"name":"x","instructions":"","exclusive":"yes"}`, `"exclusive" must be true or false`},
		{"edit_role", `{"name":"none","instructions":"x"}`, `no role "none"`},
		{"delete_role", `{"name":"none"}`, `no role "none"`},
		{"assume_role", `{"role":"none"}`, `no role "none"`},
		{"get_role_detail", `{"room_id":"` + room + `","role_name":"none"}`, `no role "none"`},
		{"get_role_detail", `{"room_id":"` + room + `"}`, "role_name"},
	} {
		_, err := w.call(t, a, tc.op, tc.args)
		argumentFault(t, err, tc.want)
	}
	for op, args := range map[string]string{
		"define_role": `{"name":"x","instructions":""}`, "edit_role": `{"name":"judge","exclusive":false}`, "delete_role": `{"name":"judge"}`,
	} {
		_, err := w.call(t, b, op, args)
		require.ErrorIs(t, err, core.ErrNotAllowed, op)
		_, err = w.call(t, operations.Caller{Agent: ada.ID}, op, args)
		require.ErrorIs(t, err, operations.ErrNotConnected, op)
	}
	_, err := w.call(t, a, "assume_role", `{"role":"clerk"}`)
	var holds *core.HoldsRoleError
	require.ErrorAs(t, err, &holds)
	_, err = w.call(t, b, "assume_role", `{"role":"judge"}`)
	var held *core.RoleHeldError
	require.ErrorAs(t, err, &held)
	require.ErrorContains(t, err, "held by ada")
	for _, op := range []string{"list_roles", "release_role"} {
		_, err = w.call(t, operations.Caller{Agent: ada.ID}, op, `{}`)
		require.ErrorIs(t, err, operations.ErrNotConnected, op)
	}
	_, err = w.call(t, operations.Caller{Agent: eve.ID}, "get_role_detail", `{"room_id":"`+room+`","role_name":"judge"}`)
	require.ErrorIs(t, err, core.ErrNotMember)
	_, err = w.call(t, operations.Caller{Agent: eve.ID}, "get_role_detail", `{"room_id":"room_none","role_name":"judge"}`)
	require.ErrorIs(t, err, core.ErrNoRoom)
	_, err = w.call(t, operations.Caller{Agent: bob.ID, Room: room}, "assume_role", `{"role":"clerk"}`)
	require.ErrorIs(t, err, operations.ErrNoConnection, "a role is bound to a connection")
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}
