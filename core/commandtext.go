package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
)

// CommandText is a command as a person writes it: "!reset @bob", "!interrupt @bob wait for me", "!compact-all-agents".
type CommandText struct {
	Command AgentCommand
	// All: it is for every agent in the room. Otherwise Target is the first "@token" without its "@", empty if there is none.
	All    bool
	Target string
	// Args is everything after the command's name, without white space around it.
	Args string
}

// allAgents ends the name of a command that is for every agent in the room.
const allAgents = "-all-agents"

// ParseCommandText reads what a person wrote; false when it is none of the commands that reach an agent.
func ParseCommandText(text string) (CommandText, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return CommandText{}, false
	}
	name, args := rest, ""
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	out := CommandText{Args: args}
	name, out.All = strings.CutSuffix(strings.ToLower(name), allAgents)
	out.Command = AgentCommand(name)
	if !out.Command.Known() {
		return CommandText{}, false
	}
	if _, after, found := strings.Cut(args, "@"); found && !out.All {
		end := 0
		for end < len(after) && isNameByte(after[end]) {
			end++
		}
		out.Target = after[:end]
	}
	return out, true
}

// CommandsSent tells what became of a command that a person wrote.
type CommandsSent struct {
	// Sent are the agents that were told.
	Sent []string
	// Refused are those that it was meant for and that were not, with what [Node.SendCommand] said.
	Refused map[string]error
}

// SendCommandText does what a person wrote: for one agent, named by its handle, its alias or a role that it holds live
// (each holder of a role that several hold), or for all agents in the room. A target that means nobody reaches nobody,
// which is no error. thread is the id of the message in which it was written, empty if it was in none. isCommand is false
// when the text is no such command. Errors: [ErrNoRoom], and whatever keeps all agents from being told.
func (n *Node) SendCommandText(ctx context.Context, room string, by Person, text, thread string) (out CommandsSent, isCommand bool, err error) {
	cmd, ok := ParseCommandText(text)
	if !ok {
		return CommandsSent{}, false, nil
	}
	holders := n.roleHolders(ctx, room)
	var targets []string
	if err := n.ViewRoom(ctx, room, func(r *Room) { targets = r.commanded(cmd, holders) }); err != nil {
		return CommandsSent{}, true, err
	}
	for _, target := range targets {
		_, err := n.SendCommand(ctx, room, SendCommand{
			By: by, Target: target, Command: cmd.Command, Args: cmd.Args, Thread: thread,
		})
		if ctx.Err() != nil {
			return out, true, ctx.Err()
		}
		if err != nil {
			set(&out.Refused, target, err)
			continue
		}
		out.Sent = append(out.Sent, target)
	}
	return out, true, nil
}

// commanded lists the agents that a command is for, in the order in which they joined.
func (r *Room) commanded(cmd CommandText, holders map[string][]string) (out []string) {
	means := func(*Member) bool { return cmd.All }
	if !cmd.All {
		means = r.meaning(cmd.Target, holders)
	}
	for id, m := range r.Members {
		if means(m) {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(r.Members[a].Joined, r.Members[b].Joined) })
	return out
}

// meaning tells whom a target means: first by handle, then by alias, then by role, as it stands and then without the
// marks that may end a sentence.
func (r *Room) meaning(target string, holders map[string][]string) func(*Member) bool {
	for _, name := range []string{target, strings.TrimRight(target, ".-_")} {
		if name == "" {
			continue
		}
		for _, means := range []func(*Member) bool{
			func(m *Member) bool { return strings.EqualFold(m.Handle, name) },
			func(m *Member) bool { return strings.EqualFold(m.Alias, name) },
			func(m *Member) bool { return slices.Contains(holders[strings.ToLower(name)], m.Agent) },
		} {
			for _, m := range r.Members {
				if means(m) {
					return means
				}
			}
		}
	}
	return func(*Member) bool { return false }
}
