package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// signatures lists every operation with its parameters, in the protocol's order: "name: type" or "name: type = default".
// A type followed by "?" is "type or None" with the default None.
var signatures = []struct{ name, parameters string }{
	{"list_rooms", "include_archived: bool = false"},
	{"connect_to_room", "room_id: str; include_general_instructions: bool = true"},
	{"list_references", ""},
	{"list_linked_rooms", ""},
	{"load_internal_documents", "ids: list[str]"},
	{"create_room_document", "name: str; description: str; instructions: str; content: str"},
	{"update_room_document", "document_id: str; name: str?; description: str?; instructions: str?; content: str?"},
	{"delete_room_document", "document_id: str"},
	{"read_context", "limit: int = 50; since: str?; before: str?"},
	{"list_participants", ""},
	{"post_message", "body: str; thread_id: str?"},
	{"send_targeted_message", "body: str; target_names: list[str]?; target_roles: list[str]?; thread_id: str?"},
	{"delegate_task", "performer_agent_id: str; summary: str; description: str"},
	{"accept_task", "task_id: str"},
	{"update_task", "task_id: str; update: str"},
	{"finalise_task", "task_id: str; outcome: str"},
	{"cancel_task", "task_id: str; reason: str"},
	{"list_tasks", "role: str?; status: str?"},
	{"create_room", "name: str; description: str; agent_names: list[str]; user_names: list[str]?; channel_type: str?; bridge_id: str?; " +
		"internal_only: bool = false; admin_mode: bool = false; security_config: dict[any]?; instructions: str?; reference_ids: list[str]?; " +
		"package_ids: list[str]?; linked_rooms: list[dict[str]]?; read_visibility: str = \"public\"; write_visibility: str = \"public\"; " +
		"group_name: str?; roles: list[dict[any]]?; include_subagents_for: list[str]?; join_event_listeners: list[str]?; aliases: dict[str]?"},
	{"list_roles", ""},
	{"get_role_detail", "room_id: str; role_name: str"},
	{"define_role", "name: str; instructions: str; exclusive: bool = false"},
	{"edit_role", "name: str; instructions: str?; exclusive: bool?"},
	{"delete_role", "name: str"},
	{"assume_role", "role: str"},
	{"release_role", ""},
	{"list_reference_types", ""},
	{"create_reference", "type: str; name: str; description: str; instructions: str; value: dict[any]; read_visibility: str = \"private\"; " +
		"write_visibility: str = \"private\""},
	{"attach_reference_to_room", "room_id: str; reference_id: str"},
	{"link_rooms", "source_room_id: str; target_room_id: str; label: str"},
	{"unlink_rooms", "source_room_id: str; target_room_id: str"},
	{"list_bridges", ""},
	{"invite_agent_to_room", "room_id: str; agent_name: str; include_subagents: bool = false"},
	{"add_users_to_room", "room_id: str; user_names: list[str]"},
	{"list_all_rooms", "include_archived: bool = false"},
	{"list_room_groups", ""},
	{"create_room_group", "name: str; description: str?; color: str?; parent_group_name: str?"},
	{"get_room_group_detail", "group_id: str"},
	{"list_agents", "name_contains: str?; owner_name: str?; known_agent_type: str?"},
	{"get_agent_detail", "agent_id: str"},
	{"update_agent_detail", "agent_id: str; options: dict[any]?; parent_agent_id: str?; clear_parent: bool = false"},
	{"get_room_detail", "room_id: str"},
	{"update_room", "room_id: str; name: str?; description: str?; instructions: str?; admin_mode: bool?; join_event_listeners: dict[bool]?; " +
		"bridge_id: str?; channel_type: str?; external_channel_id: str?; aliases: dict[str]?"},
	{"archive_room", "room_id: str"},
	{"unarchive_room", "room_id: str"},
}

// typeSchema prints a type, as the members of an object.
func typeSchema(kind string) string {
	switch kind {
	case "str":
		return `"type":"string"`
	case "bool":
		return `"type":"boolean"`
	case "int":
		return `"type":"integer"`
	case "list[str]":
		return `"items":{"type":"string"},"type":"array"`
	case "list[dict[str]]":
		return `"items":{"additionalProperties":{"type":"string"},"type":"object"},"type":"array"`
	case "list[dict[any]]":
		return `"items":{"additionalProperties":true,"type":"object"},"type":"array"`
	case "dict[any]":
		return `"additionalProperties":true,"type":"object"`
	case "dict[str]":
		return `"additionalProperties":{"type":"string"},"type":"object"`
	case "dict[bool]":
		return `"additionalProperties":{"type":"boolean"},"type":"object"`
	}
	panic("no such type: " + kind)
}

// propertySchema prints a property with its title, keys in alphabetical order.
func propertySchema(name, kind string) string {
	var title []string
	for word := range strings.SplitSeq(name, "_") {
		title = append(title, strings.ToUpper(word[:1])+word[1:])
	}
	titled := fmt.Sprintf(`"title":"%s"`, strings.Join(title, " "))
	if base, nullable := strings.CutSuffix(kind, "?"); nullable {
		return fmt.Sprintf(`{"anyOf":[{%s},{"type":"null"}],"default":null,%s}`, typeSchema(base), titled)
	}
	base, value, optional := strings.Cut(kind, " = ")
	// The keys before title are additionalProperties and items, the one after it is type.
	printed := typeSchema(base)
	cut := strings.LastIndex(printed, `"type":`)
	printed = printed[:cut] + titled + "," + printed[cut:]
	if optional {
		printed = `"default":` + value + "," + printed
	}
	return "{" + printed + "}"
}

// schema prints the whole schema of an operation.
func schema(parameters string) string {
	if parameters == "" {
		return `{"type":"object","properties":{}}`
	}
	var properties, required []string
	for p := range strings.SplitSeq(parameters, "; ") {
		name, kind, _ := strings.Cut(p, ": ")
		properties = append(properties, fmt.Sprintf("%q:%s", name, propertySchema(name, kind)))
		if !strings.HasSuffix(kind, "?") && !strings.Contains(kind, " = ") {
			required = append(required, fmt.Sprintf("%q", name))
		}
	}
	out := `{"properties":{` + strings.Join(properties, ",") + "}"
	if len(required) > 0 {
		out += `,"required":[` + strings.Join(required, ",") + "]"
	}
	return out + `,"type":"object"}`
}

// catalogEntry is an operation as GET ops tells of it.
type catalogEntry struct {
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func (a *agent) catalog(t *testing.T) map[string]catalogEntry {
	t.Helper()
	var o struct {
		Operations map[string]catalogEntry `json:"operations"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.get(t, "/ops").is(200).body), &o))
	return o.Operations
}

// orderOf lists the keys of the object "operations" in the order of the bytes.
func orderOf(t *testing.T, body string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	var out []string
	for depth := 0; ; {
		token, err := d.Token()
		require.NoError(t, err)
		switch token := token.(type) {
		case json.Delim:
			if token == '{' {
				depth++
			} else {
				depth--
			}
			if depth == 0 {
				return out
			}
		case string:
			if depth == 2 {
				out = append(out, token)
				var skipped json.RawMessage
				require.NoError(t, d.Decode(&skipped))
			}
		}
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	s := shared(t)
	a := s.agent(t)
	t.Run("list", func(t *testing.T) {
		shows(t, "4.1-list", "4.1-description")
		b := s.known(t, "claude-code", object{"options": object{"channels_enabled": false}})
		require.Equal(t, a.get(t, "/ops").is(200).body, b.get(t, "/ops").is(200).body)
		o := shape(t, a.get(t, "/ops").json(), "operations object")
		for name, entry := range o["operations"].(object) {
			e := shape(t, entry, "description string, input_schema object")
			require.NotEmpty(t, e["description"], name)
			require.Equal(t, "object", at(t, e, "input_schema", "type"), name)
		}
	})
	t.Run("names", func(t *testing.T) {
		shows(t, "4.1-list-45", "5-names")
		require.Len(t, signatures, 45)
		want := []string{}
		for _, sig := range signatures {
			want = append(want, sig.name)
		}
		listed := orderOf(t, a.get(t, "/ops").is(200).body)
		require.Equal(t, want, listed[:len(want)])
		// What the server offers beyond the protocol comes behind all that it lists.
		require.Equal(t, []string{
			"get_room_state", "set_room_state", "replace_room_state", "emit_event", "translate_cursor",
			"create_listing", "search_listings", "connect_to_listing", "get_turn", "publish_listing", "withdraw_listing",
		}, listed[len(want):])
	})
	catalog := a.catalog(t)
	for _, sig := range signatures {
		t.Run(sig.name, func(t *testing.T) {
			shows(t, "5-schema-"+sig.name)
			_, known := catalog[sig.name]
			require.True(t, known, "there is no such operation")
			require.Equal(t, schema(sig.parameters), string(catalog[sig.name].InputSchema))
		})
	}
	t.Run("example", func(t *testing.T) {
		shows(t, "5-example")
		require.Equal(t, `{"properties":{"room_id":{"title":"Room Id","type":"string"},"role_name":{"title":"Role Name","type":"string"}},`+
			`"required":["room_id","role_name"],"type":"object"}`, string(catalog["get_role_detail"].InputSchema))
	})
	for _, c := range []struct{ row, operation, part string }{
		{"5-signature-string", "post_message", `"body":{"title":"Body","type":"string"}`},
		{"5-signature-boolean", "list_rooms", `"include_archived":{"default":false,"title":"Include Archived","type":"boolean"}`},
		{"5-signature-integer", "read_context", `"limit":{"default":50,"title":"Limit","type":"integer"}`},
		{"5-signature-nullable", "post_message", `"thread_id":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Thread Id"}`},
		{"5-signature-list", "load_internal_documents", `"ids":{"items":{"type":"string"},"title":"Ids","type":"array"}`},
		{"5-signature-object", "create_reference", `"value":{"additionalProperties":true,"title":"Value","type":"object"}`},
		{"5-signature-map", "create_room", `"aliases":{"anyOf":[{"additionalProperties":{"type":"string"},"type":"object"},{"type":"null"}],"default":null,"title":"Aliases"}`},
	} {
		t.Run(c.row, func(t *testing.T) {
			shows(t, c.row)
			require.Contains(t, string(catalog[c.operation].InputSchema), c.part)
		})
	}
	t.Run("rules", func(t *testing.T) {
		shows(t, "5-whole", "5-order", "5-titles", "5-no-description", "5-no-parameters")
		require.Equal(t, `{"type":"object","properties":{}}`, string(catalog["list_participants"].InputSchema))
		for name, entry := range catalog {
			for key := range parse(t, string(entry.InputSchema)).(object) {
				require.Contains(t, []string{"properties", "required", "type"}, key, name)
			}
			for property, p := range at(t, parse(t, string(entry.InputSchema)), "properties").(object) {
				require.NotContains(t, p, "description", name)
				require.NotContains(t, p, "enum", name)
				require.Equal(t, strings.ReplaceAll(property, "_", " "), strings.ToLower(text(t, p, "title")))
			}
		}
	})
	t.Run("unknown arguments", func(t *testing.T) {
		shows(t, "5-unknown-refused")
		for name := range catalog {
			require.Contains(t, a.try(t, name, object{"no_such_argument": 1}).refused(400), "no_such_argument", name)
		}
	})
}
