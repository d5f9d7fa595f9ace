package operations_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/operations"
)

func (w *world) owned(t *testing.T, handle, owner string) core.Agent {
	t.Helper()
	r, err := w.n.Register(t.Context(), core.Registration{
		Agent: core.Agent{Name: handle, Handle: handle, Model: core.ModelSession, Owner: owner},
	})
	require.NoError(t, err)
	return r.Agent
}

// made reads one field of an answer.
func made(t *testing.T, answer, field string) string {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer), &fields))
	return fields[field].(string)
}

func refused(t *testing.T, err error, field string) {
	t.Helper()
	var invalid *core.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, field, invalid.Field)
}

func TestRoomDocuments(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada","bob"]}`)
	a, b := w.connect(t, ada, room), w.connect(t, bob, room)

	answer := w.wire(t, a, "create_room_document", `{"name":"plan","description":"d","instructions":"i","content":"first \u00e4"}`)
	plan := made(t, answer, "document_id")
	require.Equal(t, `{"document_id":"`+plan+`"}`, answer)
	notes := made(t, w.wire(t, b, "create_room_document", `{"name":"notes","description":"","instructions":"","content":""}`), "document_id")

	require.Equal(t, `[{"id":"`+notes+`","name":"notes","description":"","content":""},`+
		`{"id":"`+plan+`","name":"plan","description":"d","content":"first ä"}]`,
		w.wire(t, b, "load_internal_documents", `{"ids":["`+notes+`","`+plan+`"]}`))
	require.Equal(t, `[]`, w.wire(t, b, "load_internal_documents", `{"ids":[]}`))
	require.Equal(t, `{"reference_types":{},"references":[],"documents":[`+
		`{"id":"`+plan+`","name":"plan","description":"d","instructions":"i","scope":"room","created_by_agent_id":"`+ada.ID+`"},`+
		`{"id":"`+notes+`","name":"notes","description":"","instructions":"","scope":"room","created_by_agent_id":"`+bob.ID+`"}],`+
		`"packages":[],"linked_rooms":[]}`, w.wire(t, b, "list_references", `{}`))

	require.Equal(t, `{"document_id":"`+plan+`","status":"ok"}`,
		w.must(t, a, "update_room_document", `{"document_id":"`+plan+`","name":"the plan","content":"second","description":null}`))
	require.Equal(t, `[{"id":"`+plan+`","name":"the plan","description":"d","content":"second"}]`,
		w.wire(t, a, "load_internal_documents", `{"ids":["`+plan+`"]}`))

	_, err := w.call(t, b, "update_room_document", `{"document_id":"`+plan+`","name":"mine"}`)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	_, err = w.call(t, b, "delete_room_document", `{"document_id":"`+plan+`"}`)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	_, err = w.call(t, b, "create_room_document", `{"name":"the plan","description":"","instructions":"","content":""}`)
	refused(t, err, "name")
	_, err = w.call(t, b, "load_internal_documents", `{"ids":["`+plan+`","doc_none"]}`)
	refused(t, err, "ids")

	require.Equal(t, `{"document_id":"`+plan+`","status":"ok"}`, w.must(t, a, "delete_room_document", `{"document_id":"`+plan+`"}`))
	_, err = w.call(t, a, "delete_room_document", `{"document_id":"`+plan+`"}`)
	refused(t, err, "document_id")
	_, err = w.call(t, a, "update_room_document", `{"document_id":"`+plan+`"}`)
	refused(t, err, "document_id")
}

func TestDocumentsNeedTheCurrentRoom(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	nowhere := operations.Caller{Agent: ada.ID}
	other := w.room(t, nowhere, `{"name":"other","description":"","agent_names":[]}`)
	for op, args := range map[string]string{
		"list_references":         `{}`,
		"load_internal_documents": `{"ids":[]}`,
		"create_room_document":    `{"name":"n","description":"","instructions":"","content":""}`,
		"update_room_document":    `{"document_id":"d"}`,
		"delete_room_document":    `{"document_id":"d"}`,
	} {
		_, err := w.call(t, nowhere, op, args)
		require.ErrorIs(t, err, operations.ErrNotConnected, op)
		_, err = w.call(t, operations.Caller{Agent: ada.ID, Room: other}, op, args)
		require.ErrorIs(t, err, core.ErrNotMember, op)
	}
}

// TestLargestDocument writes the largest content in the longest form that JSON has for it.
func TestLargestDocument(t *testing.T) {
	w := newWorld(t)
	ada := w.agent(t, "ada")
	room := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"ops","description":"","agent_names":["ada"]}`)
	c := operations.Caller{Agent: ada.ID, Room: room}
	create := func(content string) (string, error) {
		return w.call(t, c, "create_room_document", `{"name":"n","description":"","instructions":"","content":"`+content+`"}`)
	}
	_, err := create(strings.Repeat(`\u0001`, core.MaxDocumentBytes) + "x")
	var long *core.TooLongError
	require.ErrorAs(t, err, &long)
	require.Equal(t, core.MaxDocumentBytes+1, long.Got)
	_, err = create(strings.Repeat(`\u0001`, core.MaxDocumentBytes+1<<20))
	var bad *operations.ArgumentError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, `argument "content" is too long`, bad.Reason)
	answer, err := create(strings.Repeat(`\u0001`, core.MaxDocumentBytes))
	require.NoError(t, err)
	var rows []operations.DocumentContent
	loaded := w.wire(t, c, "load_internal_documents", `{"ids":["`+made(t, answer, "document_id")+`"]}`)
	require.NoError(t, json.Unmarshal([]byte(loaded), &rows))
	require.Equal(t, strings.Repeat("\x01", core.MaxDocumentBytes), rows[0].Content)

	_, err = w.call(t, c, "post_message", `{"body":"`+strings.Repeat("x", operations.DefaultArgumentBytes)+`"}`)
	require.ErrorAs(t, err, &bad)
	require.Equal(t, []string{"body"}, bad.Names)
}

func TestReferences(t *testing.T) {
	w := newWorld(t)
	ada, eve, lone := w.owned(t, "ada", "org"), w.owned(t, "eve", "other"), w.agent(t, "lone")
	a, e := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: eve.ID}
	target := w.room(t, a, `{"name":"target","description":"td","agent_names":[]}`)
	room := w.room(t, a, `{"name":"ops","description":"","agent_names":["ada","eve"],"linked_rooms":[{"target_room_id":"`+target+`","label":"see"}]}`)

	const repoArgs = `{"type":"github","name":"repo","description":"d","instructions":"i","value":{"urls":["https://example.org/a","b"],"branch":"x"}}`
	answer := w.wire(t, a, "create_reference", repoArgs)
	repo := made(t, answer, "id")
	require.Equal(t, `{"id":"`+repo+`","type":"github","name":"repo","read_visibility":"private","write_visibility":"private"}`, answer)
	answer = w.wire(t, a, "create_reference", `{"type":"jira","name":"board","description":"","instructions":"","value":{"urls":["c"]},
		"read_visibility":"public","write_visibility":"public"}`)
	board := made(t, answer, "id")
	require.Equal(t, `{"id":"`+board+`","type":"jira","name":"board","read_visibility":"public","write_visibility":"public"}`, answer)

	for _, ref := range []string{repo, board, repo} {
		require.Equal(t, `{"ok":true}`, w.must(t, a, "attach_reference_to_room", `{"room_id":"`+room+`","reference_id":"`+ref+`"}`))
	}
	var rows []operations.ReferenceTypeRow
	require.NoError(t, json.Unmarshal([]byte(w.must(t, a, "list_reference_types", `{}`)), &rows))
	resources := fmt.Sprintf(`"reference_types":{"github":{"type":"github","display_name":"GitHub","instructions":%q},`+
		`"jira":{"type":"jira","display_name":"Jira","instructions":%q}},`, rows[2].Instructions, rows[3].Instructions) +
		`"references":[{"id":"` + repo + `","type":"github","name":"repo","description":"d","instructions":"i","value":{"urls":["https://example.org/a","b"]}},` +
		`{"id":"` + board + `","type":"jira","name":"board","description":"","instructions":"","value":{"urls":["c"]}}],` +
		`"documents":[],"packages":[],"linked_rooms":[{"target_room_id":"` + target + `","target_room_name":"target","target_room_description":"td","label":"see"`
	require.Equal(t, "{"+resources+"}]}", w.wire(t, operations.Caller{Agent: eve.ID, Room: room}, "list_references", `{}`),
		"who is in the room sees private references of others")
	require.Contains(t, w.wire(t, w.connect(t, eve), "connect_to_room", `{"room_id":"`+room+`"}`), resources+`,"access":"not_member"`)

	create := func(args string) error {
		_, err := w.call(t, a, "create_reference", args)
		return err
	}
	refused(t, create(strings.Replace(repoArgs, "github", "gitlab", 1)), "type")
	refused(t, create(strings.Replace(repoArgs, `"urls"`, `"url"`, 1)), "value")
	refused(t, create(`{"type":"github","name":"n","description":"","instructions":"","value":{"urls":["u"]},"write_visibility":"public"}`), "write_visibility")
	var bad *operations.ArgumentError
	require.ErrorAs(t, create(`{"type":"github","name":"n","description":"","instructions":"","value":["u"]}`), &bad)
	_, err := w.call(t, operations.Caller{Agent: lone.ID}, "create_reference", repoArgs)
	refused(t, err, "agent")

	attach := func(c operations.Caller, room, ref string) error {
		_, err := w.call(t, c, "attach_reference_to_room", `{"room_id":"`+room+`","reference_id":"`+ref+`"}`)
		return err
	}
	require.ErrorIs(t, attach(a, "room_none", repo), core.ErrNoRoom)
	refused(t, attach(a, room, "ref_none"), "reference_id")
	require.ErrorIs(t, attach(e, room, repo), core.ErrNotAllowed)
	refused(t, attach(operations.Caller{Agent: lone.ID}, room, board), "agent")
}

func TestCreateRoomWithResources(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.owned(t, "ada", "org"), w.owned(t, "eve", "other")
	a, e := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: eve.ID}
	ref := made(t, w.wire(t, a, "create_reference",
		`{"type":"github","name":"repo","description":"","instructions":"","value":{"urls":["u"]}}`), "id")
	group := made(t, w.wire(t, a, "create_room_group", `{"name":"work"}`), "id")
	inner := made(t, w.wire(t, a, "create_room_group", `{"name":"web","parent_group_name":"work"}`), "id")
	w.wire(t, a, "create_room_group", `{"name":"twin"}`)
	w.wire(t, a, "create_room_group", `{"name":"twin"}`)

	answer := w.must(t, a, "create_room", `{"name":"ops","description":"","agent_names":["ada"],"reference_ids":["`+ref+`","`+ref+`"],
		"package_ids":[],"group_name":"web","user_names":[],"bridge_id":"edge","internal_only":true,"security_config":{"b":[1.50,null],"a":{}}}`)
	room := made(t, answer, "id")
	require.Equal(t, `{"id":"`+room+`","name":"ops","matrix_room_id":"`+room+`","failed_attachments":[]}`, answer)
	require.NoError(t, w.n.ViewRoom(t.Context(), room, func(r *core.Room) {
		require.Equal(t, []string{ref}, r.References)
		require.Equal(t, inner, r.Group)
		require.False(t, r.InternalOnly, "internal_only is ignored with bridge_id")
		require.JSONEq(t, `{"b":[1.50,null],"a":{}}`, string(r.SecurityConfig))
	}))
	require.Contains(t, w.must(t, a, "get_room_detail", `{"room_id":"`+room+`"}`),
		`"bridge_id":null,"bridge_display_name":null,"external_channel_id":null,"group_id":"`+inner+`","group_name":"web","group_path":"work / web",`)

	for _, tc := range []struct{ more, want string }{
		{`"reference_ids":["ref_none"]`, `there is no reference "ref_none"`},
		{`"package_ids":["pkg"]`, `there is no package "pkg"`},
		{`"group_name":"none"`, `there is no group "none"`},
		{`"group_name":"twin"`, `2 groups are called "twin"`},
		{`"group_name":""`, `there is no group ""`},
		{`"user_names":["u"]`, `users can be added to rooms on an external channel only`},
		{`"bridge_id":"slack"`, `there is no bridge "slack"`},
		{`"bridge_id":""`, `there is no bridge ""`},
		{`"security_config":{"a":"` + strings.Repeat("x", core.MaxSecurityConfigBytes) + `"}`, `security_config`},
	} {
		before := w.n.Applied()
		_, err := w.call(t, a, "create_room", `{"name":"x","description":"","agent_names":[],`+tc.more+`}`)
		require.ErrorContains(t, err, tc.want)
		require.Equal(t, before, w.n.Applied())
	}
	_, err := w.call(t, e, "create_room", `{"name":"x","description":"","agent_names":[],"reference_ids":["`+ref+`"]}`)
	require.ErrorIs(t, err, core.ErrNotAllowed)
	for _, door := range []string{"switch", "areyouai", "edge"} {
		w.room(t, e, `{"name":"x","description":"","agent_names":[],"bridge_id":"`+door+`"}`)
	}
	require.NoError(t, w.n.ViewRoom(t.Context(), w.room(t, e, `{"name":"x","description":"","agent_names":[],"internal_only":true}`),
		func(r *core.Room) { require.True(t, r.InternalOnly) }))
	require.Contains(t, w.wire(t, a, "get_room_group_detail", `{"group_id":"`+group+`"}`), `"room_count":0`)
}

func TestRoomGroups(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	a, b := operations.Caller{Agent: ada.ID}, operations.Caller{Agent: bob.ID}
	require.Equal(t, `[]`, w.wire(t, a, "list_room_groups", `{}`))
	answer := w.wire(t, a, "create_room_group", `{"name":"work","description":"d","color":"#f00"}`)
	work := made(t, answer, "id")
	require.Equal(t, `{"id":"`+work+`","name":"work","description":"d","color":"#f00","parent_group_id":null,"room_count":0,"path":"work","member_rooms":[],"child_groups":[]}`, answer)
	answer = w.wire(t, b, "create_room_group", `{"name":"web","parent_group_name":"work","color":null}`)
	web := made(t, answer, "id")
	require.Equal(t, `{"id":"`+web+`","name":"web","description":null,"color":null,"parent_group_id":"`+work+`","room_count":0,"path":"work / web","member_rooms":[],"child_groups":[]}`, answer)
	api := made(t, w.wire(t, b, "create_room_group", `{"name":"api","parent_group_name":"work"}`), "id")

	first := w.room(t, a, `{"name":"first","description":"","agent_names":["ada"],"group_name":"work"}`)
	w.ms.Add(1)
	secret := w.room(t, a, `{"name":"secret","description":"","agent_names":["ada"],"group_name":"work","read_visibility":"private","write_visibility":"private"}`)
	w.ms.Add(1)
	nested := w.room(t, a, `{"name":"nested","description":"","agent_names":["ada"],"group_name":"api"}`)
	w.must(t, a, "archive_room", `{"room_id":"`+nested+`"}`)

	list := func(count int) string {
		return fmt.Sprintf(`[{"id":"%s","name":"work","description":"d","parent_group_id":null,"room_count":%d,"path":"work"},`+
			`{"id":"%s","name":"api","description":null,"parent_group_id":"%s","room_count":1,"path":"work / api"},`+
			`{"id":"%s","name":"web","description":null,"parent_group_id":"%s","room_count":0,"path":"work / web"}]`, work, count, api, work, web, work)
	}
	require.Equal(t, list(2), w.wire(t, a, "list_room_groups", `{}`))
	require.Equal(t, list(1), w.wire(t, b, "list_room_groups", `{}`), "a private room is nobody else's business")
	const head = `","name":"work","description":"d","color":"#f00","parent_group_id":null,"room_count":`
	children := `],"child_groups":[{"id":"` + api + `","name":"api"},{"id":"` + web + `","name":"web"}]}`
	require.Equal(t, `{"id":"`+work+head+`2,"path":"work","member_rooms":[{"id":"`+first+`","name":"first"},{"id":"`+secret+`","name":"secret"}`+children,
		w.wire(t, a, "get_room_group_detail", `{"group_id":"`+work+`"}`))
	require.Equal(t, `{"id":"`+work+head+`1,"path":"work","member_rooms":[{"id":"`+first+`","name":"first"}`+children,
		w.wire(t, b, "get_room_group_detail", `{"group_id":"`+work+`"}`))

	_, err := w.call(t, a, "get_room_group_detail", `{"group_id":"grp_none"}`)
	var bad *operations.ArgumentError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, []string{"group_id"}, bad.Names)
	_, err = w.call(t, a, "create_room_group", `{"name":"x","parent_group_name":"none"}`)
	refused(t, err, "parent_group_name")
	_, err = w.call(t, a, "create_room_group", `{"name":" "}`)
	refused(t, err, "name")
}

func TestAddUsersToRoomIsRefused(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.agent(t, "ada"), w.agent(t, "bob")
	mine := w.room(t, operations.Caller{Agent: ada.ID}, `{"name":"mine","description":"","agent_names":["ada","bob"],"write_visibility":"private"}`)
	add := func(c core.Agent, args string) error {
		_, err := w.call(t, operations.Caller{Agent: c.ID}, "add_users_to_room", args)
		return err
	}
	var bad *operations.ArgumentError
	require.ErrorAs(t, add(ada, `{"room_id":"`+mine+`"}`), &bad)
	require.Equal(t, []string{"user_names"}, bad.Names)
	require.ErrorAs(t, add(ada, `{"room_id":"`+mine+`","user_names":"u"}`), &bad)
	require.Equal(t, []string{"user_names"}, bad.Names)
	require.ErrorIs(t, add(ada, `{"room_id":"room_none","user_names":["u"]}`), core.ErrNoRoom)
	require.ErrorIs(t, add(bob, `{"room_id":"`+mine+`","user_names":["u"]}`), core.ErrNotAllowed)
	require.ErrorAs(t, add(ada, `{"room_id":"`+mine+`","user_names":["u"]}`), &bad)
	require.Contains(t, bad.Reason, "not bridged")
}
