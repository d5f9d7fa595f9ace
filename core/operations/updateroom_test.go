package operations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func TestUpdateRoom(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a := operations.Caller{Agent: ada.ID}
	room := w.room(t, a, `{"name":"ops","description":"d","agent_names":["ada","bob"],"instructions":"i"}`)
	update := func(args string) string {
		out := w.wire(t, a, "update_room", `{"room_id":"`+room+`"`+args+`}`)
		require.Equal(t, w.wire(t, operations.Caller{Agent: bob.ID}, "get_room_detail", `{"room_id":"`+room+`"}`), out)
		return out
	}
	before := w.n.Applied()
	out := update("")
	update(`,"name":null,"description":null,"instructions":null,"admin_mode":null,"join_event_listeners":null,"aliases":null,` +
		`"bridge_id":null,"channel_type":null,"external_channel_id":null`)
	require.Equal(t, before, w.n.Applied(), "null leaves a field alone")
	require.Equal(t, []string{`"ops"`, `"d"`, `"i"`, `false`, `[]`, `{}`}, fieldsOf(t, out))
	out = update(`,"name":"new","description":"","instructions":"","admin_mode":true,"join_event_listeners":{"ada":true,"bob":true},"aliases":{"bob":"boss"}`)
	require.Equal(t, []string{`"new"`, `""`, `null`, `true`, `["ada","bob"]`, `{"bob":"boss"}`}, fieldsOf(t, out))
	out = update(`,"join_event_listeners":{"ada":false},"aliases":{"bob":"","ada":"boss"}`)
	require.Equal(t, []string{`"new"`, `""`, `null`, `true`, `["bob"]`, `{"ada":"boss"}`}, fieldsOf(t, out))
}

func fieldsOf(t *testing.T, detail string) (out []string) {
	t.Helper()
	for _, name := range []string{"name", "description", "instructions", "admin_mode", "join_event_listeners", "aliases"} {
		out = append(out, field(t, detail, name))
	}
	return out
}

func TestUpdateRoomRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob, eve := w.agent(t, "ada"), w.agent(t, "bob"), w.agent(t, "eve")
	room := w.room(t, operations.Caller{Agent: ada.ID},
		`{"name":"ops","description":"","agent_names":["ada","bob"],"write_visibility":"private","roles":[{"name":"judge","instructions":""}]}`)
	before := w.n.Applied()
	for _, tc := range []struct{ args, want string }{
		{`"name":" "`, "blank"},
		{`"name":5`, `"name" must be a string or null`},
		{`"visibility":"public"`, "unexpected arguments: visibility"},
		{`"join_event_listeners":{"nobody":true}`, `no agent "nobody"`},
		{`"join_event_listeners":{"eve":true}`, `"eve" is not in this room`},
		{`"join_event_listeners":{"ada":"yes"}`, "join_event_listeners"},
		{`"join_event_listeners":["ada"]`, "must be an object or null"},
		{`"aliases":{"nobody":"x"}`, `no agent "nobody"`},
		{`"aliases":{"eve":""}`, `"eve" is not in this room`},
		{`"aliases":{"ada":"a b"}`, "letters, digits"},
		{`"aliases":{"ada":"Judge"}`, "a role of this room"},
		{`"aliases":{"ada":"BOB"}`, "the name of an agent"},
		{`"aliases":{"ada":"x","bob":"X"}`, "an alias"},
		{`"channel_type":"channel_private"`, "together with bridge_id only"},
		{`"external_channel_id":"C1"`, "together with bridge_id only"},
		{`"bridge_id":"switch"`, "nothing to move"},
		{`"bridge_id":"edge","channel_type":"channel_public"`, "nothing to move"},
		{`"bridge_id":"switch","channel_type":"tube"`, "channel_type"},
		{`"bridge_id":"slack","external_channel_id":"C1"`, `no bridge "slack"`},
	} {
		_, err := w.call(t, operations.Caller{Agent: ada.ID}, "update_room", `{"room_id":"`+room+`","description":"other",`+tc.args+`}`)
		argumentFault(t, err, tc.want)
	}
	for _, tc := range []struct {
		agent core.Agent
		room  string
		want  error
	}{{bob, room, core.ErrNotAllowed}, {eve, room, core.ErrNotMember}, {ada, "room_none", core.ErrNoRoom}} {
		for _, op := range []string{"update_room", "archive_room", "unarchive_room"} {
			_, err := w.call(t, operations.Caller{Agent: tc.agent.ID}, op, `{"room_id":"`+tc.room+`"}`)
			require.ErrorIs(t, err, tc.want, op)
		}
	}
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}

func TestArchivedRoomsAreHiddenAndGoOn(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	a := operations.Caller{Agent: ada.ID}
	room := w.room(t, a, `{"name":"ops","description":"","agent_names":["ada"]}`)
	args := `{"room_id":"` + room + `"}`
	row := func(connected string) string {
		return `[{"room_id":"` + room + `","name":"ops","description":"",` + connected + `"archived":true}]`
	}
	require.Equal(t, `true`, field(t, w.wire(t, a, "archive_room", args), "archived"))
	require.Equal(t, `true`, field(t, w.wire(t, a, "archive_room", args), "archived"), "again changes nothing")
	require.Equal(t, `[]`, w.wire(t, a, "list_rooms", `{}`))
	require.Equal(t, `[]`, w.wire(t, a, "list_all_rooms", `{}`))
	require.Equal(t, row(`"connected":false,`), w.wire(t, a, "list_rooms", `{"include_archived":true}`))
	require.Equal(t, row(""), w.wire(t, a, "list_all_rooms", `{"include_archived":true}`))
	c := w.connect(t, ada)
	w.must(t, c, "connect_to_room", args)
	w.must(t, operations.Caller{Agent: ada.ID, Room: room}, "post_message", `{"body":"still here"}`)
	require.Equal(t, `false`, field(t, w.wire(t, a, "unarchive_room", args), "archived"))
	require.NotEqual(t, `[]`, w.wire(t, a, "list_rooms", `{}`))
}
