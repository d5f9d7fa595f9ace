package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	shapeReference = "id string, type string, name string, description string, instructions string, value object"
	shapeDocument  = "id string, name string, description string, instructions string, scope string, created_by_agent_id string?"
	shapeLink      = "target_room_id string, target_room_name string, target_room_description string, label string, access string"
)

// reference makes a reference and returns its id.
func (a *agent) reference(t *testing.T, more object) string {
	t.Helper()
	args := object{
		"type": "github", "name": unique("reference"), "description": "points", "instructions": "Look there.",
		"value": object{"urls": []string{"https://example.org/repo"}},
	}
	for k, v := range more {
		args[k] = v
	}
	return text(t, a.call(t, "create_reference", args), "id")
}

func TestReferences(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	t.Run("types", func(t *testing.T) {
		shows(t, "4.6-list_reference_types")
		types := list(t, a.call(t, "list_reference_types", nil))
		require.ElementsMatch(t, anys("google_drive", "confluence", "github", "jira"), column(t, types, "type"))
		for _, kind := range types {
			o := shape(t, kind, "type string, display_name string, instructions string, value_schema object")
			urls := at(t, o, "value_schema", "properties", "urls")
			require.Equal(t, "object", at(t, o, "value_schema", "type"))
			require.Equal(t, "array", at(t, urls, "type"))
			require.Equal(t, "string", at(t, urls, "items", "type"))
			require.Equal(t, 1.0, at(t, urls, "minItems"))
		}
	})
	t.Run("create", func(t *testing.T) {
		shows(t, "4.6-create_reference", "4.6-create_reference.400")
		base := func(more object) object {
			args := object{"type": "jira", "name": "tickets", "description": "d", "instructions": "i", "value": object{"urls": []string{"https://example.org"}}}
			for k, v := range more {
				args[k] = v
			}
			return args
		}
		o := shape(t, a.call(t, "create_reference", base(nil)), "id string, type string, name string, read_visibility string, write_visibility string")
		require.Equal(t, "jira", o["type"])
		require.Equal(t, "tickets", o["name"])
		require.Equal(t, "private", o["read_visibility"])
		require.Equal(t, "private", o["write_visibility"])
		o = a.call(t, "create_reference", base(object{"read_visibility": "public", "write_visibility": "public"})).(object)
		require.Equal(t, "public", o["write_visibility"])
		for _, bad := range []object{
			{"type": "svn"},
			{"value": object{}},
			{"value": object{"urls": []string{}}},
			{"value": object{"urls": "x"}},
			{"value": object{"urls": []any{5}}},
			{"read_visibility": "private", "write_visibility": "public"},
			{"read_visibility": "x"},
			{"write_visibility": ""},
		} {
			a.try(t, "create_reference", base(bad)).refused(400)
		}
	})
	t.Run("attach", func(t *testing.T) {
		shows(t, "4.6-attach_reference_to_room", "4.6-attach_reference_to_room.errors", "4.3-REFERENCE", "4.3-REFTYPES", "4.6-create_reference.dropped", "4.6-list_references")
		room := a.room(t, a, b)
		stream := a.within(t, room)
		ref := a.reference(t, object{"value": object{"urls": []string{"https://example.org/1"}, "secret": "x"}})
		require.Equal(t, object{"ok": true}, a.call(t, "attach_reference_to_room", object{"room_id": room, "reference_id": ref}))
		twice := a.try(t, "attach_reference_to_room", object{"room_id": room, "reference_id": ref})
		require.Contains(t, []int{200, 400}, twice.status)
		a.try(t, "attach_reference_to_room", object{"room_id": room, "reference_id": "none"}).refused(400)
		a.try(t, "attach_reference_to_room", object{"room_id": "none", "reference_id": ref}).refused(400)
		o := shape(t, stream.call(t, "list_references", nil), "reference_types object, references list, documents list, packages list, linked_rooms list")
		require.Len(t, o["references"], 1)
		r := shape(t, at(t, o, "references", 0), shapeReference)
		require.Equal(t, ref, r["id"])
		require.Equal(t, "Look there.", r["instructions"])
		require.Equal(t, object{"urls": anys("https://example.org/1")}, r["value"])
		require.Len(t, o["reference_types"], 1)
		kind := shape(t, at(t, o, "reference_types", "github"), "type string, display_name string, instructions string")
		require.Equal(t, "github", kind["type"])
		entered := b.open(t).call(t, "connect_to_room", object{"room_id": room})
		require.Equal(t, o["references"], at(t, entered, "references"))
		require.Equal(t, o["reference_types"], at(t, entered, "reference_types"))
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b, c := s.agents(t)
	room := a.room(t, a, b, c)
	mine, theirs := a.within(t, room), b.within(t, room)
	document := func(name, content string) object {
		return object{"name": name, "description": "d", "instructions": "i", "content": content}
	}
	write := func(t *testing.T, content string) string {
		t.Helper()
		return text(t, shape(t, mine.call(t, "create_room_document", document(unique("document"), content)), "document_id string"), "document_id")
	}
	load := func(t *testing.T, stream *stream, ids ...string) []any {
		t.Helper()
		return list(t, stream.call(t, "load_internal_documents", object{"ids": anys(ids...)}))
	}
	t.Run("create", func(t *testing.T) {
		shows(t, "4.6-create_room_document", "4.6-create_room_document.400", "4.3-DOCUMENT")
		name := unique("document")
		id := text(t, mine.call(t, "create_room_document", document(name, "words")), "document_id")
		o := shape(t, find(t, list(t, theirs.call(t, "list_references", nil), "documents"), "id", id), shapeDocument)
		require.Equal(t, object{
			"id": id, "name": name, "description": "d", "instructions": "i", "scope": "room", "created_by_agent_id": a.id,
		}, o)
		require.Equal(t, o, find(t, list(t, c.open(t).call(t, "connect_to_room", object{"room_id": room}), "documents"), "id", id))
		mine.try(t, "create_room_document", document(name, "again")).refused(400)
		mine.try(t, "create_room_document", document("", "x")).refused(400)
		mine.try(t, "create_room_document", document("  ", "x")).refused(400)
		elsewhere := a.within(t, a.room(t, a))
		elsewhere.call(t, "create_room_document", document(name, "the name is free in another room"))
	})
	t.Run("cap", func(t *testing.T) {
		shows(t, "0.1-document-cap", "0.1-document-timeout", "4.6-update_room_document.errors")
		began := time.Now()
		id := write(t, strings.Repeat("é", 1<<19))
		require.Less(t, time.Since(began), 30*time.Second)
		mine.try(t, "create_room_document", document(unique("document"), strings.Repeat("é", 1<<19)+"x")).refused(400)
		mine.try(t, "update_room_document", object{"document_id": id, "content": strings.Repeat("x", 1<<20+1)}).refused(400)
		require.Len(t, text(t, load(t, mine, id), 0, "content"), 1<<20)
	})
	t.Run("load", func(t *testing.T) {
		shows(t, "4.6-load_internal_documents", "4.6-load_internal_documents.400")
		one, two := write(t, "one"), write(t, "two")
		docs := load(t, theirs, two, one)
		require.Equal(t, anys("two", "one"), column(t, docs, "content"))
		require.Equal(t, anys(two, one), column(t, docs, "id"))
		shape(t, docs[0], "id string, name string, description string, content string")
		require.Equal(t, []any{}, load(t, theirs))
		theirs.try(t, "load_internal_documents", object{"ids": []string{one, "none"}}).refused(400)
		elsewhere := a.within(t, a.room(t, a))
		elsewhere.try(t, "load_internal_documents", object{"ids": []string{one}}).refused(400)
	})
	t.Run("update", func(t *testing.T) {
		shows(t, "4.6-update_room_document", "4.6-update_room_document.errors", "D8")
		id, other := write(t, "old"), write(t, "other")
		taken := text(t, load(t, mine, other), 0, "name")
		require.Equal(t, object{"document_id": id, "status": "ok"}, mine.call(t, "update_room_document", object{"document_id": id, "content": "new"}))
		o := load(t, theirs, id)[0].(object)
		require.Equal(t, "new", o["content"])
		require.Equal(t, "d", o["description"])
		name := unique("renamed")
		mine.call(t, "update_room_document", object{"document_id": id, "name": name, "description": "e", "instructions": "j", "content": nil})
		o = load(t, theirs, id)[0].(object)
		require.Equal(t, object{"id": id, "name": name, "description": "e", "content": "new"}, o)
		mine.call(t, "update_room_document", object{"document_id": id, "name": name})
		theirs.try(t, "update_room_document", object{"document_id": id, "content": "x"}).refused(403)
		mine.try(t, "update_room_document", object{"document_id": "none", "content": "x"}).refused(400)
		mine.try(t, "update_room_document", object{"document_id": id, "name": " "}).refused(400)
		mine.try(t, "update_room_document", object{"document_id": id, "name": taken}).refused(400)
	})
	t.Run("delete", func(t *testing.T) {
		shows(t, "4.6-delete_room_document", "4.6-delete_room_document.errors", "D8")
		id := write(t, "x")
		theirs.try(t, "delete_room_document", object{"document_id": id}).refused(403)
		require.Equal(t, object{"document_id": id, "status": "ok"}, mine.call(t, "delete_room_document", object{"document_id": id}))
		mine.try(t, "delete_room_document", object{"document_id": id}).refused(400)
		mine.try(t, "load_internal_documents", object{"ids": []string{id}}).refused(400)
		mine.try(t, "update_room_document", object{"document_id": id, "content": "x"}).refused(400)
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a, b := s.agent(t), s.agent(t)
	source, mine, theirs, archived := a.room(t, a, b), a.room(t, a), b.room(t, b), a.room(t, a)
	stream := a.within(t, source)
	link := func(source, target, label string) object {
		return object{"source_room_id": source, "target_room_id": target, "label": label}
	}
	t.Run("link", func(t *testing.T) {
		shows(t, "4.8-link_rooms", "4.8-link_rooms.target", "4.8-list_linked_rooms", "4.3-LINK", "4.3-LINK-note", "4.6-list_references")
		o := shape(t, a.call(t, "link_rooms", link(source, theirs, "their place")), "target_room_id string, target_room_name string, target_room_description string, label string")
		require.Equal(t, theirs, o["target_room_id"])
		require.Equal(t, "their place", o["label"])
		a.call(t, "link_rooms", link(source, mine, "annex"))
		links := list(t, stream.call(t, "list_linked_rooms", nil))
		require.Equal(t, anys(theirs, mine), column(t, links, "target_room_id"))
		first := shape(t, links[0], shapeLink+", access_note string")
		require.Equal(t, "not_member", first["access"])
		second := shape(t, links[1], shapeLink)
		require.Equal(t, "member", second["access"])
		require.Equal(t, []any{}, b.within(t, theirs).call(t, "list_linked_rooms", nil), "one way")
		for _, l := range list(t, stream.call(t, "list_references", nil), "linked_rooms") {
			require.NotContains(t, l, "access")
			require.NotEmpty(t, text(t, l, "target_room_id"))
		}
	})
	t.Run("errors", func(t *testing.T) {
		shows(t, "4.8-link_rooms.errors")
		a.try(t, "link_rooms", link(source, source, "x")).refused(400)
		a.try(t, "link_rooms", link(source, archived, "  ")).refused(400)
		a.try(t, "link_rooms", link(source, mine, "again")).refused(400)
		a.try(t, "link_rooms", link("none", mine, "x")).refused(400)
		a.try(t, "link_rooms", link(source, "none", "x")).refused(400)
	})
	t.Run("archived", func(t *testing.T) {
		shows(t, "4.3-LINK-archived")
		a.call(t, "link_rooms", link(source, archived, "old"))
		a.call(t, "archive_room", object{"room_id": archived})
		require.NotContains(t, column(t, list(t, stream.call(t, "list_linked_rooms", nil)), "target_room_id"), archived)
		require.NotContains(t, column(t, list(t, stream.call(t, "connect_to_room", object{"room_id": source}), "linked_rooms"), "target_room_id"), archived)
	})
	t.Run("unlink", func(t *testing.T) {
		shows(t, "4.8-unlink_rooms", "4.8-unlink_rooms.errors")
		require.Equal(t, object{"ok": true}, a.call(t, "unlink_rooms", object{"source_room_id": source, "target_room_id": mine}))
		require.NotContains(t, column(t, list(t, stream.call(t, "list_linked_rooms", nil)), "target_room_id"), mine)
		a.try(t, "unlink_rooms", object{"source_room_id": source, "target_room_id": mine}).refused(400)
		a.try(t, "unlink_rooms", object{"source_room_id": "none", "target_room_id": mine}).refused(400)
	})
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	const shapeGroup = "id string, name string, description string?, color string?, parent_group_id string?, room_count int, path string, member_rooms list, child_groups list"
	parent, child := unique("parent"), unique("child")
	t.Run("create", func(t *testing.T) {
		shows(t, "4.8-create_room_group", "4.8-create_room_group.parent", "4.3-GROUP", "4.8-get_room_group_detail", "4.8-list_room_groups")
		top := shape(t, a.call(t, "create_room_group", object{"name": parent, "description": "d", "color": "#123456"}), shapeGroup)
		require.Equal(t, "d", top["description"])
		require.Equal(t, "#123456", top["color"])
		require.Equal(t, parent, top["path"])
		require.Nil(t, top["parent_group_id"])
		require.Equal(t, 0.0, top["room_count"])
		require.Equal(t, []any{}, top["member_rooms"])
		inner := shape(t, a.call(t, "create_room_group", object{"name": child, "parent_group_name": parent}), shapeGroup)
		require.Equal(t, parent+" / "+child, inner["path"])
		require.Equal(t, top["id"], inner["parent_group_id"])
		require.Nil(t, inner["description"])
		a.try(t, "create_room_group", object{"name": "x", "parent_group_name": unique("none")}).refused(400)

		name := unique("room")
		room := text(t, a.call(t, "create_room", object{"name": name, "description": "d", "agent_names": []string{a.name}, "group_name": child}), "id")
		detail := shape(t, a.call(t, "get_room_group_detail", object{"group_id": inner["id"]}), shapeGroup)
		require.Equal(t, 1.0, detail["room_count"])
		require.Equal(t, []any{object{"id": room, "name": name}}, detail["member_rooms"])
		detail = a.call(t, "get_room_group_detail", object{"group_id": top["id"]}).(object)
		require.Equal(t, []any{object{"id": inner["id"], "name": child}}, detail["child_groups"])
		o := a.call(t, "get_room_detail", object{"room_id": room}).(object)
		require.Equal(t, parent+" / "+child, o["group_path"])
		a.try(t, "get_room_group_detail", object{"group_id": "none"}).refused(400)

		groups := list(t, a.call(t, "list_room_groups", nil))
		g := shape(t, find(t, groups, "id", inner["id"]), "id string, name string, description string?, parent_group_id string?, room_count int, path string")
		require.Equal(t, 1.0, g["room_count"])
		paths := column(t, groups, "path")
		for i := 1; i < len(paths); i++ {
			require.LessOrEqual(t, paths[i-1], paths[i])
		}
		again := a.call(t, "create_room_group", object{"name": parent}).(object)
		require.NotEqual(t, top["id"], again["id"], "names are not unique")
		a.try(t, "create_room_group", object{"name": "x", "parent_group_name": parent}).refused(400)
	})
}
