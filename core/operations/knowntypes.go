package operations

import (
	"encoding/json"
	"fmt"

	"stele/core"
	"stele/internal/strictjson"
)

// The known agent types (Switch protocol: known agent types).
const (
	typeClaudeCode = "claude-code"
	typeCodex      = "codex"
	typeOpenCode   = "opencode"
)

// channelOptions are the options of an agent that may be reached by channels.
type channelOptions struct {
	ChannelsEnabled bool `json:"channels_enabled"`
	sessionOptions
	SubagentName *string `json:"subagent_name"`
}

// sessionOptions are the options that every known type has.
type sessionOptions struct {
	AutoSession bool    `json:"auto_session"`
	RepoDir     *string `json:"repo_dir"`
}

// RebuildKnown makes of options what an agent of a known type is: the options that the type has, with what was not said,
// and its profile. Options that the type does not have are left out; an empty path or name is none. Errors:
// *[core.InvalidError] for a value of the wrong type and for a type that is not known.
func RebuildKnown(knownType string, given map[string]json.RawMessage) (core.Rebuilt, error) {
	options := channelOptions{ChannelsEnabled: true}
	for _, o := range []struct {
		name string
		into any
		want string
	}{
		{"channels_enabled", &options.ChannelsEnabled, "true or false"},
		{"auto_session", &options.AutoSession, "true or false"},
		{"repo_dir", &options.RepoDir, "a string or null"},
		{"subagent_name", &options.SubagentName, "a string or null"},
	} {
		raw, said := given[o.name]
		if !said || !hasOption(knownType, o.name) {
			continue
		}
		_, isFlag := o.into.(*bool)
		if err := strictjson.Unmarshal(raw, o.into); err != nil || isFlag && isNull(raw) {
			return core.Rebuilt{}, &core.InvalidError{Field: "options." + o.name, Reason: "must be " + o.want}
		}
	}
	options.RepoDir, options.SubagentName = unlessEmpty(options.RepoDir), unlessEmpty(options.SubagentName)
	switch knownType {
	case typeClaudeCode:
		return rebuilt(options, profileOfKnown(options, []string{"tool_calls"}))
	case typeCodex, typeOpenCode:
		return rebuilt(options.sessionOptions, profileOfKnown(options, []string{}))
	}
	return core.Rebuilt{}, &core.InvalidError{Field: "options", Reason: fmt.Sprintf("agents of type %q have none", knownType)}
}

func hasOption(knownType, name string) bool {
	return knownType == typeClaudeCode || name == "auto_session" || name == "repo_dir"
}

func unlessEmpty(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}

// profileOfKnown is the profile of an agent of a known type. hooks are the points at which it asks before and reports after.
func profileOfKnown(o channelOptions, hooks []string) profile {
	model := core.ModelSession
	switch {
	case o.AutoSession:
		model = core.ModelAutoStart
	case !o.ChannelsEnabled:
		model = core.ModelPassive
	}
	return profile{
		ConnectionModel: &model, MessageExchange: true,
		PreInvocationMediation: hooks, PostInvocationMediation: []string{}, EventReporting: hooks,
		TaskProtocol: taskProtocol{CanDelegate: true, CanAccept: true},
		CommandCapabilities: commandCapabilities{
			Reset: dependsOnSession, Compact: dependsOnSession, Interrupt: dependsOnSession,
		},
	}
}

func rebuilt(options any, p profile) (core.Rebuilt, error) {
	stored, err := strictjson.Marshal(options)
	if err != nil {
		return core.Rebuilt{}, fmt.Errorf("encode options: %w", err)
	}
	encoded, err := strictjson.Marshal(p)
	if err != nil {
		return core.Rebuilt{}, fmt.Errorf("encode profile: %w", err)
	}
	return core.Rebuilt{Options: stored, Profile: core.Profile{Model: *p.ConnectionModel, JSON: encoded}}, nil
}

// knownOptions shows the options of an agent, and null for one without a known type.
func knownOptions(a core.Agent) *json.RawMessage {
	if a.KnownType == "" || len(a.Options) == 0 {
		return nil
	}
	return &a.Options
}
