package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"stele/adapters/switchfront"
	"stele/core"
	agentswitch "stele/switch"
)

// agentsPage is the list of agents.
type agentsPage struct {
	Agents []agentRow
	// Query is what was looked for; More tells how many agents were left out.
	Query string
	More  int
	// Types are what can be registered, Draft what was typed, Problem why it did not work.
	Types   []agentType
	Draft   core.Agent
	Problem string
	// Key is that of the agent Made, shown this once.
	Made core.Agent
	Key  string
}

// agentRow is an agent in the list.
type agentRow struct {
	core.Agent
	Runs   string
	Person bool
	Rooms  int
	Status core.Status
	Doors  []amount
}

// agentType is something that an agent can be registered as.
type agentType struct{ ID, Text string }

// plainAgent is the type of an agent of which nothing is known.
const plainAgent = ""

func agentTypes() []agentType {
	return []agentType{
		{plainAgent, "anything else"},
		{agentswitch.AgentTypeClaudeCode, "Claude Code"},
		{agentswitch.AgentTypeCodex, "Codex CLI"},
		{agentswitch.AgentTypeOpenCode, "OpenCode CLI"},
	}
}

// maxAgents bounds the list.
const maxAgents = 200

func (c *Console) showAgents(v *visit) error {
	return c.agentsPage(v, http.StatusOK, agentsPage{Query: v.query("q")})
}

// agentsPage lists the agents that the user may see.
func (c *Console) agentsPage(v *visit, status int, page agentsPage) error {
	page.Types = agentTypes()
	wanted := strings.ToLower(page.Query)
	for _, a := range c.node.Agents() {
		switch {
		case !v.sees(a.Owner):
		case wanted != "" && a.ID != page.Query && !slices.ContainsFunc([]string{a.Handle, a.Name, a.Owner}, func(of string) bool {
			return strings.Contains(strings.ToLower(of), wanted)
		}):
		case len(page.Agents) == maxAgents:
			page.More++
		default:
			page.Agents = append(page.Agents, c.rowOf(v.ctx(), a))
		}
	}
	var more int
	page.Agents, more = fitting(page.Agents, listBytes, tableRowBytes, func(r agentRow) string { return r.Handle + r.Name + r.Owner + r.Runs })
	page.More += more
	return v.renderStatus(status, "agents", page)
}

func (c *Console) rowOf(ctx context.Context, a core.Agent) agentRow {
	rooms := c.node.RoomsOf(a.ID)
	row := agentRow{Agent: a, Runs: runs(a), Person: a.KnownType == core.KnownTypePerson, Rooms: len(rooms)}
	row.Status = c.statusIn(a.ID, rooms)
	doors := map[string]int{}
	c.countDoors(ctx, a.ID, doors)
	row.Doors = inOrder(doors)
	row.Handle, row.Name, row.Owner, row.Runs = nameShort(a.Handle), nameShort(a.Name), nameShort(a.Owner), nameShort(row.Runs)
	return row
}

// runs says what an agent runs on, as far as its registration told.
func runs(a core.Agent) string {
	if a.Connector != "" {
		return a.Connector
	}
	return a.KnownType
}

// statusIn is how present an agent is where it is most present.
func (c *Console) statusIn(agent string, rooms []core.Summary) core.Status {
	order := []core.Status{
		core.StatusLive, core.StatusDormant, core.StatusManualPoll, core.StatusNoSession, core.StatusDisconnected,
	}
	best := c.node.Presence(agent, "")
	for _, sum := range rooms {
		if best == core.StatusLive {
			break
		}
		if now := c.node.Presence(agent, sum.ID); slices.Index(order, now) < slices.Index(order, best) {
			best = now
		}
	}
	return best
}

// registerAgent makes an agent of the user's, as the registration routes of the protocols do.
func (c *Console) registerAgent(v *visit) error {
	name, description := v.field("name"), v.field("description")
	page := agentsPage{Draft: core.Agent{Name: name, Description: description, KnownType: v.field("type")}}
	agent, err := typed(page.Draft.KnownType)
	if err == nil {
		agent.Name, agent.Handle, agent.Description, agent.Owner = name, name, description, v.user.Name
		var made core.Registered
		if made, err = c.node.Register(v.ctx(), core.Registration{Agent: agent}); err == nil {
			return c.agentsPage(v, http.StatusOK, agentsPage{Types: agentTypes(), Made: made.Agent, Key: made.Key})
		}
	}
	f := statusOf(err)
	if f.status == http.StatusInternalServerError {
		return err
	}
	page.Problem = "Not done: " + f.sentence(err)
	return c.agentsPage(v, f.status, page)
}

// typed is the record of an agent of a type, but for what it is called.
func typed(knownType string) (core.Agent, error) {
	if !slices.ContainsFunc(agentTypes(), func(t agentType) bool { return t.ID == knownType }) {
		return core.Agent{}, &core.InvalidError{Field: "type", Reason: "must be one of those on the page"}
	}
	if knownType == plainAgent {
		return core.Agent{}, nil
	}
	return switchfront.KnownAgent(knownType, nil)
}
