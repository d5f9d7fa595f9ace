package switchfront

import (
	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// patchAgent answers PATCH /agents/{agent_id}: an agent changes what is known of it.
func (f *Front) patchAgent(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseAgentPatch)
	if err != nil {
		return err
	}
	cmd := core.ChangeAgent{Agent: agent, Description: req.Description, Metadata: req.Metadata}
	if req.Profile != nil {
		profile, err := profileOf(*req.Profile)
		if err != nil {
			return err
		}
		cmd.Profile = &profile
	}
	if _, err := f.node.ChangeAgent(c.Request().Context(), cmd); err != nil {
		return err
	}
	return answer(c, agentswitch.OK{OK: true})
}

// deleteAgent answers DELETE /agents/{agent_id}: an agent removes itself, for good.
func (f *Front) deleteAgent(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	if err := f.node.DeleteAgent(ctx, agent); err != nil {
		return err
	}
	return answer(c, agentswitch.OK{OK: true})
}
