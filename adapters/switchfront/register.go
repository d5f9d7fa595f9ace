package switchfront

import (
	"encoding/json"
	"fmt"

	"github.com/labstack/echo/v4"

	"stele/core"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// register answers POST /agents/register-known. The owner is whoever the registration token belongs to; an existing
// agent is replaced only for its owner, so that a token does not open other people's agents.
func (f *Front) register(c echo.Context) error {
	cred := credentialOf(c.Request().Context())
	if cred.Kind != core.RegistrationToken {
		return agentswitch.InvalidRegistrationToken()
	}
	body, err := f.body(c)
	if err != nil {
		return err
	}
	req, err := agentswitch.ParseRegisterRequest(body)
	if err != nil {
		return err
	}
	agent, err := agentFrom(req, cred.Owner)
	if err != nil {
		return err
	}
	made, err := f.node.Register(c.Request().Context(), core.Registration{Agent: agent, Overwrite: req.Overwrite})
	if err != nil {
		return err
	}
	return answer(c, agentswitch.RegisterAnswer{ID: made.Agent.ID, APIKey: made.Key})
}

// agentFrom makes the record of an agent of a known type.
func agentFrom(req agentswitch.RegisterRequest, owner string) (core.Agent, error) {
	options, err := agentswitch.ParseKnownOptions(req.AgentType, req.Options)
	if err != nil {
		return core.Agent{}, err
	}
	known, ok := agentswitch.DescribeKnownAgent(req.AgentType, options)
	if !ok {
		return core.Agent{}, fmt.Errorf("agent type %q has options but no description", req.AgentType)
	}
	profile, err := strictjson.Marshal(known.Profile)
	if err != nil {
		return core.Agent{}, fmt.Errorf("encode profile: %w", err)
	}
	stored, err := strictjson.Marshal(options)
	if err != nil {
		return core.Agent{}, fmt.Errorf("encode options: %w", err)
	}
	agent := core.Agent{
		Name: req.Name, Handle: req.Name, Description: req.Description, Owner: owner,
		Model: string(known.Profile.ConnectionModel), KnownType: req.AgentType, Connector: known.ConnectorType,
		Profile: json.RawMessage(profile), Options: json.RawMessage(stored),
	}
	if req.IconURL != nil {
		agent.IconURL = *req.IconURL
	}
	if req.ParentAgentID != nil {
		agent.Parent = *req.ParentAgentID
	}
	return agent, nil
}
