package agentswitch_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agentswitch "stele/switch"
)

// opCase is one call of an operation: what it sends, what comes back and what
// the caller gets.
type opCase struct {
	operation string
	call      func(c *agentswitch.Client) (any, error)
	sent      string // the arguments, empty for none
	result    string
	want      any
}

func opCases(t *testing.T) []opCase {
	ctx := t.Context()
	return []opCase{
		{"list_rooms", func(c *agentswitch.Client) (any, error) { return c.ListRooms(ctx, false) }, `{"include_archived":false}`, `[{"room_id":"r","connected":true}]`, []agentswitch.RoomRow{{RoomID: "r", Connected: true}}},
		{"list_all_rooms", func(c *agentswitch.Client) (any, error) { return c.ListAllRooms(ctx, true) }, `{"include_archived":true}`, `[{"room_id":"r","archived":true}]`, []agentswitch.AnyRoomRow{{RoomID: "r", Archived: true}}},
		{"get_room_detail", func(c *agentswitch.Client) (any, error) { return c.GetRoomDetail(ctx, "r") }, `{"room_id":"r"}`, `{"id":"r","admin_mode":true}`, agentswitch.RoomDetail{ID: "r", AdminMode: true}},
		{"connect_to_room", func(c *agentswitch.Client) (any, error) { return c.ConnectToRoom(ctx, "r") }, `{"room_id":"r"}`, `{"room_id":"r","warning":null}`, agentswitch.ConnectToRoomAnswer{RoomID: "r"}},
		{"connect_to_room", func(c *agentswitch.Client) (any, error) {
			return c.ConnectToRoomWith(ctx, agentswitch.ConnectToRoomArgs{RoomID: "r", IncludeGeneralInstructions: ptr(false)})
		}, `{"room_id":"r","include_general_instructions":false}`, `{"room_id":"r"}`, agentswitch.ConnectToRoomAnswer{RoomID: "r"}},
		{"create_room", func(c *agentswitch.Client) (any, error) {
			return c.CreateRoom(ctx, agentswitch.CreateRoomArgs{Name: "n", Description: "d"})
		}, `{"name":"n","description":"d","agent_names":[]}`, `{"id":"r","failed_attachments":[{"kind":"package","id":"p","error":"e"}]}`, agentswitch.CreateRoomAnswer{ID: "r", FailedAttachments: agentswitch.List[agentswitch.FailedAttachment]{{Kind: "package", ID: "p", Error: "e"}}}},
		{"create_room", func(c *agentswitch.Client) (any, error) {
			return c.CreateRoom(ctx, agentswitch.CreateRoomArgs{
				Name: "n", Description: "d", AgentNames: agentswitch.List[string]{"a"}, UserNames: []string{"u"}, ChannelType: ptr("group"), BridgeID: ptr("b"), InternalOnly: true,
				AdminMode: true, SecurityConfig: json.RawMessage(`{"k":1}`), Instructions: ptr("i"), ReferenceIDs: []string{"x"}, PackageIDs: []string{"p"},
				LinkedRooms: []agentswitch.NewLink{{TargetRoomID: "r", Label: "l"}}, ReadVisibility: "public", WriteVisibility: "private", GroupName: ptr("g"),
				Roles: []agentswitch.RoleArgs{{Name: "r", Instructions: "i", Exclusive: true}, {Name: "s"}}, IncludeSubagentsFor: []string{"a"}, JoinEventListeners: []string{"a"},
				Aliases: map[string]string{"a": "b"},
			})
		}, `{"name":"n","description":"d","agent_names":["a"],"user_names":["u"],"channel_type":"group","bridge_id":"b","internal_only":true,"admin_mode":true,"security_config":{"k":1},` +
			`"instructions":"i","reference_ids":["x"],"package_ids":["p"],"linked_rooms":[{"target_room_id":"r","label":"l"}],"read_visibility":"public","write_visibility":"private","group_name":"g",` +
			`"roles":[{"name":"r","instructions":"i","exclusive":true},{"name":"s","instructions":""}],"include_subagents_for":["a"],"join_event_listeners":["a"],"aliases":{"a":"b"}}`, `{}`, agentswitch.CreateRoomAnswer{}},
		{"update_room", func(c *agentswitch.Client) (any, error) {
			return c.UpdateRoom(ctx, agentswitch.UpdateRoomArgs{
				RoomID: "r", Name: ptr("n"), Description: ptr(""), Instructions: ptr("i"), AdminMode: ptr(false), JoinEventListeners: map[string]bool{"a": false}, BridgeID: ptr("b"),
				ChannelType: ptr("channel_private"), ExternalChannelID: ptr("e"), Aliases: map[string]string{"a": ""},
			})
		}, `{"room_id":"r","name":"n","description":"","instructions":"i","admin_mode":false,"join_event_listeners":{"a":false},"bridge_id":"b","channel_type":"channel_private",` +
			`"external_channel_id":"e","aliases":{"a":""}}`, `{"id":"r"}`, agentswitch.RoomDetail{ID: "r"}},
		{"archive_room", func(c *agentswitch.Client) (any, error) { return c.ArchiveRoom(ctx, "r") }, `{"room_id":"r"}`, `{"id":"r","archived":true}`, agentswitch.RoomDetail{ID: "r", Archived: true}},
		{"unarchive_room", func(c *agentswitch.Client) (any, error) { return c.UnarchiveRoom(ctx, "r") }, `{"room_id":"r"}`, `{"id":"r"}`, agentswitch.RoomDetail{ID: "r"}},
		{"list_participants", func(c *agentswitch.Client) (any, error) { return c.ListParticipants(ctx) }, ``, `[{"id":"u","type":"user","status":null}]`, []agentswitch.ParticipantRow{{ID: "u", Type: "user"}}},
		{"invite_agent_to_room", func(c *agentswitch.Client) (any, error) {
			return nil, c.InviteAgentToRoom(ctx, agentswitch.InviteAgentArgs{RoomID: "r", AgentName: "a", IncludeSubagents: true})
		}, `{"room_id":"r","agent_name":"a","include_subagents":true}`, `{"ok":true}`, nil},
		{"add_users_to_room", func(c *agentswitch.Client) (any, error) { return c.AddUsersToRoom(ctx, "r", nil) }, `{"room_id":"r","user_names":[]}`, `{"ok":false,"added":[],"unresolved":["u"]}`, agentswitch.AddUsersAnswer{Added: agentswitch.List[string]{}, Unresolved: agentswitch.List[string]{"u"}}},

		{"post_message", func(c *agentswitch.Client) (any, error) { return c.PostMessage(ctx, "hi", "t") }, `{"body":"hi","thread_id":"t"}`, `{"event_id":"m"}`, "m"},
		{"send_targeted_message", func(c *agentswitch.Client) (any, error) {
			return c.SendTargetedMessage(ctx, agentswitch.TargetedMessage{Body: "hi", TargetRoles: []string{"r"}, ThreadID: "t"})
		}, `{"body":"hi","target_roles":["r"],"thread_id":"t"}`, `{"event_id":"m","target_statuses":{"a":"dormant"}}`, agentswitch.TargetedMessageAnswer{EventID: "m", TargetStatuses: agentswitch.Map[agentswitch.Status]{"a": "dormant"}}},
		{"read_context", func(c *agentswitch.Client) (any, error) {
			return c.ReadContext(ctx, agentswitch.ContextQuery{Limit: 5, Since: "2026-01-31", Before: "2026-02-01"})
		}, `{"limit":5,"since":"2026-01-31","before":"2026-02-01"}`, `{"threads":[],"truncated":true,"oldest_timestamp":null}`, agentswitch.ReadContextAnswer{Threads: agentswitch.List[agentswitch.Thread]{}, Truncated: true}},

		{"list_references", func(c *agentswitch.Client) (any, error) { return c.ListReferences(ctx) }, ``, `{"reference_types":{"github":{"type":"github"}},"references":[{"id":"x","value":{"urls":["u"]}}]}`, agentswitch.ReferencesAnswer{
			ReferenceTypes: agentswitch.Map[agentswitch.ReferenceType]{"github": {Type: "github"}}, References: agentswitch.List[agentswitch.Reference]{{ID: "x", Value: agentswitch.ReferenceValue{URLs: agentswitch.List[string]{"u"}}}},
		}},
		{"list_reference_types", func(c *agentswitch.Client) (any, error) { return c.ListReferenceTypes(ctx) }, ``, `[{"type":"jira","value_schema":{"type":"object"}}]`, []agentswitch.ReferenceTypeRow{{Type: "jira", ValueSchema: json.RawMessage(`{"type":"object"}`)}}},
		{"create_reference", func(c *agentswitch.Client) (any, error) {
			return c.CreateReference(ctx, agentswitch.CreateReferenceArgs{Type: "github", Name: "n", Description: "d", Instructions: "i", Value: agentswitch.ReferenceValue{URLs: agentswitch.List[string]{"u"}}, ReadVisibility: "public"})
		}, `{"type":"github","name":"n","description":"d","instructions":"i","value":{"urls":["u"]},"read_visibility":"public"}`, `{"id":"x"}`, agentswitch.CreatedReference{ID: "x"}},
		{"attach_reference_to_room", func(c *agentswitch.Client) (any, error) { return nil, c.AttachReferenceToRoom(ctx, "r", "x") }, `{"room_id":"r","reference_id":"x"}`, `{"ok":true}`, nil},
		{"load_internal_documents", func(c *agentswitch.Client) (any, error) { return c.LoadInternalDocuments(ctx, []string{"d"}) }, `{"ids":["d"]}`, `[{"id":"d","content":"c"}]`, []agentswitch.DocumentContent{{ID: "d", Content: "c"}}},
		{"create_room_document", func(c *agentswitch.Client) (any, error) {
			return c.CreateRoomDocument(ctx, agentswitch.CreateDocumentArgs{Name: "n", Description: "d", Instructions: "i", Content: "c"})
		}, `{"name":"n","description":"d","instructions":"i","content":"c"}`, `{"document_id":"d"}`, agentswitch.CreatedDocument{DocumentID: "d"}},
		{"update_room_document", func(c *agentswitch.Client) (any, error) {
			return c.UpdateRoomDocument(ctx, agentswitch.UpdateDocumentArgs{DocumentID: "d", Name: ptr("n"), Description: ptr("x"), Instructions: ptr("i"), Content: ptr("")})
		}, `{"document_id":"d","name":"n","description":"x","instructions":"i","content":""}`, `{"document_id":"d","status":"ok"}`, agentswitch.ChangedDocument{DocumentID: "d", Status: "ok"}},
		{"delete_room_document", func(c *agentswitch.Client) (any, error) { return c.DeleteRoomDocument(ctx, "d") }, `{"document_id":"d"}`, `{"document_id":"d","status":"ok"}`, agentswitch.ChangedDocument{DocumentID: "d", Status: "ok"}},

		{"list_roles", func(c *agentswitch.Client) (any, error) { return c.ListRoles(ctx) }, ``, `[{"name":"r","held_by":[{"name":"a","present_here":true}]}]`, []agentswitch.Role{{Name: "r", HeldBy: agentswitch.List[agentswitch.Holder]{{Name: "a", PresentHere: true}}}}},
		{"get_role_detail", func(c *agentswitch.Client) (any, error) { return c.GetRoleDetail(ctx, "r", "role") }, `{"room_id":"r","role_name":"role"}`, `{"name":"role","instructions":"i"}`, agentswitch.RoleDetail{Name: "role", Instructions: "i"}},
		{"define_role", func(c *agentswitch.Client) (any, error) {
			return c.DefineRole(ctx, agentswitch.RoleArgs{Name: "r", Instructions: "i", Exclusive: true})
		}, `{"name":"r","instructions":"i","exclusive":true}`, `{"status":"defined","name":"r"}`, agentswitch.RoleChange{Status: "defined", Name: "r"}},
		{"edit_role", func(c *agentswitch.Client) (any, error) {
			return c.EditRole(ctx, agentswitch.EditRoleArgs{Name: "r", Instructions: ptr("i"), Exclusive: ptr(false)})
		}, `{"name":"r","instructions":"i","exclusive":false}`, `{"status":"edited","name":"r"}`, agentswitch.RoleChange{Status: "edited", Name: "r"}},
		{"delete_role", func(c *agentswitch.Client) (any, error) { return c.DeleteRole(ctx, "r") }, `{"name":"r"}`, `{"status":"deleted","name":"r"}`, agentswitch.RoleChange{Status: "deleted", Name: "r"}},
		{"assume_role", func(c *agentswitch.Client) (any, error) { return c.AssumeRole(ctx, "r") }, `{"role":"r"}`, `{"role":"r","instructions":"i"}`, agentswitch.AssumedRole{Role: "r", Instructions: "i"}},
		{"release_role", func(c *agentswitch.Client) (any, error) { return c.ReleaseRole(ctx) }, ``, `{"status":"released"}`, agentswitch.ReleasedRole{Status: "released"}},

		{"list_linked_rooms", func(c *agentswitch.Client) (any, error) { return c.ListLinkedRooms(ctx) }, ``, `[{"target_room_id":"r","access":"member"}]`, []agentswitch.LinkedRoom{{TargetRoomID: "r", Access: "member"}}},
		{"link_rooms", func(c *agentswitch.Client) (any, error) { return c.LinkRooms(ctx, "a", "b", "l") }, `{"source_room_id":"a","target_room_id":"b","label":"l"}`, `{"target_room_id":"b","label":"l"}`, agentswitch.LinkedRoom{TargetRoomID: "b", Label: "l"}},
		{"unlink_rooms", func(c *agentswitch.Client) (any, error) { return nil, c.UnlinkRooms(ctx, "a", "b") }, `{"source_room_id":"a","target_room_id":"b"}`, `{"ok":true}`, nil},
		{"list_room_groups", func(c *agentswitch.Client) (any, error) { return c.ListRoomGroups(ctx) }, ``, `[{"id":"g","room_count":2}]`, []agentswitch.GroupRow{{ID: "g", RoomCount: 2}}},
		{"create_room_group", func(c *agentswitch.Client) (any, error) {
			return c.CreateRoomGroup(ctx, agentswitch.CreateGroupArgs{Name: "n", Description: ptr("d"), Color: ptr("red"), ParentGroupName: ptr("p")})
		}, `{"name":"n","description":"d","color":"red","parent_group_name":"p"}`, `{"id":"g","path":"p / n"}`, agentswitch.Group{ID: "g", Path: "p / n"}},
		{"get_room_group_detail", func(c *agentswitch.Client) (any, error) { return c.GetRoomGroupDetail(ctx, "g") }, `{"group_id":"g"}`, `{"id":"g","member_rooms":[{"id":"r","name":"n"}]}`, agentswitch.Group{ID: "g", MemberRooms: agentswitch.List[agentswitch.RoomID]{{ID: "r", Name: "n"}}}},

		{"list_agents", func(c *agentswitch.Client) (any, error) { return c.ListAgents(ctx, agentswitch.AgentFilter{}) }, `{}`, `[{"id":"a","tool_count":3}]`, []agentswitch.Agent{{ID: "a", ToolCount: 3}}},
		{"list_agents", func(c *agentswitch.Client) (any, error) {
			return c.ListAgents(ctx, agentswitch.AgentFilter{NameContains: "n", OwnerName: "o", KnownAgentType: "codex"})
		}, `{"name_contains":"n","owner_name":"o","known_agent_type":"codex"}`, `[]`, []agentswitch.Agent{}},
		{"get_agent_detail", func(c *agentswitch.Client) (any, error) { return c.GetAgentDetail(ctx, "a") }, `{"agent_id":"a"}`, `{"id":"a","agent_type":"always_on","children":[{"id":"b"}]}`, agentswitch.AgentDetail{Agent: agentswitch.Agent{ID: "a"}, AgentType: "always_on", Children: agentswitch.List[agentswitch.Agent]{{ID: "b"}}}},
		{"update_agent_detail", func(c *agentswitch.Client) (any, error) {
			return c.UpdateAgentDetail(ctx, agentswitch.UpdateAgentArgs{AgentID: "a", Options: map[string]json.RawMessage{"auto_session": json.RawMessage("true")}, ParentAgentID: ptr("p"), ClearParent: true})
		}, `{"agent_id":"a","options":{"auto_session":true},"parent_agent_id":"p","clear_parent":true}`, `{"id":"a"}`, agentswitch.AgentDetail{Agent: agentswitch.Agent{ID: "a"}}},
		{"list_bridges", func(c *agentswitch.Client) (any, error) { return c.ListBridges(ctx) }, ``, `[{"id":"b","status":"active","is_default":true}]`, []agentswitch.Bridge{{ID: "b", Status: "active", IsDefault: true}}},

		{"delegate_task", func(c *agentswitch.Client) (any, error) {
			return c.DelegateTask(ctx, agentswitch.DelegateTaskArgs{PerformerAgentID: "a", Summary: "s", Description: "d"})
		}, `{"performer_agent_id":"a","summary":"s","description":"d"}`, `{"task_id":"t","status":"pending","target_status":"live"}`, agentswitch.DelegateTaskAnswer{TaskID: "t", Status: "pending", TargetStatus: "live"}},
		{"accept_task", func(c *agentswitch.Client) (any, error) { return c.AcceptTask(ctx, "t") }, `{"task_id":"t"}`, `{"status":"ongoing","accepted_at":"x"}`, agentswitch.AcceptTaskAnswer{Status: "ongoing", AcceptedAt: "x"}},
		{"update_task", func(c *agentswitch.Client) (any, error) { return c.UpdateTask(ctx, "t", "u") }, `{"task_id":"t","update":"u"}`, `{"status":"updated","updates_count":3}`, agentswitch.UpdateTaskAnswer{Status: "updated", UpdatesCount: 3}},
		{"finalise_task", func(c *agentswitch.Client) (any, error) { return c.FinaliseTask(ctx, "t", "o") }, `{"task_id":"t","outcome":"o"}`, `{"status":"finalised","finalised_at":"x"}`, agentswitch.FinaliseTaskAnswer{Status: "finalised", FinalisedAt: "x"}},
		{"cancel_task", func(c *agentswitch.Client) (any, error) { return c.CancelTask(ctx, "t", "r") }, `{"task_id":"t","reason":"r"}`, `{"status":"cancelled","reason":"r"}`, agentswitch.CancelTaskAnswer{Status: "cancelled", Reason: "r"}},
		{"list_tasks", func(c *agentswitch.Client) (any, error) {
			return c.ListTasks(ctx, agentswitch.TaskFilter{Role: agentswitch.TaskAssigned, Status: "ongoing"})
		}, `{"role":"assigned","status":"ongoing"}`, `[{"id":"t","updates":["u"]}]`, []agentswitch.TaskRow{{ID: "t", Updates: agentswitch.List[string]{"u"}}}},
	}
}

func TestEveryOperationHasItsCall(t *testing.T) {
	covered := map[string]bool{}
	for _, tt := range opCases(t) {
		covered[tt.operation] = true
		t.Run(tt.operation, func(t *testing.T) {
			client, sent := recorder(t, 200, `{"result":`+tt.result+`}`)
			got, err := tt.call(client.WithConnection("c-1"))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			want := recorded{method: "POST", path: "/prefix/agents/a%2F1/ops/" + tt.operation, authorization: "Bearer key-1", connection: "c-1", body: tt.sent}
			if tt.sent != "" {
				want.contentType = "application/json"
			}
			require.Equal(t, want, *sent)

			client, _ = recorder(t, 400, `{"detail":"no"}`)
			_, err = tt.call(client)
			require.ErrorContains(t, err, "agentswitch: operation "+tt.operation+": 400: no")
		})
	}
	client := reflect.TypeFor[*agentswitch.Client]()
	for _, name := range agentswitch.OperationNames() {
		require.True(t, covered[name], name)
		method := ""
		for word := range strings.SplitSeq(name, "_") {
			method += strings.ToUpper(word[:1]) + word[1:]
		}
		_, ok := client.MethodByName(method)
		require.True(t, ok, "the call is named like the operation: %s", method)
	}
}
