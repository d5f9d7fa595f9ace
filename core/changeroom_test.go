package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestChangeRoom(t *testing.T) {
	n := newNode(t)
	alice, bob, carol := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "carol")
	room := openRoom(t, n, alice, bob)
	change := func(cmd core.ChangeRoom) error {
		cmd.Actor = alice.ID
		return n.ChangeRoom(t.Context(), room, cmd, nil)
	}
	view := func() (out core.Room) {
		require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { out = *r }))
		return out
	}
	name, desc, instr, yes, no := "new name", "new description", "new instructions", true, false
	require.NoError(t, change(core.ChangeRoom{Name: &name, Description: &desc, Instructions: &instr, AdminMode: &yes}))
	require.Equal(t, []any{name, desc, instr, true}, []any{view().Name, view().Description, view().Instructions, view().AdminMode})
	sum, _ := n.Room(room)
	require.Equal(t, []any{name, desc}, []any{sum.Name, sum.Description}, "lists show it too")

	empty := ""
	require.NoError(t, change(core.ChangeRoom{Description: &empty, Instructions: &empty, AdminMode: &no}))
	require.Equal(t, []any{name, "", "", false}, []any{view().Name, view().Description, view().Instructions, view().AdminMode})

	require.NoError(t, change(core.ChangeRoom{Listeners: map[string]bool{bob.ID: true, alice.ID: true}}))
	require.ElementsMatch(t, []string{alice.ID, bob.ID}, view().Listeners)
	require.NoError(t, change(core.ChangeRoom{Listeners: map[string]bool{alice.ID: false}}))
	require.Equal(t, []string{bob.ID}, view().Listeners)
	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(carol)}))
	require.Equal(t, []string{bob.ID}, arrival(t, n, room, carol).Listeners, "arrivals carry the new list")

	before := n.Applied()
	require.NoError(t, change(core.ChangeRoom{}))
	require.NoError(t, change(core.ChangeRoom{
		Name: &name, Description: &empty, AdminMode: &no, Archived: &no,
		Listeners: map[string]bool{bob.ID: true, alice.ID: false}, Aliases: map[string]string{bob.ID: ""},
	}))
	require.Equal(t, before, n.Applied(), "what stays as it is is no event")

	require.NoError(t, change(core.ChangeRoom{Archived: &yes}))
	sum, _ = n.Room(room)
	require.True(t, sum.Archived)
	post(t, n, room, bob, "an archived room goes on")
	require.NoError(t, change(core.ChangeRoom{Archived: &no}))
	sum, _ = n.Room(room)
	require.False(t, sum.Archived)
}

func arrival(t *testing.T, n *core.Node, room string, of core.Agent) *core.MemberJoinedEvent {
	t.Helper()
	r := n.NewRoomReader(room, 0)
	defer r.Close()
	entries, err := r.Read(t.Context(), 100, nil)
	require.NoError(t, err)
	for _, e := range entries {
		if p, ok := e.Payload.(*core.MemberJoinedEvent); ok && p.Agent == of.ID {
			return p
		}
	}
	t.Fatal("nobody arrived")
	return nil
}

func TestChangeRoomRefusals(t *testing.T) {
	n := newNode(t)
	alice, carol := register(t, n, "alice"), register(t, n, "carol")
	room := openRoom(t, n, alice)
	long := func(n int) *string { s := strings.Repeat("é", n); return &s }
	blank, fine := " ", "fine"
	before := n.Applied()
	for _, tc := range []struct {
		cmd         core.ChangeRoom
		field, want string
	}{
		{core.ChangeRoom{Name: &blank}, "name", "blank"},
		{core.ChangeRoom{Name: long(core.MaxRoomNameCharacters + 1)}, "name", "1024"},
		{core.ChangeRoom{Description: long(core.MaxRoomDescriptionBytes/2 + 1)}, "description", "16384"},
		{core.ChangeRoom{Instructions: long(core.MaxRoomInstructionsBytes/2 + 1)}, "instructions", "65536"},
		{core.ChangeRoom{Name: &fine, Listeners: map[string]bool{carol.ID: true}}, "join_event_listeners", "not in this room"},
		{core.ChangeRoom{Name: &fine, Aliases: map[string]string{carol.ID: "c"}}, "aliases", "not in this room"},
		{core.ChangeRoom{Aliases: map[string]string{carol.ID: ""}}, "aliases", "not in this room"},
		{core.ChangeRoom{Aliases: map[string]string{"agt_none": "c"}}, "aliases", "not in this room"},
		{core.ChangeRoom{Aliases: map[string]string{alice.ID: "a b"}}, "aliases", "letters, digits"},
		{core.ChangeRoom{Aliases: map[string]string{alice.ID: "@a"}}, "aliases", "letters, digits"},
		{core.ChangeRoom{Aliases: map[string]string{alice.ID: strings.Repeat("a", core.MaxNameCharacters+1)}}, "aliases", "256"},
	} {
		tc.cmd.Actor = alice.ID
		refused(t, n.ChangeRoom(t.Context(), room, tc.cmd, nil), tc.field, tc.want)
	}
	require.Equal(t, before, n.Applied(), "a refused command changes nothing")
}

// TestAliases: a name stands for one thing in a room, whoever it is given to and in whatever order.
func TestAliases(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	define(t, n, room, alice, "judge", false)
	alias := func(a, b string) error {
		cmd := core.ChangeRoom{Actor: alice.ID, Aliases: map[string]string{}}
		for agent, v := range map[string]string{alice.ID: a, bob.ID: b} {
			if v != "-" {
				cmd.Aliases[agent] = v
			}
		}
		return n.ChangeRoom(t.Context(), room, cmd, nil)
	}
	have := func() string {
		var out string
		require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) {
			out = fmt.Sprintf("%s/%s", r.Members[alice.ID].Alias, r.Members[bob.ID].Alias)
		}))
		return out
	}
	require.NoError(t, alias("one", "two"))
	require.NoError(t, alias("two", "one"), "two members swap")
	require.Equal(t, "two/one", have())
	refused(t, alias("ONE", "-"), "aliases", "an alias in this room")
	refused(t, alias("same", "same"), "aliases", "an alias in this room")
	refused(t, alias("BOB", "-"), "aliases", "the name of an agent")
	refused(t, alias("Judge", "-"), "aliases", "a role of this room")
	require.Equal(t, "two/one", have())
	require.NoError(t, alias("-", "Two-2"))
	require.NoError(t, alias("-", "two-2"), "only the case changes")
	require.NoError(t, alias("Alice", ""), "one's own handle is no other name")
	require.Equal(t, "Alice/", have())
	require.NoError(t, alias("-", "one"), "what was given up is free")
}

func TestNewRoomsAreBound(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	role := func(names ...string) (out []core.RoleDef) {
		for _, name := range names {
			out = append(out, core.RoleDef{Name: name})
		}
		return out
	}
	link := core.Link{Target: "room_1", Label: "l"}
	for _, tc := range []struct {
		name        string
		texts       core.RoomTexts
		alias       string
		field, want string
	}{
		{name: strings.Repeat("é", core.MaxRoomNameCharacters+1), field: "name", want: "1024"},
		{texts: core.RoomTexts{Description: strings.Repeat("x", core.MaxRoomDescriptionBytes+1)}, field: "description", want: "16384"},
		{texts: core.RoomTexts{Instructions: strings.Repeat("x", core.MaxRoomInstructionsBytes+1)}, field: "instructions", want: "65536"},
		{texts: core.RoomTexts{Roles: role("a", "A")}, field: "roles", want: "a role of this room"},
		{texts: core.RoomTexts{Roles: role("Alice")}, field: "roles", want: "the name of an agent"},
		{texts: core.RoomTexts{Roles: role("a\u2003b")}, field: "roles", want: "white space"},
		{texts: core.RoomTexts{Roles: role("")}, field: "roles", want: "blank"},
		{texts: core.RoomTexts{Roles: role(numbered(0, core.MaxRoles+1)...)}, field: "roles", want: "256 roles"},
		{texts: core.RoomTexts{Roles: []core.RoleDef{{Name: "a", Instructions: strings.Repeat("x", core.MaxRoomInstructionsBytes+1)}}}, field: "roles", want: "65536"},
		{texts: core.RoomTexts{Roles: role("boss")}, alias: "Boss", field: "aliases", want: "a role of this room"},
		{alias: "bob", field: "aliases", want: "the name of an agent"},
		{alias: "a b", field: "aliases", want: "letters, digits"},
		{texts: core.RoomTexts{Links: []core.Link{{Target: "room_1", Label: " "}}}, field: "linked_rooms", want: "blank"},
		{texts: core.RoomTexts{Links: []core.Link{{Target: "room_1", Label: strings.Repeat("é", core.MaxLabelCharacters+1)}}}, field: "linked_rooms", want: "1000"},
		{texts: core.RoomTexts{Links: []core.Link{link, link}}, field: "linked_rooms", want: "twice"},
		{texts: core.RoomTexts{Links: make([]core.Link, core.MaxLinks+1)}, field: "linked_rooms", want: "1000 links"},
	} {
		if tc.name == "" {
			tc.name = "ops"
		}
		first := member(alice)
		first.Alias = tc.alias
		_, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
			Facts: core.RoomFacts{Name: tc.name}, Texts: tc.texts, Members: []core.NewMember{first, member(bob)},
		}, nil)
		refused(t, err, tc.field, tc.want)
	}
	_, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: strings.Repeat("é", core.MaxRoomNameCharacters)},
		Texts:   core.RoomTexts{Roles: role("judge"), Links: []core.Link{link}},
		Members: []core.NewMember{{Agent: alice.ID, Handle: "alice", Alias: "Alice"}, {Agent: bob.ID, Handle: "bob", Alias: "bill"}},
	}, nil)
	require.NoError(t, err)
}
