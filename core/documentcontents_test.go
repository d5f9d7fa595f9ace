package core_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/core/sqlitelog"
)

// TestContentsAreReadFromAnywhereInALongRoom puts more events between documents than lie between two marks.
func TestContentsAreReadFromAnywhereInALongRoom(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	var ids, want []string
	for i := range 12 {
		for j := range i * 40 {
			post(t, n, room, alice, fmt.Sprintf("m%d", j))
		}
		ids = append(ids, write(t, n, room, alice, fmt.Sprintf("d%d", i), fmt.Sprintf("content %d", i)))
		want = append(want, fmt.Sprintf("content %d", i))
	}
	require.Equal(t, want, contents(t, n, room, alice, ids...))
	for i, id := range ids {
		require.Equal(t, []string{want[i], want[0], want[11], want[i]}, contents(t, n, room, alice, id, ids[0], ids[11], id))
	}
	docs, err := n.LoadDocuments(t.Context(), alice.ID, room, nil)
	require.NoError(t, err)
	require.Empty(t, docs)
}

func TestOneLoadIsBounded(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	var ids []string
	for i := range 4 {
		ids = append(ids, write(t, n, room, alice, fmt.Sprint(i), strings.Repeat("x", core.MaxDocumentBytes)))
	}
	small := write(t, n, room, alice, "small", "y")
	require.Len(t, contents(t, n, room, alice, ids...), 4, "four of the largest size")
	for _, many := range [][]string{append(ids[:4:4], small), {ids[0], ids[0], ids[0], ids[0], ids[0]}} {
		_, err := n.LoadDocuments(t.Context(), alice.ID, room, many)
		invalid("ids", "more than 4194304 bytes")(t, err)
	}
}

// library is what the tests of durability put into a log: a room with documents and references, filed in a group.
type library struct {
	alice, bob core.Agent
	room       string
	ids        []string
	contents   []string
}

func fillLibrary(t testing.TB, n *core.Node) library {
	t.Helper()
	l := library{alice: registerOwned(t, n, "alice", "org"), bob: registerOwned(t, n, "bob", "org")}
	outer, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: "outer", Color: "red"}, nil)
	require.NoError(t, err)
	inner, err := n.CreateGroup(t.Context(), core.CreateGroup{Name: "inner", ParentName: ptr("outer")}, nil)
	require.NoError(t, err)
	require.Equal(t, outer.ID, inner.Parent)
	repo := reference(t, n, l.alice, "repo", "private")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:      core.RoomFacts{Name: "ops", Creator: l.alice.ID, Owner: "org", Group: inner.ID},
		Members:    []core.NewMember{member(l.alice), member(l.bob)},
		References: []string{repo.ID},
	}, nil)
	require.NoError(t, err)
	l.room = made.Room
	ticket := reference(t, n, l.bob, "ticket", "public")
	require.NoError(t, n.AttachReference(t.Context(), l.room, core.AttachReference{Actor: l.bob.ID, Reference: ticket.ID}, nil))
	for i := range 5 {
		for range 70 {
			post(t, n, l.room, l.bob, "between")
		}
		content := fmt.Sprintf("content %d \u00e4\U0001f600\x00", i)
		l.ids = append(l.ids, write(t, n, l.room, l.alice, fmt.Sprint(i), content))
		l.contents = append(l.contents, content)
	}
	l.contents[1] = "changed"
	require.NoError(t, n.ChangeDocument(t.Context(), l.room, core.ChangeDocument{
		Agent: l.alice.ID, Document: l.ids[1], Content: ptr("changed"), Name: ptr("renamed"),
	}, nil))
	require.NoError(t, n.ChangeDocument(t.Context(), l.room, core.ChangeDocument{
		Agent: l.alice.ID, Document: l.ids[2], Description: ptr("described"),
	}, nil))
	require.NoError(t, n.DeleteDocument(t.Context(), l.room, core.DeleteDocument{Agent: l.alice.ID, Document: l.ids[3]}, nil))
	l.ids, l.contents = append(l.ids[:3:3], l.ids[4]), append(l.contents[:3:3], l.contents[4])
	return l
}

// look is all that a node shows of a library.
func (l library) look(t testing.TB, n *core.Node) map[string]any {
	t.Helper()
	var shown []string
	require.NoError(t, n.ViewRoom(t.Context(), l.room, func(r *core.Room) { shown = r.References }))
	sum, ok := n.Room(l.room)
	require.True(t, ok)
	return map[string]any{
		"documents": documentsOf(t, n, l.room), "contents": contents(t, n, l.room, l.bob, l.ids...),
		"references": n.References(shown), "groups": n.Groups(), "filed": sum.Group,
	}
}

func TestLibraryIsDurable(t *testing.T) {
	snaps := memlog.NewSnapshots()
	folder := t.TempDir()
	log, err := sqlitelog.Open(folder, sqlitelog.Options{})
	require.NoError(t, err)
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	l := fillLibrary(t, n)
	before := l.look(t, n)
	require.Equal(t, l.contents, before["contents"])
	require.Len(t, before["references"], 2)
	require.Equal(t, "outer / inner", before["groups"].([]core.GroupPlace)[1].Path)
	require.NoError(t, n.Close(t.Context()))
	require.NoError(t, log.Close())

	for name, opts := range map[string]core.Options{"from snapshots": {Snapshots: snaps}, "from the log": {}} {
		t.Run(name, func(t *testing.T) {
			log, err := sqlitelog.Open(folder, sqlitelog.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, log.Close()) })
			require.Equal(t, before, l.look(t, openNode(t, log, opts)))
		})
	}
}

func TestLibraryIsTheSameOnEveryNode(t *testing.T) {
	a, b := twoNodes(t)
	l := fillLibrary(t, a)
	settled(t, b, a.Applied())
	require.Equal(t, l.look(t, a), l.look(t, b))
	require.NoError(t, b.ChangeDocument(t.Context(), l.room, core.ChangeDocument{
		Agent: l.alice.ID, Document: l.ids[0], Content: ptr("from b"),
	}, nil))
	_, err := b.CreateGroup(t.Context(), core.CreateGroup{Name: "third", ParentName: ptr("inner")}, nil)
	require.NoError(t, err)
	settled(t, a, b.Applied())
	l.contents[0] = "from b"
	require.Equal(t, l.contents, contents(t, a, l.room, l.bob, l.ids...))
	require.Equal(t, l.look(t, b), l.look(t, a))
}

// TestErasedContentsAreGone erases what was said in a room, its documents included, and asserts that they are refused and
// not shown empty, by the node that knew them and by one that comes later, and that both go on.
func TestErasedContentsAreGone(t *testing.T) {
	now := newClock()
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "first", Now: now.Now})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	created, changed := write(t, n, room, alice, "created", "secret one"), write(t, n, room, alice, "changed", "secret two")
	require.NoError(t, n.ChangeDocument(t.Context(), room, core.ChangeDocument{
		Agent: alice.ID, Document: changed, Content: ptr("secret three"),
	}, nil))
	require.NoError(t, log.Erase(t.Context(), core.RoomStream(room), n.Applied()))
	kept := write(t, n, room, alice, "kept", "after the erase")
	now.Advance(time.Minute)

	for _, node := range []*core.Node{n, openNode(t, log, core.Options{NodeID: "later"})} {
		t.Run(node.ID(), func(t *testing.T) {
			settled(t, node, n.Applied())
			for _, id := range []string{created, changed} {
				_, err := node.LoadDocuments(t.Context(), alice.ID, room, []string{kept, id})
				invalid("ids", "was erased")(t, err)
			}
			require.Equal(t, []string{"after the erase"}, contents(t, node, room, alice, kept))
			docs := documentsOf(t, node, room)
			require.Len(t, docs, 3)
			require.Equal(t, []string{created, changed, kept}, []string{docs[0].ID, docs[1].ID, docs[2].ID})
			require.Equal(t, alice.ID, docs[0].Agent)
			if node != n {
				require.Equal(t, []string{"", ""}, []string{docs[0].Name, docs[1].Description})
			}
		})
	}
	later := openNode(t, log, core.Options{NodeID: "third"})
	require.NoError(t, later.ChangeDocument(t.Context(), room, core.ChangeDocument{
		Agent: alice.ID, Document: created, Name: ptr("created"), Content: ptr("written anew"),
	}, nil))
	require.Equal(t, []string{"written anew"}, contents(t, later, room, alice, created))
	require.NoError(t, later.DeleteDocument(t.Context(), room, core.DeleteDocument{Agent: alice.ID, Document: changed}, nil))
	require.Len(t, documentsOf(t, later, room), 2)
}

// countingLog counts what is read of rooms.
type countingLog struct {
	core.Log
	reads, records int
}

func (l *countingLog) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	l.reads++
	return func(yield func(core.Recorded, error) bool) {
		for rec, err := range l.Log.Read(ctx, s, after) {
			l.records++
			if !yield(rec, err) {
				return
			}
		}
	}
}

// TestContentsAreFoundWithoutReadingTheRoom asserts that what lies between distant documents is not read, and what lies
// between neighbours only once, whatever order they are asked for in.
func TestContentsAreFoundWithoutReadingTheRoom(t *testing.T) {
	log := &countingLog{Log: memlog.New()}
	n := openNode(t, log, core.Options{})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	ids := []string{write(t, n, room, alice, "a", "first"), write(t, n, room, alice, "b", "second")}
	for range 2_000 {
		post(t, n, room, alice, "between")
	}
	ids = append(ids, write(t, n, room, alice, "c", "third"), write(t, n, room, alice, "d", "fourth"))
	log.reads, log.records = 0, 0
	require.Equal(t, []string{"fourth", "second", "third", "first"}, contents(t, n, room, alice, ids[3], ids[1], ids[2], ids[0]))
	require.Equal(t, 2, log.reads)
	require.Less(t, log.records, 300)
}
