package core_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// privateRoom makes a room that only its creator and the agents of its owner may change.
func privateRoom(t testing.TB, n *core.Node, creator core.Agent, members ...core.Agent) string {
	t.Helper()
	cmd := core.CreateRoom{Facts: core.RoomFacts{
		Name: "mine", Creator: creator.ID, Owner: creator.Owner, ReadVisibility: "private", WriteVisibility: "private",
	}}
	for _, m := range members {
		cmd.Members = append(cmd.Members, member(m))
	}
	made, _, err := n.CreateRoom(t.Context(), cmd, nil)
	require.NoError(t, err)
	return made.Room
}

func define(t testing.TB, n *core.Node, room string, actor core.Agent, name string, exclusive bool) {
	t.Helper()
	require.NoError(t, n.DefineRole(t.Context(), room, core.DefineRole{
		Actor: actor.ID, Name: name, Instructions: "be " + name, Exclusive: exclusive,
	}, nil))
}

func rolesOf(t testing.TB, n *core.Node, room string) (out []core.RoleDef) {
	t.Helper()
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { out = r.Roles }))
	return out
}

// refused asserts an *InvalidError or *TooLongError about a field, with some words in it.
func refused(t testing.TB, err error, field, words string) {
	t.Helper()
	require.ErrorContains(t, err, words)
	var invalid *core.InvalidError
	var long *core.TooLongError
	switch {
	case errors.As(err, &invalid):
		require.Equal(t, field, invalid.Field)
	case errors.As(err, &long):
		require.Equal(t, field, long.Field)
	default:
		t.Fatalf("%T: %v", err, err)
	}
}

func TestDefineRole(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "ops"},
		Members: []core.NewMember{{Agent: alice.ID, Name: "alice", Handle: "alice", Alias: "Boss"}, member(bob)},
	}, nil)
	require.NoError(t, err)
	room := made.Room
	define(t, n, room, alice, "judge", true)
	before := n.Applied()
	for _, tc := range []struct{ name, want string }{
		{"", "must not be blank"},
		{" \t", "must not be blank"},
		{"a b", "white space"},
		{"a\u00a0b", "white space"},
		{"a\u2003b", "white space"},
		{"a\nb", "white space"},
		{"a\x00b", "white space"},
		{"@judge", "'@'"},
		{"judge", `"judge" is taken: it is a role of this room`},
		{"JUDGE", "a role of this room"},
		{"Bob", "the name of an agent in this room"},
		{"boss", "an alias in this room"},
		{strings.Repeat("é", core.MaxNameCharacters+1), "at most 256"},
	} {
		refused(t, n.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: tc.name}, nil), "name", tc.want)
	}
	refused(t, n.DefineRole(t.Context(), room, core.DefineRole{
		Actor: alice.ID, Name: "long", Instructions: strings.Repeat("x", core.MaxRoomInstructionsBytes+1),
	}, nil), "instructions", "at most 65536")
	require.Equal(t, before, n.Applied(), "a refused command changes nothing")

	define(t, n, room, bob, "qa/lead", false)
	define(t, n, room, bob, strings.Repeat("é", core.MaxNameCharacters), false)
	require.Equal(t, []core.RoleDef{
		{Name: "judge", Instructions: "be judge", Exclusive: true},
		{Name: "qa/lead", Instructions: "be qa/lead"},
		{Name: strings.Repeat("é", 256), Instructions: "be " + strings.Repeat("é", 256)},
	}, rolesOf(t, n, room))
	for i := 3; i < core.MaxRoles; i++ {
		define(t, n, room, bob, numbered(i, i+1)[0], false)
	}
	refused(t, n.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: "more"}, nil), "name", "256 roles")
}

func TestEditAndDeleteRole(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	define(t, n, room, alice, "judge", false)
	define(t, n, room, alice, "clerk", false)
	yes, text, long := true, "anew", strings.Repeat("x", core.MaxRoomInstructionsBytes+1)
	edit := func(cmd core.EditRole) error {
		cmd.Actor = alice.ID
		return n.EditRole(t.Context(), room, cmd, nil)
	}
	refused(t, edit(core.EditRole{Name: "Judge", Instructions: &text}), "name", `no role "Judge"`)
	refused(t, edit(core.EditRole{Name: "judge", Instructions: &long}), "instructions", "at most")
	before := n.Applied()
	same, no := "be judge", false
	require.NoError(t, edit(core.EditRole{Name: "judge", Instructions: &same, Exclusive: &no}))
	require.NoError(t, edit(core.EditRole{Name: "judge"}))
	require.Equal(t, before, n.Applied(), "what stays as it is is no event")
	require.NoError(t, edit(core.EditRole{Name: "judge", Exclusive: &yes}))
	require.Equal(t, core.RoleDef{Name: "judge", Instructions: "be judge", Exclusive: true}, rolesOf(t, n, room)[0])
	require.NoError(t, edit(core.EditRole{Name: "judge", Instructions: &text}))
	require.Equal(t, core.RoleDef{Name: "judge", Instructions: "anew", Exclusive: true}, rolesOf(t, n, room)[0])

	remove := core.DeleteRole{Actor: alice.ID, Name: "judge"}
	require.NoError(t, n.DeleteRole(t.Context(), room, remove, nil))
	refused(t, n.DeleteRole(t.Context(), room, remove, nil), "name", `no role "judge"`)
	require.Equal(t, []core.RoleDef{{Name: "clerk", Instructions: "be clerk"}}, rolesOf(t, n, room))
	define(t, n, room, alice, "JUDGE", false)
}

// TestWhoMayChangeRolesLinksAndSettings: every command that changes a room asks for the same rights.
func TestWhoMayChangeRolesLinksAndSettings(t *testing.T) {
	n := newNode(t)
	owned := func(handle, owner string) core.Agent {
		r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle, Owner: owner}})
		require.NoError(t, err)
		return r.Agent
	}
	creator, sister, guest, outsider := owned("creator", "olga"), owned("sister", "olga"), owned("guest", "paul"), owned("outsider", "olga")
	room := privateRoom(t, n, creator, creator, sister, guest)
	target := openRoom(t, n, creator)
	define(t, n, room, creator, "judge", false)
	require.NoError(t, n.AddLink(t.Context(), room, core.AddLink{Actor: creator.ID, Target: target, Label: "see"}, nil))
	name := "renamed"
	commands := map[string]func(room, actor string) error{
		"define": func(room, actor string) error {
			return n.DefineRole(t.Context(), room, core.DefineRole{Actor: actor, Name: actor}, nil)
		},
		"edit": func(room, actor string) error {
			return n.EditRole(t.Context(), room, core.EditRole{Actor: actor, Name: "judge", Instructions: &actor}, nil)
		},
		"change": func(room, actor string) error {
			return n.ChangeRoom(t.Context(), room, core.ChangeRoom{Actor: actor, Name: &name}, nil)
		},
		"link": func(room, actor string) error {
			return n.AddLink(t.Context(), room, core.AddLink{Actor: actor, Target: openRoom(t, n), Label: "see"}, nil)
		},
		"unlink": func(room, actor string) error {
			return n.RemoveLink(t.Context(), room, core.RemoveLink{Actor: actor, Target: target}, nil)
		},
		"delete": func(room, actor string) error {
			return n.DeleteRole(t.Context(), room, core.DeleteRole{Actor: actor, Name: "judge"}, nil)
		},
	}
	for what, do := range commands {
		require.ErrorIs(t, do("room_none", creator.ID), core.ErrNoRoom, what)
		require.ErrorIs(t, do(room, guest.ID), core.ErrNotAllowed, what)
		if what == "link" || what == "unlink" {
			continue // Who is no member may link all the same.
		}
		require.ErrorIs(t, do(room, outsider.ID), core.ErrNotMember, what)
	}
	for _, what := range []string{"define", "edit", "change", "link", "unlink", "delete"} {
		require.NoError(t, commands[what](room, sister.ID), what)
	}
	require.NoError(t, commands["link"](room, outsider.ID))
}

func TestARoomThatHasEndedStaysAsItWas(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice := register(t, n, "alice")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "brief"}, Members: []core.NewMember{member(alice)}, TTL: time.Second,
	}, nil)
	require.NoError(t, err)
	room, target := made.Room, openRoom(t, n, alice)
	define(t, n, room, alice, "judge", false)
	require.NoError(t, n.AddLink(t.Context(), room, core.AddLink{Actor: alice.ID, Target: target, Label: "see"}, nil))
	open(t, n, alice, "c", core.ScopeSingle, room)
	now.Advance(2 * time.Second)

	name, yes := "renamed", true
	_, assumed := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: alice.ID, Role: "judge", Connection: "c"})
	for what, err := range map[string]error{
		"define":  n.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: "clerk"}, nil),
		"edit":    n.EditRole(t.Context(), room, core.EditRole{Actor: alice.ID, Name: "judge", Instructions: &name}, nil),
		"delete":  n.DeleteRole(t.Context(), room, core.DeleteRole{Actor: alice.ID, Name: "judge"}, nil),
		"assume":  assumed,
		"link":    n.AddLink(t.Context(), room, core.AddLink{Actor: alice.ID, Target: openRoom(t, n), Label: "see"}, nil),
		"unlink":  n.RemoveLink(t.Context(), room, core.RemoveLink{Actor: alice.ID, Target: target}, nil),
		"rename":  n.ChangeRoom(t.Context(), room, core.ChangeRoom{Actor: alice.ID, Name: &name}, nil),
		"mixture": n.ChangeRoom(t.Context(), room, core.ChangeRoom{Actor: alice.ID, Name: &name, Archived: &yes}, nil),
	} {
		var ended *core.RoomNotActiveError
		require.ErrorAs(t, err, &ended, what)
		require.Equal(t, core.StateClosed, ended.State, what)
	}
	require.NoError(t, n.ChangeRoom(t.Context(), room, core.ChangeRoom{Actor: alice.ID, Archived: &yes}, nil))
	sum, _ := n.Room(room)
	require.True(t, sum.Archived)
	require.Equal(t, "brief", sum.Name)
}

func TestIdempotentChanges(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room, target := openRoom(t, n, alice), openRoom(t, n, alice)
	once := func(value string, do func(key *core.Key) error) {
		key := &core.Key{Agent: alice.ID, Value: value, BodyHash: "h"}
		require.NoError(t, do(key))
		after := n.Applied()
		require.NoError(t, do(key), "the repetition is answered as the first was")
		require.Equal(t, after, n.Applied())
	}
	once("1", func(key *core.Key) error {
		return n.DefineRole(t.Context(), room, core.DefineRole{Actor: alice.ID, Name: "judge"}, key)
	})
	once("2", func(key *core.Key) error {
		return n.AddLink(t.Context(), room, core.AddLink{Actor: alice.ID, Target: target, Label: "l"}, key)
	})
	once("3", func(key *core.Key) error {
		return n.RemoveLink(t.Context(), room, core.RemoveLink{Actor: alice.ID, Target: target}, key)
	})
	once("4", func(key *core.Key) error {
		return n.DeleteRole(t.Context(), room, core.DeleteRole{Actor: alice.ID, Name: "judge"}, key)
	})
}
