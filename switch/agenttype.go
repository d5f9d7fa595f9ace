package agentswitch

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// The known agent types.
const (
	AgentTypeClaudeCode = "claude-code"
	AgentTypeCodex      = "codex"
	AgentTypeOpenCode   = "opencode"
)

// KnownOptions are the options of the known agent types. Codex and OpenCode
// have only AutoSession and RepoDir.
type KnownOptions struct {
	// ChannelsEnabled is true unless given.
	ChannelsEnabled bool    `json:"channels_enabled"`
	AutoSession     bool    `json:"auto_session"`
	RepoDir         *string `json:"repo_dir"`
	SubagentName    *string `json:"subagent_name"`
}

// ParseKnownOptions reads the options of an agent type. An unknown type is a
// 400 text that begins with TextUnknownAgentType; wrong values are a 400 list.
// Unknown keys are ignored, and an empty path or name is none.
func ParseKnownOptions(agentType string, options map[string]json.RawMessage) (KnownOptions, error) {
	if _, ok := knownType(agentType); !ok {
		return KnownOptions{}, Refuse(http.StatusBadRequest, "%s%s", TextUnknownAgentType, agentType)
	}
	f := fields{values: options}
	parsed := KnownOptions{
		ChannelsEnabled: true,
		AutoSession:     f.boolOr("auto_session", false),
		RepoDir:         nonEmpty(f.optionalString("repo_dir")),
	}
	if agentType == AgentTypeClaudeCode {
		parsed.ChannelsEnabled = f.boolOr("channels_enabled", true)
		parsed.SubagentName = nonEmpty(f.optionalString("subagent_name"))
	}
	if len(f.issues) > 0 {
		for i := range f.issues {
			f.issues[i].URL = knownOptionsDocURL + f.issues[i].Type
		}
		return KnownOptions{}, &ValidationError{Code: http.StatusBadRequest, Issues: f.issues}
	}
	return parsed, nil
}

func nonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// TaskProtocol says which side of a task an agent can take.
type TaskProtocol struct {
	CanDelegate bool `json:"can_delegate"`
	CanAccept   bool `json:"can_accept"`
}

// Values of CommandCapabilities.
const (
	CapabilityUnsupported      = "unsupported"
	CapabilityAlways           = "always"
	CapabilitySessionDependent = "session_dependent"
)

// CommandCapabilities says which commands an agent obeys. In what a Client
// sends, empty is CapabilityUnsupported.
type CommandCapabilities struct {
	Reset     string `json:"reset"`
	Compact   string `json:"compact"`
	Interrupt string `json:"interrupt"`
}

// orUnsupported spells out what is empty, which servers refuse.
func (c CommandCapabilities) orUnsupported() CommandCapabilities {
	return CommandCapabilities{
		Reset:     cmp.Or(c.Reset, CapabilityUnsupported),
		Compact:   cmp.Or(c.Compact, CapabilityUnsupported),
		Interrupt: cmp.Or(c.Interrupt, CapabilityUnsupported),
	}
}

// IntegrationProfile describes how an agent is integrated.
type IntegrationProfile struct {
	ConnectionModel         ConnectionModel     `json:"connection_model"`
	MessageExchange         bool                `json:"message_exchange"`
	PreInvocationMediation  List[string]        `json:"pre_invocation_mediation"`
	PostInvocationMediation List[string]        `json:"post_invocation_mediation"`
	EventReporting          List[string]        `json:"event_reporting"`
	TaskProtocol            TaskProtocol        `json:"task_protocol"`
	CommandCapabilities     CommandCapabilities `json:"command_capabilities"`
}

// KnownAgent is what a known type and its options amount to.
type KnownAgent struct {
	ConnectorType string
	Tools         []string
	Profile       IntegrationProfile
}

// DescribeKnownAgent returns what an agent of a known type is, and false for
// an unknown type.
func DescribeKnownAgent(agentType string, options KnownOptions) (KnownAgent, bool) {
	agent, ok := knownType(agentType)
	if !ok {
		return KnownAgent{}, false
	}
	model := ModelSessionAddressable
	switch {
	case options.AutoSession:
		model = ModelAutoSession
	case agentType == AgentTypeClaudeCode && !options.ChannelsEnabled:
		model = ModelSessionPassive
	}
	var hooks List[string]
	if agentType == AgentTypeClaudeCode {
		hooks = List[string]{"tool_calls"}
	}
	agent.Profile = IntegrationProfile{
		ConnectionModel: model, MessageExchange: true,
		PreInvocationMediation: hooks, EventReporting: hooks,
		TaskProtocol: TaskProtocol{CanDelegate: true, CanAccept: true},
		CommandCapabilities: CommandCapabilities{
			Reset: CapabilitySessionDependent, Compact: CapabilitySessionDependent, Interrupt: CapabilitySessionDependent,
		},
	}
	return agent, true
}

func knownType(agentType string) (KnownAgent, bool) {
	switch agentType {
	case AgentTypeClaudeCode:
		return KnownAgent{ConnectorType: "Claude Code", Tools: []string{
			"Bash", "Edit", "Write", "Read", "Glob", "Grep", "NotebookEdit", "Agent", "WebFetch", "WebSearch", "Monitor", "Skill",
		}}, true
	case AgentTypeCodex:
		return KnownAgent{ConnectorType: "Codex CLI", Tools: []string{"Shell", "ApplyPatch", "Read"}}, true
	case AgentTypeOpenCode:
		return KnownAgent{ConnectorType: "OpenCode CLI", Tools: []string{
			"Bash", "Edit", "Write", "Read", "Grep", "Glob", "List", "WebFetch", "Task",
		}}, true
	default:
		return KnownAgent{}, false
	}
}
