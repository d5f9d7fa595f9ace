package operations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func TestLinkedRooms(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a, b := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: bob.ID}
	room := w.room(t, a, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	one := w.room(t, a, `{"name":"one","description":"first","agent_names":["ada"]}`)
	two := w.room(t, a, `{"name":"two","description":"","agent_names":["ada","bob"],"read_visibility":"private","write_visibility":"private"}`)
	link := func(c operations.Caller, target, label string) (string, error) {
		return w.call(t, c, "link_rooms", `{"source_room_id":"`+room+`","target_room_id":"`+target+`","label":"`+label+`"}`)
	}
	// No right to the target is needed, and none to be a member of the source.
	out, err := link(operations.Caller{Agent: w.agent(t, "cid").ID}, one, "see")
	require.NoError(t, err)
	first := `{"target_room_id":"` + one + `","target_room_name":"one","target_room_description":"first","label":"see"`
	require.Equal(t, first+`}`, out)
	_, err = link(b, two, "too")
	require.NoError(t, err)
	second := `{"target_room_id":"` + two + `","target_room_name":"two","target_room_description":"","label":"too"`

	const note = `,"access":"not_member","access_note":"You are not a member of this room; ask to be invited."}`
	both := `[` + first + note + `,` + second + `,"access":"member"}]`
	require.Equal(t, both, w.wire(t, w.connect(t, bob, room), "list_linked_rooms", `{}`))
	require.Equal(t, both, field(t, w.wire(t, w.connect(t, bob), "connect_to_room", `{"room_id":"`+room+`"}`), "linked_rooms"))
	require.Equal(t, `[`+first+`},`+second+`}]`, field(t, w.wire(t, w.connect(t, bob, room), "list_references", `{}`), "linked_rooms"))

	w.must(t, a, "archive_room", `{"room_id":"`+two+`"}`)
	require.Equal(t, `[`+first+`,"access":"member"}]`, w.wire(t, w.connect(t, ada, room), "list_linked_rooms", `{}`), "archived targets are left out")
	w.must(t, a, "unarchive_room", `{"room_id":"`+two+`"}`)

	unlink := `{"source_room_id":"` + room + `","target_room_id":"` + one + `"}`
	require.Equal(t, `{"ok":true}`, w.wire(t, b, "unlink_rooms", unlink))
	_, err = w.call(t, b, "unlink_rooms", unlink)
	argumentFault(t, err, "not linked")
	require.Equal(t, `[`+second+`,"access":"member"}]`, w.wire(t, w.connect(t, ada, room), "list_linked_rooms", `{}`))
}

func TestLinkRefusals(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a, b := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: bob.ID}
	const private = `,"read_visibility":"private","write_visibility":"private"}`
	public := w.room(t, a, `{"name":"public","description":"","agent_names":["ada"]}`)
	mine := w.room(t, a, `{"name":"mine","description":"","agent_names":["ada"]`+private)
	before := w.n.Applied()
	for _, tc := range []struct {
		c                           operations.Caller
		source, target, label, want string
	}{
		{a, public, public, "l", "itself"},
		{a, public, "room_none", "l", `no room "room_none"`},
		{a, public, mine, " ", "blank"},
		{b, public, mine, "l", "no room"}, // A private room is not found out by linking to it.
	} {
		_, err := w.call(t, tc.c, "link_rooms", `{"source_room_id":"`+tc.source+`","target_room_id":"`+tc.target+`","label":"`+tc.label+`"}`)
		argumentFault(t, err, tc.want)
	}
	_, err := w.call(t, b, "link_rooms", `{"source_room_id":"`+mine+`","target_room_id":"`+public+`","label":"l"}`)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	_, err = w.call(t, b, "link_rooms", `{"source_room_id":"room_none","target_room_id":"`+public+`","label":"l"}`)
	require.ErrorIs(t, err, core.ErrNoRoom)
	_, err = w.call(t, b, "unlink_rooms", `{"source_room_id":"`+mine+`","target_room_id":"`+public+`"}`)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	_, err = w.call(t, b, "unlink_rooms", `{"source_room_id":"room_none","target_room_id":"`+public+`"}`)
	require.ErrorIs(t, err, core.ErrNoRoom)
	_, err = w.call(t, b, "create_room", `{"name":"x","description":"","agent_names":[],"linked_rooms":[{"target_room_id":"`+mine+`","label":"l"}]}`)
	argumentFault(t, err, "no room")
	_, err = w.call(t, b, "list_linked_rooms", `{}`)
	require.ErrorIs(t, err, operations.ErrNotConnected)
	require.Equal(t, before, w.n.Applied(), "a refused call changes nothing")
}
