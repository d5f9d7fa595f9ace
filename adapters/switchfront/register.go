package switchfront

import (
	"encoding/json"
	"fmt"

	"github.com/labstack/echo/v4"

	"stele/core"
	"stele/core/operations"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// registering reads a request of one of the registration routes, which take a registration token and nothing else. The
// owner of what it makes is whoever that token belongs to; an existing agent is replaced only for its owner, so that a
// token does not open other people's agents.
func registering[T any](f *Front, c echo.Context, parse func(body []byte) (T, error)) (cred core.Credential, req T, err error) {
	if cred = credentialOf(c.Request().Context()); cred.Kind != core.RegistrationToken {
		return cred, req, agentswitch.InvalidRegistrationToken()
	}
	body, err := f.body(c)
	if err != nil {
		return cred, req, err
	}
	req, err = parse(body)
	return cred, req, err
}

// registerKnown answers POST /agents/register-known.
func (f *Front) registerKnown(c echo.Context) error {
	cred, req, err := registering(f, c, agentswitch.ParseRegisterRequest)
	if err != nil {
		return err
	}
	agent, err := KnownAgent(req.AgentType, req.Options)
	if err != nil {
		return err
	}
	agent.Name, agent.Handle, agent.Description = req.Name, req.Name, req.Description
	agent.IconURL, agent.Parent = textOf(req.IconURL), textOf(req.ParentAgentID)
	return f.makeAgent(c, core.Registration{Agent: agent, Token: cred, Overwrite: req.Overwrite})
}

// registerFull answers POST /agents.
func (f *Front) registerFull(c echo.Context) error {
	cred, req, err := registering(f, c, agentswitch.ParseFullRegistration)
	if err != nil {
		return err
	}
	profile, err := profileOf(req.Profile)
	if err != nil {
		return err
	}
	agent := core.Agent{
		Name: req.Name, Handle: req.Name, Description: req.Description, Connector: req.ConnectorType,
		Model: profile.Model, Profile: profile.JSON, IconURL: textOf(req.IconURL),
	}
	for _, t := range req.Tools {
		agent.Tools = append(agent.Tools, core.Ability{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	for _, m := range req.Models {
		agent.Models = append(agent.Models, core.Ability{Name: m.Name, Description: m.Description})
	}
	if len(req.Metadata) > 0 {
		if agent.Metadata, err = strictjson.Marshal(req.Metadata); err != nil {
			return fmt.Errorf("encode metadata: %w", err)
		}
	}
	return f.makeAgent(c, core.Registration{Agent: agent, Token: cred, Overwrite: req.Overwrite})
}

// makeAgent makes one agent and answers.
func (f *Front) makeAgent(c echo.Context, r core.Registration) error {
	made, err := f.node.Register(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return answer(c, agentswitch.RegisterAnswer{ID: made.Agent.ID, APIKey: made.Key})
}

// registerBulk answers POST /agents/register-known-bulk.
func (f *Front) registerBulk(c echo.Context) error {
	cred, req, err := registering(f, c, agentswitch.ParseBulkRegistration)
	if err != nil {
		return err
	}
	parent, ok := f.node.Agent(req.ParentAgentID)
	if !ok {
		return core.ErrNoAgent
	}
	var inherited map[string]json.RawMessage
	if len(parent.Options) > 0 {
		if inherited, err = strictjson.DecodeObject(parent.Options); err != nil {
			return fmt.Errorf("options of %s: %w", parent.ID, err)
		}
	}
	all := make([]core.Registration, len(req.Subagents))
	for i, sub := range req.Subagents {
		agent, err := KnownAgent(req.AgentType, req.OptionsOf(sub, inherited))
		if err != nil {
			return err
		}
		name := agentswitch.SubagentName(parent.Handle, sub.Name)
		agent.Name, agent.Handle, agent.Description, agent.Parent = name, name, sub.Description, parent.ID
		all[i] = core.Registration{Agent: agent, Token: cred, Overwrite: req.Overwrite}
	}
	made, err := f.node.RegisterAll(c.Request().Context(), parent.ID, all)
	if err != nil {
		return err
	}
	var out agentswitch.BulkAnswer
	for i, m := range made {
		out.Results = append(out.Results, agentswitch.BulkResult{
			SubagentName: req.Subagents[i].Name, Name: m.Agent.Handle, ID: m.Agent.ID, APIKey: m.Key,
		})
	}
	return answer(c, out)
}

// KnownAgent is the record of an agent of a known type, but for what it is called. The wire package judges the options
// as the protocol demands; what is made of them is the same as when they are changed later.
func KnownAgent(agentType string, options map[string]json.RawMessage) (core.Agent, error) {
	parsed, err := agentswitch.ParseKnownOptions(agentType, options)
	if err != nil {
		return core.Agent{}, err
	}
	known, ok := agentswitch.DescribeKnownAgent(agentType, parsed)
	if !ok {
		return core.Agent{}, fmt.Errorf("agent type %q has options but no description", agentType)
	}
	plain, err := agentswitch.MarshalOptions(parsed)
	if err != nil {
		return core.Agent{}, fmt.Errorf("encode options: %w", err)
	}
	built, err := operations.RebuildKnown(agentType, plain)
	if err != nil {
		return core.Agent{}, err
	}
	agent := core.Agent{
		Model: built.Profile.Model, Profile: built.Profile.JSON, KnownType: agentType, Options: built.Options,
		Connector: known.ConnectorType,
	}
	for _, tool := range known.Tools {
		agent.Tools = append(agent.Tools, core.Ability{Name: tool})
	}
	return agent, nil
}

func profileOf(p agentswitch.IntegrationProfile) (core.Profile, error) {
	encoded, err := strictjson.Marshal(p)
	if err != nil {
		return core.Profile{}, fmt.Errorf("encode profile: %w", err)
	}
	return core.Profile{Model: string(p.ConnectionModel), JSON: encoded}, nil
}

// textOf is the text, or none where it was null or left out.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
