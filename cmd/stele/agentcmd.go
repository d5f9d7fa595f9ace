package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"stele/core"
)

// defaultPerson is who commands agents, unless --as says otherwise.
const defaultPerson = "operator"

// newAgentCommand makes the commands for agents.
func newAgentCommand(out *output) *cobra.Command {
	o := &operator{out: out}
	list := o.owned(&cobra.Command{
		Use: "list", Short: "List the agents by name", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.listAgents(cmd.Context()) },
	}, "list only those of this owner")
	rotate := o.owned(&cobra.Command{
		Use: "rotate-key NAME", Short: "Give an agent a new API key and show it this once", Args: cobra.ExactArgs(1),
		Long: "Give an agent, named by its name or id, a new API key. The old one and all sessions made with it end at once.\n" +
			"The new one is shown this once; the log keeps only its hash.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.rotateKey(cmd.Context(), args[0]) },
	}, ownerUsage)
	remove := o.owned(&cobra.Command{
		Use: "delete NAME", Short: "Remove an agent for good", Args: cobra.ExactArgs(1),
		Long: "Remove an agent, named by its name or id, for good: its key and sessions are dead at once, its streams end, it\n" +
			"leaves every room, and its name is free. What it said stays.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.deleteAgent(cmd.Context(), args[0]) },
	}, ownerUsage)
	policy := o.owned(&cobra.Command{
		Use: "policy NAME open|owner-agents|FILE.json", Short: "Say who may address an agent", Args: cobra.ExactArgs(2),
		Long: "Say who may address an agent, named by its name or id: everybody (open), its owner and the\n" +
			"agents of its owner (owner-agents), or whoever matches one of the rules in a file:\n\n" +
			`  {"rules": [{"rooms": ["*"], "users": [], "agents": ["agt_…"], "owner": false, "owner_agents": true}]}` + "\n\n" +
			"A rule lets in whoever is in one of its rooms (ids, or \"*\" for all) and, if it has \"groups\", in a room of one of\n" +
			"those, and is one of its users or agents (ids), the owner in person, or an agent of the same owner. What others\n" +
			"write still shows in the room; it does not notify the agent. The policy covers commands and tasks as well.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.setPolicy(cmd.Context(), args[0], args[1]) },
	}, ownerUsage)
	return o.family("agent", "List agents, rotate their keys, say who may address them, command and delete them",
		list, rotate, remove, policy, o.commandCommand())
}

const ownerUsage = "whose agent it must be"

func (o *operator) commandCommand() *cobra.Command {
	var req commandTo
	cmd := o.owned(&cobra.Command{
		Use: "command NAME reset|compact|interrupt", Short: "Tell an agent in a room to do something with itself", Args: cobra.ExactArgs(2),
		Long: "Tell an agent, named by its name or id, to reset or compact its context, or to interrupt its work. It must be in\n" +
			"the room and obey the command, and its policy must let the person command it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Agent, req.Command, req.ofOwner = args[0], core.AgentCommand(args[1]), o.ofOwner
			return o.sendCommand(cmd.Context(), req)
		},
	}, ownerUsage)
	f := cmd.Flags()
	f.StringVar(&req.Room, flagRoom, "", "id of the room, or its name where only one room has it; needed")
	f.StringVar(&req.Args, flagArgs, "", "what to tell it beside the command")
	f.StringVar(&req.As, flagAs, defaultPerson, "the person that the agent is told about, and that its policy must let in")
	return cmd
}

func (o *operator) listAgents(ctx context.Context) error {
	agents, err := ask(ctx, o.data, listAgents(), o.ofOwner)
	if err != nil {
		return err
	}
	return o.print(agents, func() {
		o.table("NAME\tID\tOWNER\tRUNS\tROOMS\tADDRESSED BY\tCREATED", func(w *tabwriter.Writer) {
			for _, a := range agents {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", a.Name, a.ID, orDash(a.Owner),
					orDash(cmp.Or(a.KnownType, a.Connector)), a.Rooms, a.addressedBy(), second(a.CreatedAt))
			}
		})
	})
}

// addressedBy says in short who may address the agent.
func (a agentInfo) addressedBy() string {
	if a.Policy == nil {
		return "everybody"
	}
	return fmt.Sprintf("its rules (%d)", len(a.Policy.Rules))
}

func (o *operator) rotateKey(ctx context.Context, agent string) error {
	if err := o.mustBeSeen(); err != nil {
		return err
	}
	made, err := ask(ctx, o.data, rotateKey(), whichAgent{ofOwner: o.ofOwner, Agent: agent})
	if err != nil {
		return err
	}
	err = o.print(made, func() { fmt.Fprintf(o.out, "API key of %s (shown this once): %s\n", made.Name, made.Key) })
	if err != nil {
		return fmt.Errorf("%w: the new key of %s could not be shown and is lost, and the old one is dead; rotate it again", err, made.Name)
	}
	return nil
}

func (o *operator) deleteAgent(ctx context.Context, agent string) error {
	gone, err := ask(ctx, o.data, deleteAgent(), whichAgent{ofOwner: o.ofOwner, Agent: agent})
	if err != nil {
		return err
	}
	return o.print(gone, func() { fmt.Fprintf(o.out, "deleted %s (%s)\n", gone.Name, gone.ID) })
}

func (o *operator) setPolicy(ctx context.Context, agent, policy string) (err error) {
	req := policyOf{whichAgent: whichAgent{ofOwner: o.ofOwner, Agent: agent}}
	switch policy {
	case openToAll, openToOwner:
		req.Named = policy
	default:
		if req.Policy, err = readPolicy(policy); err != nil {
			return err
		}
	}
	changed, err := ask(ctx, o.data, setPolicy(), req)
	if err != nil {
		return err
	}
	return o.print(changed, func() { fmt.Fprintf(o.out, "%s may be addressed by: %s\n", changed.Name, changed.addressedBy()) })
}

func (o *operator) sendCommand(ctx context.Context, req commandTo) error {
	if req.Room == "" {
		return errors.New("--" + flagRoom + " must say in which room")
	}
	sent, err := ask(ctx, o.data, sendCommand(), req)
	if err != nil {
		return err
	}
	return o.print(sent, func() { fmt.Fprintf(o.out, "told %s in %s to %s\n", sent.Name, sent.Room, sent.Command) })
}
