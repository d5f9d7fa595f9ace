package core

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"stele/internal/strictjson"
)

// AgentCommand is what a person can tell an agent to do with itself.
type AgentCommand string

// The commands (Switch protocol: those that reach an agent).
const (
	CommandReset     AgentCommand = "reset"
	CommandCompact   AgentCommand = "compact"
	CommandInterrupt AgentCommand = "interrupt"
)

// Known tells whether there is such a command.
func (c AgentCommand) Known() bool {
	return c == CommandReset || c == CommandCompact || c == CommandInterrupt
}

// Bounds of a command, in bytes.
const (
	MaxCommandArgs = 8 << 10
	// MaxPersonText bounds a person's id and name.
	MaxPersonText = 256
)

// Person is somebody who is no agent.
type Person struct {
	// ID is stable, and what addressing policies and ownership go by. Name is what agents are told.
	ID, Name string
}

// SendCommand tells an agent in a room to do something with itself.
type SendCommand struct {
	By      Person
	Target  string
	Command AgentCommand
	// Args is what the person wrote after an interrupt. The other commands carry the role that the agent holds in the room.
	Args string
	// Thread is the id of a message of the room under which the agent is to answer: the one that the command was written
	// in, if it was one. Empty: at top level.
	Thread string
	// refusal is why the agent does not obey, as far as the node knows; it is set by the node.
	refusal error
}

// CommandRefusedError: the agent cannot be told to do that at the moment.
type CommandRefusedError struct {
	Agent   string
	Command AgentCommand
	Cause   CommandObstacle
}

func (e *CommandRefusedError) Error() string {
	return fmt.Sprintf("agent %s does not obey %s: %s", e.Agent, e.Command, e.Cause)
}

// CommandObstacle is why an agent does not obey a command.
type CommandObstacle string

// The obstacles.
const (
	// ObstacleUnsupported: its profile says that it never does.
	ObstacleUnsupported CommandObstacle = "it does not support that command"
	// ObstacleNotLive: only a session obeys, and none is in the room.
	ObstacleNotLive CommandObstacle = "it has no session in this room"
	// ObstacleNotReported: the session in the room did not say that it obeys.
	ObstacleNotReported CommandObstacle = "its session in this room did not report that it can"
)

func (c SendCommand) decide(r *Room, _ Env) ([]Payload, struct{}, error) {
	switch {
	case !r.Exists():
		return nil, struct{}{}, ErrNoRoom
	case r.State == StateClosed || r.State == StatePurged:
		return nil, struct{}{}, &RoomNotActiveError{Room: r.ID, State: r.State}
	case r.Members[c.Target] == nil:
		return nil, struct{}{}, ErrNotInRoom
	case c.refusal != nil:
		return nil, struct{}{}, c.refusal
	}
	return []Payload{&CommandSentEvent{
		CommandFacts: CommandFacts{Target: c.Target, Command: string(c.Command), User: c.By.ID, Thread: c.Thread},
		CommandTexts: CommandTexts{Args: c.Args, UserName: c.By.Name},
	}}, struct{}{}, nil
}

// check holds the command against its bounds. It may come from where no parser was before it.
func (c SendCommand) check() error {
	switch {
	case !c.Command.Known():
		return &InvalidError{Field: "command", Reason: "must be reset, compact or interrupt"}
	case strings.TrimSpace(c.By.ID) == "":
		return &InvalidError{Field: "user_id", Reason: "must not be blank"}
	}
	if !utf8.ValidString(c.By.ID) || !utf8.ValidString(c.By.Name) || !utf8.ValidString(c.Args) {
		return &InvalidError{Field: "command", Reason: "must be valid UTF-8"}
	}
	return firstError(
		checkBytes("user_id", c.By.ID, MaxPersonText),
		checkBytes("user_name", c.By.Name, MaxPersonText),
		checkBytes("args", c.Args, MaxCommandArgs),
	)
}

// SendCommand tells an agent in a room to do something with itself; that agent alone is told. Errors: [ErrNoRoom],
// [ErrNoAgent], [ErrNotInRoom], [ErrNotPermitted], [ErrNoMessage] for an unknown thread, *[CommandRefusedError],
// *[RoomNotActiveError], *[TooLongError], *[InvalidError].
func (n *Node) SendCommand(ctx context.Context, room string, cmd SendCommand) (Placed, error) {
	if err := cmd.check(); err != nil {
		return Placed{}, err
	}
	if _, ok := n.index.summary(room); !ok {
		return Placed{}, ErrNoRoom
	}
	target, ok := n.Agent(cmd.Target)
	if !ok {
		return Placed{}, ErrNoAgent
	}
	if cmd.Thread != "" {
		root, err := n.ThreadRoot(ctx, room, cmd.Thread)
		if err != nil {
			return Placed{}, err
		}
		cmd.Thread = root
	}
	if cmd.Command != CommandInterrupt {
		cmd.Args = ""
		if lease, ok := n.LiveLease(ctx, target.ID); ok && lease.Room == room {
			cmd.Args = lease.Role
		}
	}
	cmd.refusal = n.commandRefusal(cmd, target, room)
	if err := n.expireFirst(ctx, room); err != nil {
		return Placed{}, err
	}
	_, placed, err := onRoom(ctx, n, room, cmd, nil)
	return placed, err
}

// commandRefusal tells why an agent does not obey, nil when it does (Switch protocol: preconditions of commands).
func (n *Node) commandRefusal(cmd SendCommand, target Agent, room string) error {
	refused := func(cause CommandObstacle) error {
		return &CommandRefusedError{Agent: target.ID, Command: cmd.Command, Cause: cause}
	}
	if !n.MayCommand(cmd.By.ID, target.ID, room) {
		return ErrNotPermitted
	}
	switch commandSupport(target.Profile, cmd.Command) {
	case "always":
		return nil
	case "session_dependent":
	default:
		return refused(ObstacleUnsupported)
	}
	if n.Presence(target.ID, room) != StatusLive {
		return refused(ObstacleNotLive)
	}
	if report, ok := n.Runtime(target.ID, room); !ok || !report.Controls[string(cmd.Command)] {
		return refused(ObstacleNotReported)
	}
	return nil
}

// commandSupport is what an agent's profile says about a command; a profile that says nothing does not support it.
func commandSupport(profile json.RawMessage, command AgentCommand) string {
	var p struct {
		Commands map[string]string `json:"command_capabilities"`
	}
	if len(profile) == 0 || strictjson.Unmarshal(profile, &p) != nil {
		return ""
	}
	return p.Commands[string(command)]
}

// MayCommand tells whether a person may command an agent in a room: whoever may address it.
func (n *Node) MayCommand(person, target, room string) (may bool) {
	sum, _ := n.Room(room)
	n.directory.view(func(d *Directory) {
		if t := d.Agents[target]; t != nil {
			may = t.Policy.mayCommand(*t, person, room, sum.Group)
		}
	})
	return may
}
