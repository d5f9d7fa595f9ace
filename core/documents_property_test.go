package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// shelf is what a room with documents, its groups and references must be, kept in the plainest way.
type shelf struct {
	n      *core.Node
	log    core.Log
	agents []core.Agent
	room   string

	docs     []shelfDocument
	gone     []string
	groups   []shelfGroup
	refs     []core.Reference
	attached []string
}

type shelfDocument struct{ id, agent, name, description, instructions, content string }

type shelfGroup struct{ id, name, path string }

// TestLibraryFollowsItsModel gives random commands about documents, groups and references and compares what the node
// accepts and shows with a plain model; in the end also what folding the log anew gives, and another node.
func TestLibraryFollowsItsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		s := &shelf{log: memlog.New()}
		var err error
		s.n, err = core.Open(ctx, s.log, core.Options{})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, s.n.Close(ctx)) }()
		s.setup(rt)
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			s.step(rt)
		}
		s.check(rt, s.n)
		other, err := core.Open(ctx, s.log, core.Options{NodeID: "other"})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, other.Close(ctx)) }()
		s.check(rt, other)
		s.checkLog(rt)
	})
}

// setup makes two members, the second of another owner, and one that is no member and has no owner.
func (s *shelf) setup(rt *rapid.T) {
	ctx := context.Background()
	for i, owner := range []string{"org", "other", ""} {
		name := fmt.Sprint("a", i)
		r, err := s.n.Register(ctx, core.Registration{Agent: core.Agent{Name: name, Handle: name, Owner: owner}})
		require.NoError(rt, err)
		s.agents = append(s.agents, r.Agent)
	}
	made, _, err := s.n.CreateRoom(ctx, core.CreateRoom{
		Facts:   core.RoomFacts{Name: "ops", Owner: "org", WriteVisibility: "private"},
		Members: []core.NewMember{member(s.agents[0]), member(s.agents[1])},
	}, nil)
	require.NoError(rt, err)
	s.room = made.Room
}

func (s *shelf) step(rt *rapid.T) {
	steps := map[string]func(*rapid.T){
		"create": s.create, "change": s.change, "delete": s.remove, "load": s.load, "group": s.group,
		"reference": s.reference, "attach": s.attach, "post": s.post,
	}
	names := []string{"create", "create", "change", "change", "delete", "load", "group", "reference", "attach", "post"}
	steps[rapid.SampledFrom(names).Draw(rt, "step")](rt)
}

func (s *shelf) agent(rt *rapid.T) core.Agent { return rapid.SampledFrom(s.agents).Draw(rt, "agent") }

func (s *shelf) isMember(a core.Agent) bool { return a.ID != s.agents[2].ID }

func drawName(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"", " ", "a", "b", "c", "A", "ä"}).Draw(rt, "name")
}

func (s *shelf) taken(name, but string) bool {
	return slices.ContainsFunc(s.docs, func(d shelfDocument) bool { return d.name == name && d.id != but })
}

// drawDocument picks one that there is, was, or never was.
func (s *shelf) drawDocument(rt *rapid.T) string {
	ids := append([]string{"doc_none"}, s.gone...)
	for _, d := range s.docs {
		ids = append(ids, d.id, d.id)
	}
	return rapid.SampledFrom(ids).Draw(rt, "document")
}

func (s *shelf) find(id string) int {
	return slices.IndexFunc(s.docs, func(d shelfDocument) bool { return d.id == id })
}

func (s *shelf) create(rt *rapid.T) {
	by, name, content := s.agent(rt), drawName(rt), rapid.String().Draw(rt, "content")
	id, err := s.n.CreateDocument(context.Background(), s.room, core.CreateDocument{
		Agent: by.ID, Name: name, Content: content,
	}, nil)
	switch {
	case !s.isMember(by):
		require.ErrorIs(rt, err, core.ErrNotMember)
	case name == "" || name == " " || s.taken(name, ""):
		requireInvalid(rt, err, "name")
	default:
		require.NoError(rt, err)
		s.docs = append(s.docs, shelfDocument{id: id, agent: by.ID, name: name, content: content})
	}
}

func (s *shelf) change(rt *rapid.T) {
	by, cmd := s.agent(rt), core.ChangeDocument{Document: s.drawDocument(rt)}
	cmd.Agent = by.ID
	field := func(label string) *string {
		if rapid.Bool().Draw(rt, "leave "+label) {
			return nil
		}
		return ptr(rapid.StringN(0, 5, -1).Draw(rt, label))
	}
	cmd.Description, cmd.Instructions, cmd.Content = field("description"), field("instructions"), field("content")
	if rapid.Bool().Draw(rt, "rename") {
		cmd.Name = ptr(drawName(rt))
	}
	err := s.n.ChangeDocument(context.Background(), s.room, cmd, nil)
	if i := s.find(cmd.Document); s.refuses(rt, by, i, err) {
		return
	} else if cmd.Name != nil && (*cmd.Name == "" || *cmd.Name == " " || s.taken(*cmd.Name, cmd.Document)) {
		requireInvalid(rt, err, "name")
	} else {
		require.NoError(rt, err)
		d := &s.docs[i]
		for to, from := range map[*string]*string{
			&d.name: cmd.Name, &d.description: cmd.Description, &d.instructions: cmd.Instructions, &d.content: cmd.Content,
		} {
			if from != nil {
				*to = *from
			}
		}
	}
}

// refuses tells whether an agent may not change the document with a number, and asserts that it was told so.
func (s *shelf) refuses(rt *rapid.T, by core.Agent, i int, err error) bool {
	switch {
	case !s.isMember(by):
		require.ErrorIs(rt, err, core.ErrNotMember)
	case i < 0:
		requireInvalid(rt, err, "document_id")
	case s.docs[i].agent != by.ID:
		require.ErrorIs(rt, err, core.ErrNotAllowed)
	default:
		return false
	}
	return true
}

func (s *shelf) remove(rt *rapid.T) {
	by, id := s.agent(rt), s.drawDocument(rt)
	err := s.n.DeleteDocument(context.Background(), s.room, core.DeleteDocument{Agent: by.ID, Document: id}, nil)
	if i := s.find(id); !s.refuses(rt, by, i, err) {
		require.NoError(rt, err)
		s.docs = slices.Delete(s.docs, i, i+1)
		s.gone = append(s.gone, id)
	}
}

func (s *shelf) load(rt *rapid.T) {
	by := s.agent(rt)
	ids := make([]string, rapid.IntRange(0, 4).Draw(rt, "count"))
	for i := range ids {
		ids[i] = s.drawDocument(rt)
	}
	docs, err := s.n.LoadDocuments(context.Background(), by.ID, s.room, ids)
	switch {
	case !s.isMember(by):
		require.ErrorIs(rt, err, core.ErrNotMember)
	case slices.ContainsFunc(ids, func(id string) bool { return s.find(id) < 0 }):
		requireInvalid(rt, err, "ids")
	default:
		require.NoError(rt, err)
		require.Len(rt, docs, len(ids))
		for i, id := range ids {
			require.Equal(rt, s.docs[s.find(id)].content, docs[i].Content)
		}
	}
}

func (s *shelf) group(rt *rapid.T) {
	cmd := core.CreateGroup{Name: drawName(rt)}
	var parents []shelfGroup
	if rapid.Bool().Draw(rt, "nest") {
		cmd.ParentName = ptr(drawName(rt))
		for _, g := range s.groups {
			if g.name == *cmd.ParentName {
				parents = append(parents, g)
			}
		}
	}
	made, err := s.n.CreateGroup(context.Background(), cmd, nil)
	switch {
	case cmd.Name == "" || cmd.Name == " ":
		requireInvalid(rt, err, "name")
	case cmd.ParentName != nil && len(parents) != 1:
		requireInvalid(rt, err, "parent_group_name")
	default:
		require.NoError(rt, err)
		path := cmd.Name
		if cmd.ParentName != nil {
			path = parents[0].path + " / " + path
		}
		s.groups = append(s.groups, shelfGroup{id: made.ID, name: cmd.Name, path: path})
	}
}

func (s *shelf) reference(rt *rapid.T) {
	by := s.agent(rt)
	kind := rapid.SampledFrom(append(core.ReferenceTypes(), "unknown")).Draw(rt, "type")
	read := rapid.SampledFrom([]string{"public", "private"}).Draw(rt, "read")
	ref, err := s.n.CreateReference(context.Background(), core.CreateReference{Agent: by.ID, Reference: core.Reference{
		Type: kind, Name: "r", ReadVisibility: read, Value: json.RawMessage(`{"urls":["u"]}`),
	}}, nil)
	switch {
	case by.Owner == "":
		requireInvalid(rt, err, "agent")
	case kind == "unknown":
		requireInvalid(rt, err, "type")
	default:
		require.NoError(rt, err)
		require.Equal(rt, by.Owner, ref.Owner)
		s.refs = append(s.refs, ref)
	}
}

func (s *shelf) attach(rt *rapid.T) {
	by := s.agent(rt)
	ref := rapid.SampledFrom(append([]core.Reference{{ID: "ref_none"}}, s.refs...)).Draw(rt, "reference")
	before := s.n.Applied()
	err := s.n.AttachReference(context.Background(), s.room, core.AttachReference{Actor: by.ID, Reference: ref.ID}, nil)
	switch {
	case by.Owner == "":
		requireInvalid(rt, err, "agent")
	case ref.ID == "ref_none":
		requireInvalid(rt, err, "reference_id")
	case by.Owner != "org", ref.Owner != "org" && ref.ReadVisibility == "private":
		require.ErrorIs(rt, err, core.ErrNotAllowed)
	case slices.Contains(s.attached, ref.ID):
		require.NoError(rt, err)
		require.Equal(rt, before, s.n.Applied())
	default:
		require.NoError(rt, err)
		s.attached = append(s.attached, ref.ID)
	}
}

func (s *shelf) post(rt *rapid.T) {
	for range rapid.SampledFrom([]int{1, 60, 130}).Draw(rt, "messages") {
		_, _, err := s.n.PostMessage(context.Background(), s.room, core.PostMessage{Sender: s.agents[0].ID, Text: "m"}, nil)
		require.NoError(rt, err)
	}
}

func requireInvalid(rt *rapid.T, err error, field string) {
	var got *core.InvalidError
	require.True(rt, errors.As(err, &got), "%v", err)
	require.Equal(rt, field, got.Field)
}

// check compares what a node shows with the model.
func (s *shelf) check(rt *rapid.T, n *core.Node) {
	ctx := context.Background()
	var docs []core.Document
	var attached []string
	require.NoError(rt, n.ViewRoom(ctx, s.room, func(r *core.Room) { docs, attached = r.Documents, r.References }))
	require.Len(rt, docs, len(s.docs))
	ids := make([]string, len(docs))
	for i, d := range docs {
		want := s.docs[i]
		require.Equal(rt, want, shelfDocument{d.ID, d.Agent, d.Name, d.Description, d.Instructions, want.content})
		ids[i] = d.ID
	}
	loaded, err := n.LoadDocuments(ctx, s.agents[1].ID, s.room, ids)
	require.NoError(rt, err)
	for i, d := range loaded {
		require.Equal(rt, s.docs[i].content, d.Content)
	}
	require.Equal(rt, s.attached, attached)
	require.Len(rt, n.References(attached), len(attached))
	groups := n.Groups()
	require.Len(rt, groups, len(s.groups))
	for _, g := range s.groups {
		found, ok := n.Group(g.id)
		require.True(rt, ok)
		require.Equal(rt, g.path, found.Path)
	}
	require.True(rt, slices.IsSortedFunc(groups, func(a, b core.GroupPlace) int { return slices.Compare([]byte(a.Path), []byte(b.Path)) }))
}

// checkLog asserts that folding the room's log anew gives the state that was built live.
func (s *shelf) checkLog(rt *rapid.T) {
	ctx := context.Background()
	var live []byte
	require.NoError(rt, s.n.ViewRoom(ctx, s.room, func(r *core.Room) { live = mustJSON(rt, r) }))
	rebuilt := &core.Room{}
	for rec, err := range s.log.Read(ctx, core.RoomStream(s.room), 0) {
		require.NoError(rt, err)
		require.Equal(rt, rebuilt.Version+1, rec.Version)
		decodeAnew(rt, &rec)
		rebuilt.Apply(&rec)
	}
	require.Equal(rt, string(mustJSON(rt, rebuilt)), string(live))
}
