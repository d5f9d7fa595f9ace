package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func paths(n *core.Node) (out []string) {
	for _, g := range n.Groups() {
		out = append(out, g.Path)
	}
	return out
}

func TestGroups(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	group := func(name string, parent *string) core.GroupPlace {
		g, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: name, ParentName: parent}, nil)
		require.NoError(t, err)
		return g
	}
	require.Empty(t, n.Groups())
	full, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: "work", Description: "d", Color: "#ff0000"}, nil)
	require.NoError(t, err)
	require.Equal(t, core.GroupPlace{
		Group: core.Group{ID: full.ID, Name: "work", Description: "d", Color: "#ff0000", CreatedAt: now.Now()}, Path: "work",
	}, full)
	web := group("web", ptr("work"))
	require.Equal(t, full.ID, web.Parent)
	require.Equal(t, "work / web", web.Path)
	group("api", ptr("web"))
	twins := []core.GroupPlace{group("play", nil), group("play", nil)}
	require.NotEqual(t, twins[0].ID, twins[1].ID, "names need not be unique")
	require.Equal(t, []string{"play", "play", "work", "work / web", "work / web / api"}, paths(n))
	found, ok := n.Group(web.ID)
	require.True(t, ok)
	require.Equal(t, web, found)
	_, ok = n.Group("grp_none")
	require.False(t, ok)
	named, err := n.GroupNamed("group_name", "web")
	require.NoError(t, err)
	require.Equal(t, web.Group, named)

	for name, tc := range map[string]struct {
		cmd  core.CreateGroup
		want func(testing.TB, error)
	}{
		"blank":             {core.CreateGroup{Name: " "}, invalid("name", "blank")},
		"name too long":     {core.CreateGroup{Name: strings.Repeat("n", 257)}, tooLong("name", 256)},
		"description":       {core.CreateGroup{Name: "x", Description: strings.Repeat("d", 4097)}, tooLong("description", 4096)},
		"color":             {core.CreateGroup{Name: "x", Color: strings.Repeat("c", 65)}, tooLong("color", 64)},
		"unknown parent":    {core.CreateGroup{Name: "x", ParentName: ptr("nothing")}, invalid("parent_group_name", `no group "nothing"`)},
		"parent by path":    {core.CreateGroup{Name: "x", ParentName: ptr("work / web")}, invalid("parent_group_name", "no group")},
		"parent by case":    {core.CreateGroup{Name: "x", ParentName: ptr("Work")}, invalid("parent_group_name", "no group")},
		"parent of no name": {core.CreateGroup{Name: "x", ParentName: ptr("")}, invalid("parent_group_name", "no group")},
		"ambiguous parent":  {core.CreateGroup{Name: "x", ParentName: ptr("play")}, invalid("parent_group_name", `2 groups are called "play"`)},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			_, err := n.CreateGroup(t.Context(), tc.cmd, nil)
			tc.want(t, err)
			require.Equal(t, before, n.Applied())
		})
	}
	_, err = n.GroupNamed("group_name", "play")
	invalid("group_name", "2 groups")(t, err)
	_, err = n.GroupNamed("group_name", "nothing")
	invalid("group_name", "no group")(t, err)
}

func TestGroupsNestSoDeep(t *testing.T) {
	n := newNode(t)
	var parent *string
	for i := range core.MaxGroupDepth {
		_, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: fmt.Sprint(i), ParentName: parent}, nil)
		require.NoError(t, err)
		parent = ptr(fmt.Sprint(i))
	}
	_, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: "deeper", ParentName: parent}, nil)
	invalid("parent_group_name", "16 deep")(t, err)
	all := paths(n)
	require.Equal(t, "0 / 1 / 2 / 3 / 4 / 5 / 6 / 7 / 8 / 9 / 10 / 11 / 12 / 13 / 14 / 15", all[len(all)-1])
}

// TestSameKeySameGroup also starts from a snapshot, which keeps no answers.
func TestSameKeySameGroup(t *testing.T) {
	log, snaps := memlog.New(), memlog.NewSnapshots()
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	key := &core.Key{Agent: alice.ID, Value: "k", BodyHash: "h"}
	_, err = n.CreateGroup(t.Context(), core.CreateGroup{Name: "outer"}, nil)
	require.NoError(t, err)
	cmd := core.CreateGroup{Name: "inner", Description: "d", ParentName: ptr("outer")}
	made, err := n.CreateGroup(t.Context(), cmd, key)
	require.NoError(t, err)
	require.NoError(t, n.Close(t.Context()))

	n = openNode(t, log, core.Options{Snapshots: snaps})
	again, err := n.CreateGroup(t.Context(), cmd, key)
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.Len(t, n.Groups(), 2)
	for _, other := range []core.CreateGroup{
		{Name: "other", Description: "d", ParentName: ptr("outer")},
		{Name: "inner", Description: "e", ParentName: ptr("outer")},
		{Name: "inner", Description: "d", Color: "c", ParentName: ptr("outer")},
		{Name: "inner", Description: "d", ParentName: ptr("inner")},
		{Name: "inner", Description: "d"},
	} {
		_, err = n.CreateGroup(t.Context(), other, key)
		require.ErrorIs(t, err, core.ErrKeyReused)
	}
	inRoom := &core.Key{Agent: alice.ID, Value: "used in a room", BodyHash: "h"}
	_, err = n.CreateDocument(t.Context(), room, core.CreateDocument{Agent: alice.ID, Name: "x"}, inRoom)
	require.NoError(t, err)
	_, err = n.CreateGroup(t.Context(), core.CreateGroup{Name: "x"}, inRoom)
	require.ErrorIs(t, err, core.ErrKeyReused)
}
