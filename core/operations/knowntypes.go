package operations

import (
	"encoding/json"

	"stele/core"
	"stele/internal/strictjson"
)

// The known agent types (Switch protocol: known agent types).
const (
	typeClaudeCode = "claude-code"
	typeCodex      = "codex"
	typeOpenCode   = "opencode"
)

// knownTools names the tools that agents of a known type have; an agent of another kind has told of none.
func knownTools(agentType string) []string {
	switch agentType {
	case typeClaudeCode:
		return []string{
			"Bash", "Edit", "Write", "Read", "Glob", "Grep", "NotebookEdit", "Agent", "WebFetch", "WebSearch", "Monitor", "Skill",
		}
	case typeCodex:
		return []string{"Shell", "ApplyPatch", "Read"}
	case typeOpenCode:
		return []string{"Bash", "Edit", "Write", "Read", "Grep", "Glob", "List", "WebFetch", "Task"}
	}
	return nil
}

// knownOptions shows the options that an agent's type has, and null for an agent without a known type. What was stored
// may hold those of other types too.
func knownOptions(a core.Agent) *json.RawMessage {
	fields, err := strictjson.DecodeObject(a.Options)
	if a.KnownType == "" || err != nil {
		return nil
	}
	if a.KnownType == typeCodex || a.KnownType == typeOpenCode {
		delete(fields, "channels_enabled")
		delete(fields, "subagent_name")
	}
	out, err := strictjson.Marshal(fields)
	if err != nil {
		return nil
	}
	raw := json.RawMessage(out)
	return &raw
}
