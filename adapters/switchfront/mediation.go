package switchfront

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"stele/core"
	agentswitch "stele/switch"
)

// judge tells whether an agent may use a tool or a model.
type judge func(ctx context.Context, agent string, what ability) (allowed bool, err error)

// ability is a tool, or else a model, by its name.
type ability struct {
	tool bool
	name string
}

// registered allows what the agent registered, by its exact name: of the tools also those that come with its type.
func (f *Front) registered(_ context.Context, agent string, what ability) (bool, error) {
	a, ok := f.node.Agent(agent)
	if !ok {
		return false, core.ErrNoAgent
	}
	list := a.Models
	if what.tool {
		list = a.Tools
		known, _ := agentswitch.DescribeKnownAgent(a.KnownType, agentswitch.KnownOptions{})
		if slices.Contains(known.Tools, what.name) {
			return true, nil
		}
	}
	return slices.ContainsFunc(list, func(t core.Ability) bool { return t.Name == what.name }), nil
}

func (f *Front) mediationRoutes(agent *echo.Group) {
	agent.POST("/mediation/pre-tool-call", f.at(placeRoute, f.preToolCall))
	agent.POST("/mediation/pre-llm-request", f.at(placeRoute, f.preLLMRequest))
	agent.POST("/mediation/post-tool-result", f.at(placeRoute, f.postToolResult))
	agent.POST("/mediation/post-llm-response", f.at(placeRoute, f.postLLMResponse))
	agent.POST("/events/report", f.at(placeRoute, f.reportEvents))
}

// preToolCall answers POST …/mediation/pre-tool-call.
func (f *Front) preToolCall(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParsePreToolCall)
	if err != nil {
		return err
	}
	verdict, reason, err := f.verdict(c, agent, req.RoomID, ability{tool: true, name: req.ToolName})
	if err != nil {
		return err
	}
	return answer(c, agentswitch.ToolCallVerdict{Verdict: verdict, Reason: reason})
}

// preLLMRequest answers POST …/mediation/pre-llm-request.
func (f *Front) preLLMRequest(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParsePreLLMRequest)
	if err != nil {
		return err
	}
	verdict, reason, err := f.verdict(c, agent, req.RoomID, ability{name: req.Model})
	if err != nil {
		return err
	}
	return answer(c, agentswitch.LLMRequestVerdict{Verdict: verdict, Reason: reason})
}

// verdict judges before a call. Without a verdict in time the answer is a 404, as the protocol wants it.
func (f *Front) verdict(c echo.Context, agent, room string, what ability) (verdict string, reason *string, err error) {
	if err := f.checkMember(agent, room); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), f.mediationTimeout)
	defer cancel()
	allowed, err := f.judge(ctx, agent, what)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", nil, agentswitch.Refuse(http.StatusNotFound, "No verdict came within %s", f.mediationTimeout)
	case err != nil:
		return "", nil, err
	case allowed:
		return agentswitch.VerdictProceed, nil, nil
	}
	kind := "model"
	if what.tool {
		kind = "tool"
	}
	text := fmt.Sprintf("%q is no %s that this agent registered", cut(what.name), kind)
	return agentswitch.VerdictBlocked, &text, nil
}

// postToolResult answers POST …/mediation/post-tool-result. What came of a call is never held back.
func (f *Front) postToolResult(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParsePostToolResult)
	if err != nil {
		return err
	}
	return f.letPass(c, agent, req.RoomID)
}

// postLLMResponse answers POST …/mediation/post-llm-response, like postToolResult.
func (f *Front) postLLMResponse(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParsePostLLMResponse)
	if err != nil {
		return err
	}
	return f.letPass(c, agent, req.RoomID)
}

func (f *Front) letPass(c echo.Context, agent, room string) error {
	if err := f.checkMember(agent, room); err != nil {
		return err
	}
	return answer(c, agentswitch.ResultVerdict{Verdict: agentswitch.VerdictOK})
}
