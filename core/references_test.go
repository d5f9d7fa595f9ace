package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func registerOwned(t testing.TB, n *core.Node, handle, owner string) core.Agent {
	t.Helper()
	r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle, Owner: owner}})
	require.NoError(t, err)
	return r.Agent
}

func reference(t testing.TB, n *core.Node, by core.Agent, name, read string) core.Reference {
	t.Helper()
	ref, err := n.CreateReference(t.Context(), core.CreateReference{Agent: by.ID, Reference: core.Reference{
		Type: "github", Name: name, ReadVisibility: read, Value: json.RawMessage(`{"urls":["https://example.org/` + name + `"]}`),
	}}, nil)
	require.NoError(t, err)
	return ref
}

func TestReferenceRules(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice, lone := registerOwned(t, n, "alice", "org"), register(t, n, "lone")
	ok := core.Reference{
		Type: "jira", Name: "board", Description: "d", Instructions: "i",
		Value: json.RawMessage(`{"more": 1, "urls" : [ "https://example.org/1", "b" ]}`),
	}
	made, err := n.CreateReference(t.Context(), core.CreateReference{Agent: alice.ID, Reference: ok}, nil)
	require.NoError(t, err)
	require.Equal(t, core.Reference{
		ID: made.ID, Type: "jira", Owner: "org", Name: "board", Description: "d", Instructions: "i", CreatedAt: now.Now(),
		ReadVisibility: "private", WriteVisibility: "private", Value: json.RawMessage(`{"urls":["https://example.org/1","b"]}`),
	}, made)
	require.Equal(t, []core.Reference{made, made}, n.References([]string{made.ID, "ref_none", made.ID}))

	with := func(change func(*core.Reference)) core.Reference {
		r := ok
		change(&r)
		return r
	}
	for name, tc := range map[string]struct {
		by   core.Agent
		ref  core.Reference
		want func(testing.TB, error)
	}{
		"no owner":          {lone, ok, invalid("agent", "must have an owner")},
		"unknown type":      {alice, with(func(r *core.Reference) { r.Type = "gitlab" }), invalid("type", "must be one of google_drive, confluence, github, jira")},
		"no type":           {alice, with(func(r *core.Reference) { r.Type = "" }), invalid("type", "must be one of")},
		"blank name":        {alice, with(func(r *core.Reference) { r.Name = " " }), invalid("name", "blank")},
		"long name":         {alice, with(func(r *core.Reference) { r.Name = strings.Repeat("n", 257) }), tooLong("name", 256)},
		"long description":  {alice, with(func(r *core.Reference) { r.Description = strings.Repeat("n", 4097) }), tooLong("description", 4096)},
		"long instructions": {alice, with(func(r *core.Reference) { r.Instructions = strings.Repeat("n", 16385) }), tooLong("instructions", 16384)},
		"strange reading":   {alice, with(func(r *core.Reference) { r.ReadVisibility = "friends" }), invalid("read_visibility", `"public" or "private"`)},
		"strange writing":   {alice, with(func(r *core.Reference) { r.WriteVisibility = "all" }), invalid("write_visibility", `"public" or "private"`)},
		"written by all, read by few": {
			alice, with(func(r *core.Reference) { r.ReadVisibility, r.WriteVisibility = "private", "public" }),
			invalid("write_visibility", "cannot be public while"),
		},
		"bad value": {alice, with(func(r *core.Reference) { r.Value = json.RawMessage(`{"urls":[]}`) }), invalid("value", "at least one string")},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			_, err := n.CreateReference(t.Context(), core.CreateReference{Agent: tc.by.ID, Reference: tc.ref}, nil)
			tc.want(t, err)
			require.Equal(t, before, n.Applied())
		})
	}
	for range 2 {
		twin, err := n.CreateReference(t.Context(), core.CreateReference{Agent: alice.ID, Reference: with(func(r *core.Reference) {
			r.ReadVisibility, r.WriteVisibility = "public", "public"
		})}, nil)
		require.NoError(t, err, "names need not be unique")
		require.NotEqual(t, made.ID, twin.ID)
		require.Equal(t, "public", twin.WriteVisibility)
	}
}

func TestAttachReference(t *testing.T) {
	n := newNode(t)
	alice, bob, eve := registerOwned(t, n, "alice", "org"), registerOwned(t, n, "bob", "org"), registerOwned(t, n, "eve", "other")
	lone := register(t, n, "lone")
	mine, public := reference(t, n, alice, "mine", "private"), reference(t, n, alice, "public", "public")
	create := func(facts core.RoomFacts) string {
		facts.Name, facts.Creator, facts.Owner = "ops", alice.ID, "org"
		made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{Facts: facts, Members: []core.NewMember{member(alice)}}, nil)
		require.NoError(t, err)
		return made.Room
	}
	open, closed, ended := create(core.RoomFacts{}), create(core.RoomFacts{WriteVisibility: "private"}), create(core.RoomFacts{})
	_, _, err := n.CloseRoom(t.Context(), ended, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)
	attach := func(by core.Agent, room, ref string) error {
		return n.AttachReference(t.Context(), room, core.AttachReference{Actor: by.ID, Reference: ref}, nil)
	}
	var over *core.RoomNotActiveError
	for name, tc := range map[string]struct {
		by        core.Agent
		room, ref string
		want      func(testing.TB, error)
	}{
		"no room":            {alice, "room_none", mine.ID, is(core.ErrNoRoom)},
		"no owner":           {lone, open, public.ID, invalid("agent", "must have an owner")},
		"no reference":       {alice, open, "ref_none", invalid("reference_id", `"ref_none"`)},
		"another's":          {eve, open, mine.ID, is(core.ErrNotAllowed)},
		"another's room":     {eve, closed, public.ID, is(core.ErrNotAllowed)},
		"room that is ended": {alice, ended, mine.ID, func(t testing.TB, err error) { require.ErrorAs(t, err, &over) }},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			tc.want(t, attach(tc.by, tc.room, tc.ref))
			require.Equal(t, before, n.Applied())
		})
	}
	require.NoError(t, attach(eve, open, public.ID), "an agent that is no member may write a public room")
	require.NoError(t, attach(bob, open, mine.ID), "an agent of the same owner")
	require.NoError(t, attach(bob, closed, mine.ID))
	before := n.Applied()
	require.NoError(t, attach(alice, open, public.ID), "twice is no event")
	require.Equal(t, before, n.Applied())
	require.NoError(t, n.ViewRoom(t.Context(), open, func(r *core.Room) {
		require.Equal(t, []string{public.ID, mine.ID}, r.References, "in the order of attaching")
	}))
	for i := range core.MaxRoomReferences - 2 {
		require.NoError(t, attach(alice, open, reference(t, n, alice, fmt.Sprint(i), "private").ID))
	}
	invalid("reference_id", "64 references in this room already")(t, attach(alice, open, reference(t, n, alice, "more", "private").ID))
	require.NoError(t, attach(alice, open, mine.ID), "what is there already is no more")
}

func TestRoomIsCreatedWithReferencesAndGroup(t *testing.T) {
	n := newNode(t)
	alice, eve := registerOwned(t, n, "alice", "org"), registerOwned(t, n, "eve", "other")
	mine, public := reference(t, n, alice, "mine", "private"), reference(t, n, alice, "public", "public")
	group, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: "g"}, nil)
	require.NoError(t, err)
	create := func(owner, group string, refs ...string) (string, error) {
		made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
			Facts:      core.RoomFacts{Name: "ops", Owner: owner, Group: group, Creator: alice.ID},
			Members:    []core.NewMember{member(alice), member(eve)},
			References: refs,
		}, nil)
		return made.Room, err
	}
	var many []string
	for i := range core.MaxRoomReferences + 1 {
		many = append(many, reference(t, n, alice, fmt.Sprint(i), "private").ID)
	}
	before := n.Applied()
	_, err = create("", "", public.ID)
	invalid("agent", "must have an owner")(t, err)
	_, err = create("org", "", public.ID, "ref_none")
	invalid("reference_ids", `"ref_none"`)(t, err)
	_, err = create("other", "", public.ID, mine.ID)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	var denied *core.NotAllowedError
	require.ErrorAs(t, err, &denied)
	require.Contains(t, denied.Reason, mine.ID)
	_, err = create("org", "grp_none")
	invalid("group", `"grp_none"`)(t, err)
	_, err = create("org", "", many...)
	invalid("reference_ids", "64 references at most")(t, err)
	require.Equal(t, before, n.Applied(), "a room is made whole or not at all")

	room, err := create("org", group.ID, public.ID, mine.ID, public.ID)
	require.NoError(t, err)
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) {
		require.Equal(t, []string{public.ID, mine.ID}, r.References)
		require.Equal(t, group.ID, r.Group)
		require.EqualValues(t, 5, r.Version)
	}))
	sum, _ := n.Room(room)
	require.Equal(t, group.ID, sum.Group)
}

func TestAnOwnerHasSoManyReferences(t *testing.T) {
	n := newNode(t)
	alice, eve := registerOwned(t, n, "alice", "org"), registerOwned(t, n, "eve", "other")
	for i := range core.MaxReferences {
		reference(t, n, alice, fmt.Sprint(i), "private")
	}
	_, err := n.CreateReference(t.Context(), core.CreateReference{Agent: alice.ID, Reference: core.Reference{
		Type: "github", Name: "more", Value: json.RawMessage(`{"urls":["x"]}`),
	}}, nil)
	invalid("reference", "1000 references of this owner already")(t, err)
	reference(t, n, eve, "another owner's", "private")
}

func TestSameKeySameReference(t *testing.T) {
	log, snaps := memlog.New(), memlog.NewSnapshots()
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	alice := registerOwned(t, n, "alice", "org")
	key := &core.Key{Agent: alice.ID, Value: "k", BodyHash: "h"}
	cmd := core.CreateReference{Agent: alice.ID, Reference: core.Reference{
		Type: "github", Name: "r", Value: json.RawMessage(`{ "urls": ["x"], "y": 1 }`),
	}}
	made, err := n.CreateReference(t.Context(), cmd, key)
	require.NoError(t, err)
	require.NoError(t, n.Close(t.Context()))

	n = openNode(t, log, core.Options{Snapshots: snaps})
	before := n.Applied()
	again, err := n.CreateReference(t.Context(), cmd, key)
	require.NoError(t, err)
	require.Equal(t, made, again)
	for _, change := range []func(*core.Reference){
		func(r *core.Reference) { r.Type = "jira" },
		func(r *core.Reference) { r.Name = "s" },
		func(r *core.Reference) { r.Description = "s" },
		func(r *core.Reference) { r.Instructions = "s" },
		func(r *core.Reference) { r.ReadVisibility = "public" },
		func(r *core.Reference) { r.Value = json.RawMessage(`{"urls":["y"]}`) },
	} {
		other := cmd
		change(&other.Reference)
		_, err := n.CreateReference(t.Context(), other, key)
		require.ErrorIs(t, err, core.ErrKeyReused)
	}
	require.Equal(t, before, n.Applied())
}
