package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// write makes a document whose texts are told apart by its name.
func write(t testing.TB, n *core.Node, room string, by core.Agent, name, content string) string {
	t.Helper()
	id, err := n.CreateDocument(t.Context(), room, core.CreateDocument{
		Agent: by.ID, Name: name, Description: "about " + name, Instructions: "read " + name, Content: content,
	}, nil)
	require.NoError(t, err)
	return id
}

// contents loads documents and returns what they say.
func contents(t testing.TB, n *core.Node, room string, by core.Agent, ids ...string) []string {
	t.Helper()
	docs, err := n.LoadDocuments(t.Context(), by.ID, room, ids)
	require.NoError(t, err)
	require.Len(t, docs, len(ids))
	out := make([]string, len(docs))
	for i, d := range docs {
		require.Equal(t, ids[i], d.ID)
		out[i] = d.Content
	}
	return out
}

func documentsOf(t testing.TB, n *core.Node, room string) (out []core.Document) {
	t.Helper()
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { out = r.Documents }))
	return out
}

func ptr[T any](v T) *T { return &v }

func invalid(field, reason string) func(testing.TB, error) {
	return func(t testing.TB, err error) {
		t.Helper()
		var got *core.InvalidError
		require.ErrorAs(t, err, &got)
		require.Equal(t, field, got.Field)
		require.Contains(t, got.Reason, reason)
	}
}

func tooLong(field string, most int) func(testing.TB, error) {
	return func(t testing.TB, err error) {
		t.Helper()
		var got *core.TooLongError
		require.ErrorAs(t, err, &got)
		require.Equal(t, field, got.Field)
		require.Equal(t, most, got.Max)
	}
}

func is(target error) func(testing.TB, error) {
	return func(t testing.TB, err error) {
		t.Helper()
		require.ErrorIs(t, err, target)
	}
}

func TestDocumentRules(t *testing.T) {
	n := newNode(t)
	alice, bob, cid := register(t, n, "alice"), register(t, n, "bob"), register(t, n, "cid")
	room, ended := openRoom(t, n, alice, bob), openRoom(t, n, alice)
	plan := write(t, n, room, alice, "plan", "first")
	write(t, n, room, bob, "notes", "of bob")
	old := write(t, n, ended, alice, "old", "kept")
	_, _, err := n.CloseRoom(t.Context(), ended, core.CloseRoom{Actor: alice.ID}, nil)
	require.NoError(t, err)

	create := func(room string, by core.Agent, name string, more ...func(*core.CreateDocument)) func() error {
		cmd := core.CreateDocument{Agent: by.ID, Name: name}
		for _, m := range more {
			m(&cmd)
		}
		return func() error {
			_, err := n.CreateDocument(t.Context(), room, cmd, nil)
			return err
		}
	}
	change := func(room string, cmd core.ChangeDocument) func() error {
		return func() error { return n.ChangeDocument(t.Context(), room, cmd, nil) }
	}
	remove := func(room string, by core.Agent, id string) func() error {
		return func() error {
			return n.DeleteDocument(t.Context(), room, core.DeleteDocument{Agent: by.ID, Document: id}, nil)
		}
	}
	load := func(by core.Agent, room string, ids ...string) func() error {
		return func() error {
			_, err := n.LoadDocuments(t.Context(), by.ID, room, ids)
			return err
		}
	}
	var over *core.RoomNotActiveError
	isOver := func(t testing.TB, err error) { require.ErrorAs(t, err, &over) }

	for name, tc := range map[string]struct {
		do   func() error
		want func(testing.TB, error)
	}{
		"create in no room":     {create("room_none", alice, "x"), is(core.ErrNoRoom)},
		"create by a stranger":  {create(room, cid, "x"), is(core.ErrNotMember)},
		"create after the end":  {create(ended, alice, "x"), isOver},
		"create without a name": {create(room, alice, ""), invalid("name", "must not be blank")},
		"create of white space": {create(room, alice, " \t\n"), invalid("name", "must not be blank")},
		"create again":          {create(room, bob, "plan"), invalid("name", `a document "plan" already`)},
		"create with a name too long": {
			create(room, alice, strings.Repeat("ä", core.MaxNameCharacters+1)), tooLong("name", core.MaxNameCharacters),
		},
		"create with a description too long": {
			create(room, alice, "x", func(c *core.CreateDocument) { c.Description = strings.Repeat("d", core.MaxEntryDescriptionBytes+1) }),
			tooLong("description", core.MaxEntryDescriptionBytes),
		},
		"create with instructions too long": {
			create(room, alice, "x", func(c *core.CreateDocument) { c.Instructions = strings.Repeat("i", core.MaxEntryInstructionsBytes+1) }),
			tooLong("instructions", core.MaxEntryInstructionsBytes),
		},
		"create with content over the cap in bytes, not characters": {
			create(room, alice, "x", func(c *core.CreateDocument) { c.Content = strings.Repeat("ä", core.MaxDocumentBytes/2) + "x" }),
			tooLong("content", 1_048_576),
		},
		"change in no room":                           {change("room_none", core.ChangeDocument{Agent: alice.ID, Document: plan}), is(core.ErrNoRoom)},
		"change by a stranger":                        {change(room, core.ChangeDocument{Agent: cid.ID, Document: plan, Name: ptr("x")}), is(core.ErrNotMember)},
		"change by another member":                    {change(room, core.ChangeDocument{Agent: bob.ID, Document: plan, Name: ptr("x")}), is(core.ErrNotAllowed)},
		"change of nothing there":                     {change(room, core.ChangeDocument{Agent: alice.ID, Document: "doc_none"}), invalid("document_id", `"doc_none"`)},
		"change of another room's":                    {change(room, core.ChangeDocument{Agent: alice.ID, Document: old}), invalid("document_id", "in this room")},
		"change after the end":                        {change(ended, core.ChangeDocument{Agent: alice.ID, Document: old, Name: ptr("x")}), isOver},
		"change to a taken name":                      {change(room, core.ChangeDocument{Agent: alice.ID, Document: plan, Name: ptr("notes")}), invalid("name", `"notes"`)},
		"change to a blank name":                      {change(room, core.ChangeDocument{Agent: alice.ID, Document: plan, Name: ptr(" ")}), invalid("name", "blank")},
		"change to too much content":                  {change(room, core.ChangeDocument{Agent: alice.ID, Document: plan, Content: ptr(strings.Repeat("c", core.MaxDocumentBytes+1))}), tooLong("content", core.MaxDocumentBytes)},
		"delete by another member":                    {remove(room, bob, plan), is(core.ErrNotAllowed)},
		"delete by a stranger":                        {remove(room, cid, plan), is(core.ErrNotMember)},
		"delete of nothing there":                     {remove(room, alice, "doc_none"), invalid("document_id", `"doc_none"`)},
		"delete after the end":                        {remove(ended, alice, old), isOver},
		"load from no room":                           {load(alice, "room_none", plan), is(core.ErrNoRoom)},
		"load by a stranger":                          {load(cid, room, plan), is(core.ErrNotMember)},
		"load of one that is not there fails for all": {load(alice, room, plan, "doc_none"), invalid("ids", `"doc_none"`)},
		"load of another room's":                      {load(alice, room, old), invalid("ids", "in this room")},
		"load of more than a room can have": {
			load(alice, room, strings.Split(strings.Repeat(plan+" ", core.MaxRoomDocuments+1), " ")[:core.MaxRoomDocuments+1]...),
			invalid("ids", "at most 256"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			tc.want(t, tc.do())
			require.Equal(t, before, n.Applied(), "a refused command changes nothing")
		})
	}
	require.Equal(t, []string{"kept"}, contents(t, n, ended, alice, old), "reading goes on in a room that has ended")
}

func TestDocumentLivesInItsRoom(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room, other := openRoom(t, n, alice, bob), openRoom(t, n, alice)
	plan := write(t, n, room, alice, "plan", "first")
	write(t, n, other, alice, "plan", "a name is taken in one room only")
	made := core.Document{
		ID: plan, Agent: alice.ID, Name: "plan", Description: "about plan", Instructions: "read plan", CreatedAt: now.Now(),
		Version: documentsOf(t, n, room)[0].Version,
	}
	require.Equal(t, []core.Document{made}, documentsOf(t, n, room))

	now.Advance(time.Minute)
	before := n.Applied()
	require.NoError(t, n.ChangeDocument(t.Context(), room, core.ChangeDocument{Agent: alice.ID, Document: plan}, nil))
	require.Equal(t, before, n.Applied(), "a change of nothing is no event")

	require.NoError(t, n.ChangeDocument(t.Context(), room, core.ChangeDocument{
		Agent: alice.ID, Document: plan, Name: ptr("plan"), Description: ptr(""), Instructions: ptr("follow"),
	}, nil), "a document may keep its own name")
	made.Description, made.Instructions = "", "follow"
	require.Equal(t, []core.Document{made}, documentsOf(t, n, room))
	require.Equal(t, []string{"first"}, contents(t, n, room, bob, plan), "every member reads")

	require.NoError(t, n.ChangeDocument(t.Context(), room, core.ChangeDocument{
		Agent: alice.ID, Document: plan, Content: ptr(""),
	}, nil))
	require.Equal(t, []string{""}, contents(t, n, room, bob, plan))
	require.NoError(t, n.ChangeDocument(t.Context(), room, core.ChangeDocument{
		Agent: alice.ID, Document: plan, Name: ptr("the plan"), Content: ptr("second"),
	}, nil))
	require.Equal(t, []string{"second", "second"}, contents(t, n, room, alice, plan, plan))
	notes := write(t, n, room, bob, "plan", "the name is free")
	require.Equal(t, []string{"the name is free", "second"}, contents(t, n, room, alice, notes, plan))

	require.NoError(t, n.DeleteDocument(t.Context(), room, core.DeleteDocument{Agent: alice.ID, Document: plan}, nil))
	require.Len(t, documentsOf(t, n, room), 1)
	_, err := n.LoadDocuments(t.Context(), alice.ID, room, []string{plan})
	invalid("ids", plan)(t, err)
	write(t, n, room, alice, "the plan", "anew")
}

func TestARoomHasSoManyDocuments(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	var first string
	for i := range core.MaxRoomDocuments {
		if id := write(t, n, room, alice, fmt.Sprint(i), ""); i == 0 {
			first = id
		}
	}
	_, err := n.CreateDocument(t.Context(), room, core.CreateDocument{Agent: alice.ID, Name: "one more"}, nil)
	invalid("document", "256 documents in this room already")(t, err)
	require.NoError(t, n.DeleteDocument(t.Context(), room, core.DeleteDocument{Agent: alice.ID, Document: first}, nil))
	write(t, n, room, alice, "one more", "")
}

func TestSameKeySameDocument(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{NodeID: "first"})
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	key := &core.Key{Agent: alice.ID, Value: "k", BodyHash: "h"}
	cmd := core.CreateDocument{Agent: alice.ID, Name: "plan", Content: "c"}
	id, err := n.CreateDocument(t.Context(), room, cmd, key)
	require.NoError(t, err)
	for _, node := range []*core.Node{n, openNode(t, log, core.Options{NodeID: "second"})} {
		again, err := node.CreateDocument(t.Context(), room, cmd, key)
		require.NoError(t, err)
		require.Equal(t, id, again)
		_, err = node.CreateDocument(t.Context(), room, cmd, &core.Key{Agent: alice.ID, Value: "k", BodyHash: "other"})
		require.ErrorIs(t, err, core.ErrKeyReused)
	}
	require.Len(t, documentsOf(t, n, room), 1)
}

// slowLog does not finish its appends to rooms while it is told so.
type slowLog struct {
	core.Log
	hold chan struct{}
}

func (l *slowLog) Append(ctx context.Context, s core.Stream, last core.Position, e []core.Event) ([]core.Position, error) {
	if _, room := s.RoomID(); room && e[0].Kind == core.DocumentCreated {
		<-l.hold
	}
	return l.Log.Append(ctx, s, last, e)
}

func TestDocumentOperationEndsAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slowLog{Log: memlog.New(), hold: make(chan struct{})}
		n, err := core.Open(t.Context(), log, core.Options{})
		require.NoError(t, err)
		alice := register(t, n, "alice")
		room := openRoom(t, n, alice)
		cmd := core.CreateDocument{Agent: alice.ID, Name: "plan", Content: "late"}

		start := time.Now()
		_, err = n.CreateDocument(t.Context(), room, cmd, nil)
		require.ErrorIs(t, err, core.ErrDocumentTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, core.DocumentTimeout, time.Since(start))

		shorter, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = n.CreateDocument(shorter, room, cmd, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, core.ErrDocumentTimeout, "the caller's own deadline is the caller's")

		close(log.hold)
		synctest.Wait()
		require.Equal(t, []string{"late"}, contents(t, n, room, alice, documentsOf(t, n, room)[0].ID), "it took effect after all")
		require.NoError(t, n.Close(context.Background()))
		require.NoError(t, log.Close())
	})
}
