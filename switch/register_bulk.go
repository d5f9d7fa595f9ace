package agentswitch

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"stele/internal/strictjson"
)

// BulkRegistration is the body of POST /agents/register-known-bulk: agents
// below one parent, all made or none.
type BulkRegistration struct {
	AgentType     string `json:"agent_type"`
	ParentAgentID string `json:"parent_agent_id"`
	// Options depend on the type; see KnownOptions. What is not given of
	// channels_enabled and repo_dir is the parent's.
	Options   map[string]json.RawMessage `json:"options,omitempty"`
	Subagents List[Subagent]             `json:"subagents"`
	// Overwrite replaces agents of the same names and invalidates their keys.
	Overwrite bool `json:"overwrite,omitempty"`
}

// Subagent is one agent of a BulkRegistration.
type Subagent struct {
	// Name is appended to the parent's; see SubagentName.
	Name        string `json:"subagent_name"`
	Description string `json:"description"`
}

// BulkAnswer is the answer of POST /agents/register-known-bulk, in the order
// of the request.
type BulkAnswer struct {
	Results List[BulkResult] `json:"results"`
}

// BulkResult is one agent that was made. The key is shown this once.
type BulkResult struct {
	SubagentName string `json:"subagent_name"`
	Name         string `json:"name"`
	ID           string `json:"id"`
	APIKey       string `json:"api_key"`
}

// ParseBulkRegistration reads and validates a bulk registration. Faults of the
// body are a *ValidationError with 422; an unknown type, no subagents, a bad
// name or one that comes twice is a 400 text, bad options are a 400 list.
func ParseBulkRegistration(body []byte) (BulkRegistration, error) {
	f, err := newFields(body)
	if err != nil {
		return BulkRegistration{}, err
	}
	req := BulkRegistration{
		AgentType:     f.requiredString("agent_type"),
		ParentAgentID: f.requiredString("parent_agent_id"),
		Options:       f.objectOr("options"),
	}
	if raw, ok := f.required("subagents"); ok {
		f.elements("subagents", raw, func(list *fields, i int, element json.RawMessage) {
			list.nested(i, element, func(s *fields) {
				req.Subagents = append(req.Subagents, Subagent{
					Name: s.requiredString("subagent_name"), Description: s.requiredString("description"),
				})
			})
		})
	}
	req.Overwrite = f.boolOr("overwrite", false)
	if err := f.err(); err != nil {
		return BulkRegistration{}, err
	}
	if _, err := ParseKnownOptions(req.AgentType, req.Options); err != nil {
		return BulkRegistration{}, err
	}
	if err := validateSubagents(req.Subagents); err != nil {
		return BulkRegistration{}, err
	}
	return req, nil
}

func validateSubagents(subagents []Subagent) error {
	if len(subagents) == 0 {
		return Refuse(http.StatusBadRequest, "subagents must not be empty")
	}
	seen := make(map[string]bool, len(subagents))
	for _, s := range subagents {
		if s.Name == "" || !ValidAgentName(SubagentName("a", s.Name)) {
			return Refuse(http.StatusBadRequest, "Invalid subagent name %q: use lower-case letters, digits, '.', '_' and '-'", s.Name)
		}
		if seen[s.Name] {
			return Refuse(http.StatusBadRequest, "Duplicate subagent name %q", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// SubagentName returns the name of the agent that a subagent becomes.
func SubagentName(parent, subagent string) string { return parent + "." + subagent }

// OptionsOf returns the options with which a subagent is made: those of the
// request, completed by the parent's channels_enabled and repo_dir, and the
// subagent's name.
func (r BulkRegistration) OptionsOf(s Subagent, parent map[string]json.RawMessage) map[string]json.RawMessage {
	options := make(map[string]json.RawMessage, len(r.Options)+3)
	for _, name := range []string{"channels_enabled", "repo_dir"} {
		if value, ok := parent[name]; ok {
			options[name] = value
		}
	}
	maps.Copy(options, r.Options)
	options["subagent_name"] = strictjson.AppendString(nil, s.Name)
	return options
}

// NamesTaken answers a bulk registration of names that exist, without
// overwrite. Nothing was made.
func NamesTaken(names []string) *DetailError {
	return Refuse(http.StatusConflict, "Agents %s already exist. Pass \"overwrite\": true to replace them; their current keys stop working.",
		strings.Join(names, ", "))
}
