package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

func TestLinks(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room, one, two := openRoom(t, n, alice), openRoom(t, n), openRoom(t, n)
	add := func(target, label string) error {
		return n.AddLink(t.Context(), room, core.AddLink{Actor: alice.ID, Target: target, Label: label}, nil)
	}
	links := func() (out []core.Link) {
		require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { out = r.Links }))
		return out
	}
	require.NoError(t, add(one, "first"))
	require.NoError(t, add(two, strings.Repeat("é", core.MaxLabelCharacters)))
	before := n.Applied()
	require.ErrorIs(t, add("room_none", "l"), core.ErrNoRoom)
	refused(t, add(room, "l"), "target_room_id", "itself")
	refused(t, add(one, "again"), "target_room_id", "already")
	third := openRoom(t, n)
	refused(t, add(third, " \n"), "label", "blank")
	refused(t, add(third, strings.Repeat("é", core.MaxLabelCharacters+1)), "label", "1000")
	refused(t, n.RemoveLink(t.Context(), room, core.RemoveLink{Actor: alice.ID, Target: third}, nil), "target_room_id", "not linked")
	refused(t, n.RemoveLink(t.Context(), one, core.RemoveLink{Actor: alice.ID, Target: room}, nil), "target_room_id", "not linked")
	require.Equal(t, before+1, n.Applied(), "only the third room came to be")

	require.NoError(t, n.RemoveLink(t.Context(), room, core.RemoveLink{Actor: alice.ID, Target: one}, nil))
	require.Len(t, links(), 1)
	require.NoError(t, add(one, "anew"))
	require.Equal(t, core.Link{Target: one, Label: "anew"}, links()[1], "by creation")
}

func TestARoomHasSoManyLinks(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	texts := core.RoomTexts{}
	for i := range core.MaxLinks {
		texts.Links = append(texts.Links, core.Link{Target: fmt.Sprint("room_", i), Label: "l"})
	}
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "hub"}, Texts: texts, Members: []core.NewMember{member(alice)},
	}, nil)
	require.NoError(t, err)
	err = n.AddLink(t.Context(), made.Room, core.AddLink{Actor: alice.ID, Target: openRoom(t, n), Label: "l"}, nil)
	refused(t, err, "target_room_id", "1000 links")
}
