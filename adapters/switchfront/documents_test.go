package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core"
	agentswitch "stele/switch"
)

// TestDocumentsOverTheWire walks through documents, references and groups as a client does, with the status of each
// refusal.
func TestDocumentsOverTheWire(t *testing.T) {
	g := newGateway(t, setup{})
	a, b, stranger := g.register("alice"), g.register("bob"), g.register("stranger")
	room := a.room("", a, b)
	a.open("c-a", "&rooms="+room).hello()
	b.open("c-b", "&rooms="+room).hello()
	plan := a.must("c-a", "create_room_document", `{"name":"plan","description":"d","instructions":"i","content":"first"}`)["document_id"].(string)
	ref := a.must("", "create_reference", `{"type":"github","name":"repo","description":"","instructions":"","value":{"urls":["u"]}}`)["id"].(string)
	require.Equal(t, map[string]any{"ok": true}, a.must("", "attach_reference_to_room", fmt.Sprintf(`{"room_id":%q,"reference_id":%q}`, room, ref)))
	a.must("", "create_room_group", `{"name":"work"}`)
	filed := a.room(`,"group_name":"work","write_visibility":"private","reference_ids":["`+ref+`"]`, a)

	var listed struct {
		Result agentswitch.ReferencesAnswer `json:"result"`
	}
	require.NoError(t, json.Unmarshal([]byte(b.op("c-b", "list_references", `{}`).body), &listed))
	require.Equal(t, plan, listed.Result.Documents[0].ID)
	require.Equal(t, a.id, *listed.Result.Documents[0].CreatedByAgentID)
	require.Equal(t, agentswitch.ReferenceValue{URLs: []string{"u"}}, listed.Result.References[0].Value)
	require.Len(t, listed.Result.ReferenceTypes, 1)

	for _, tc := range []struct {
		by                   *agent
		conn, op, args, want string
		status               int
	}{
		{a, "c-a", "create_room_document", `{"name":"plan","description":"","instructions":"","content":""}`, `already`, 400},
		{a, "", "create_room_document", `{"name":"x","description":"","instructions":"","content":""}`, `Not connected`, 400},
		{b, "c-b", "update_room_document", `{"document_id":"` + plan + `","content":"mine"}`, `by the agent that wrote it only`, 403},
		{b, "c-b", "delete_room_document", `{"document_id":"` + plan + `"}`, `by the agent that wrote it only`, 403},
		{b, "c-b", "delete_room_document", `{"document_id":"doc_none"}`, `no document`, 400},
		{b, "c-b", "load_internal_documents", `{"ids":["` + plan + `","doc_none"]}`, `no document`, 400},
		{b, "c-b", "load_internal_documents", `{"ids":"` + plan + `"}`, `must be a list`, 400},
		{stranger, "", "attach_reference_to_room", `{"room_id":"` + filed + `","reference_id":"ref_none"}`, `no reference`, 400},
		{stranger, "", "attach_reference_to_room", `{"room_id":"room_none","reference_id":"` + ref + `"}`, `no such room`, 400},
		{stranger, "", "create_room", `{"name":"x","description":"","agent_names":[],"group_name":"none"}`, `no group`, 400},
		{stranger, "", "add_users_to_room", `{"room_id":"` + room + `","user_names":["u"]}`, `not bridged`, 400},
		{stranger, "", "get_room_group_detail", `{"group_id":"none"}`, `no room group`, 400},
	} {
		r := tc.by.op(tc.conn, tc.op, tc.args)
		require.Equal(t, tc.status, r.status, "%s %s: %s", tc.op, tc.args, r.body)
		require.Contains(t, r.body, tc.want)
	}

	// Another owner's agent may neither write the private room nor read the private reference.
	require.NoError(t, g.node.AddRegistrationToken(t.Context(), "other", "token-of-other"))
	other := *g
	other.token = "token-of-other"
	eve := other.register("eve")
	r := eve.op("", "attach_reference_to_room", fmt.Sprintf(`{"room_id":%q,"reference_id":%q}`, room, ref))
	require.Equal(t, 403, r.status)
	require.Contains(t, r.body, "private to its owner")
	r = eve.op("", "create_room", `{"name":"x","description":"","agent_names":[],"reference_ids":["`+ref+`"]}`)
	require.Equal(t, 403, r.status)
	require.Equal(t, 403, eve.op("", "add_users_to_room", `{"room_id":"`+filed+`","user_names":["u"]}`).status)
}

// TestLargeDocumentsOverTheWire: a document of the largest size fits into a request, and nothing else that size does.
func TestLargeDocumentsOverTheWire(t *testing.T) {
	g := newGateway(t, setup{})
	a := g.register("alice")
	room := a.room("", a)
	a.open("c-a", "&rooms="+room).hello()
	create := func(name, content string) reply {
		return a.op("c-a", "create_room_document", `{"name":"`+name+`","description":"","instructions":"","content":"`+content+`"}`)
	}
	full := strings.Repeat("x", core.MaxDocumentBytes)
	require.Equal(t, 200, create("full", full).status)
	require.Equal(t, 200, create("escaped", strings.Repeat(`\n`, core.MaxDocumentBytes)).status)
	over := create("over", full+"x")
	require.Equal(t, 400, over.status)
	require.Contains(t, over.body, "content has 1048577 bytes, at most 1048576 are accepted")
	require.Equal(t, 413, create("huge", strings.Repeat(full, 8)).status)
	require.Equal(t, 413, a.op("c-a", "post_message", `{"body":"`+full+`"}`).status)
	require.Equal(t, 413, a.op("c-a", "no_such_operation", `{"body":"`+full+`"}`).status)
}

func TestDocumentTimeoutIsABadRequest(t *testing.T) {
	for _, wire := range switchfront.WireErrors(fmt.Errorf("%w: %w", core.ErrDocumentTimeout, context.DeadlineExceeded)) {
		require.Equal(t, 400, wire.Status())
	}
}
