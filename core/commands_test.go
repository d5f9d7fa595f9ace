package core_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// obeying registers an agent whose profile says what it does with each command.
func obeying(t testing.TB, n *core.Node, handle, reset, interrupt string, policy *core.AddressingPolicy) core.Agent {
	t.Helper()
	r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: handle, Handle: handle, Owner: "olga", Model: core.ModelSession, Policy: policy,
		Profile: json.RawMessage(`{"command_capabilities":{"reset":"` + reset + `","interrupt":"` + interrupt + `"}}`),
	}})
	require.NoError(t, err)
	return r.Agent
}

var somebody = core.Person{ID: "u-1", Name: "Ada"}

func send(t testing.TB, n *core.Node, room string, to core.Agent, command core.AgentCommand, args string) error {
	t.Helper()
	_, err := n.SendCommand(t.Context(), room, core.SendCommand{By: somebody, Target: to.ID, Command: command, Args: args})
	return err
}

// lastCommand returns the newest event of a room, which must be a command.
func lastCommand(t testing.TB, n *core.Node, room string) *core.CommandSentEvent {
	t.Helper()
	for e, err := range n.HistoryOf(room).Back(t.Context(), time.Time{}) {
		require.NoError(t, err)
		require.IsType(t, &core.CommandSentEvent{}, e.Payload)
		return e.Payload.(*core.CommandSentEvent)
	}
	t.Fatal("the room is empty")
	return nil
}

// TestCommandPreconditions: what an agent's profile, its session and its newest report let through.
func TestCommandPreconditions(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	bob := obeying(t, n, "bob", "always", "session_dependent", nil)
	room, other := openRoom(t, n, bob), openRoom(t, n, bob)
	refused := func(command core.AgentCommand, cause core.CommandObstacle) {
		t.Helper()
		before := n.Applied()
		require.Equal(t, &core.CommandRefusedError{Agent: bob.ID, Command: command, Cause: cause}, send(t, n, room, bob, command, ""))
		require.Equal(t, before, n.Applied())
	}
	report := func(room string, controls map[string]bool) {
		t.Helper()
		require.NoError(t, n.ReportRuntime(t.Context(), bob.ID, core.ReportRuntime{Room: room, State: "working", Controls: controls}))
	}
	require.NoError(t, send(t, n, room, bob, core.CommandReset, "x"), "always")
	require.Empty(t, lastCommand(t, n, room).Args, "without a role a reset has no arguments")
	refused(core.CommandCompact, core.ObstacleUnsupported)
	refused(core.CommandInterrupt, core.ObstacleNotLive)
	report(room, map[string]bool{"interrupt": true})
	refused(core.CommandInterrupt, core.ObstacleNotLive)
	open(t, n, bob, "c-1", core.ScopeSingle, room)
	require.NoError(t, send(t, n, room, bob, core.CommandInterrupt, "now"))
	require.Equal(t, "now", lastCommand(t, n, room).Args)
	report(room, nil)
	require.NoError(t, send(t, n, room, bob, core.CommandInterrupt, ""), "what a report leaves out stays as it was")
	report(room, map[string]bool{"reset": true})
	refused(core.CommandInterrupt, core.ObstacleNotReported)
	report(room, map[string]bool{"interrupt": true})
	report(other, map[string]bool{"interrupt": false})
	require.NoError(t, send(t, n, room, bob, core.CommandInterrupt, ""), "what it said of another room does not count")
	now.Advance(6 * time.Second)
	refused(core.CommandInterrupt, core.ObstacleNotLive)
}

// TestCommandsCarryTheRole that the agent holds in that room.
func TestCommandsCarryTheRole(t *testing.T) {
	n := newNode(t)
	bob := obeying(t, n, "bob", "always", "always", nil)
	room, other := openRoom(t, n, bob), openRoom(t, n, bob)
	require.NoError(t, n.DefineRole(t.Context(), room, core.DefineRole{Actor: bob.ID, Name: "judge"}, nil))
	open(t, n, bob, "c-1", core.ScopeSingle, room)
	_, err := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: bob.ID, Role: "judge", Connection: "c-1"})
	require.NoError(t, err)
	require.NoError(t, send(t, n, room, bob, core.CommandReset, "ignored"))
	require.Equal(t, "judge", lastCommand(t, n, room).Args)
	require.NoError(t, send(t, n, room, bob, core.CommandInterrupt, "@bob stop"))
	require.Equal(t, "@bob stop", lastCommand(t, n, room).Args, "an interrupt carries what was written")
	require.NoError(t, send(t, n, other, bob, core.CommandReset, ""))
	require.Empty(t, lastCommand(t, n, other).Args)
}

// TestPolicyCoversCommands: whoever may not address an agent may not command it either.
func TestPolicyCoversCommands(t *testing.T) {
	n := newNode(t)
	rule := func(r core.AddressingRule) *core.AddressingPolicy {
		return &core.AddressingPolicy{Rules: []core.AddressingRule{r}}
	}
	everywhere := []string{"*"}
	for name, tc := range map[string]struct {
		policy *core.AddressingPolicy
		by     string
		want   error
	}{
		"open":           {nil, "u-1", nil},
		"no rules":       {&core.AddressingPolicy{}, "u-1", nil},
		"named":          {rule(core.AddressingRule{Rooms: everywhere, Users: []string{"u-0", "u-1"}}), "u-1", nil},
		"not named":      {rule(core.AddressingRule{Rooms: everywhere, Users: []string{"u-0"}}), "u-1", core.ErrNotPermitted},
		"owner":          {rule(core.AddressingRule{Rooms: everywhere, Owner: true}), "olga", nil},
		"not the owner":  {rule(core.AddressingRule{Rooms: everywhere, Owner: true}), "u-1", core.ErrNotPermitted},
		"agents only":    {rule(core.AddressingRule{Rooms: everywhere, Agents: []string{"u-1"}}), "u-1", core.ErrNotPermitted},
		"another room":   {rule(core.AddressingRule{Rooms: []string{"room_x"}, Users: []string{"u-1"}}), "u-1", core.ErrNotPermitted},
		"another folder": {rule(core.AddressingRule{Rooms: everywhere, Groups: []string{"g"}, Users: []string{"u-1"}}), "u-1", core.ErrNotPermitted},
	} {
		t.Run(name, func(t *testing.T) {
			agent := obeying(t, n, strings.ReplaceAll(name, " ", "-"), "always", "always", tc.policy)
			room := openRoom(t, n, agent)
			_, err := n.SendCommand(t.Context(), room, core.SendCommand{
				By: core.Person{ID: tc.by}, Target: agent.ID, Command: core.CommandReset,
			})
			require.Equal(t, tc.want, err)
		})
	}
}

func TestCommandRefusals(t *testing.T) {
	n := newNode(t)
	bob, carol := obeying(t, n, "bob", "always", "always", nil), obeying(t, n, "carol", "always", "always", nil)
	room, closed := openRoom(t, n, bob), openRoom(t, n, bob)
	_, _, err := n.CloseRoom(t.Context(), closed, core.CloseRoom{Actor: bob.ID}, nil)
	require.NoError(t, err)
	long := strings.Repeat("x", core.MaxCommandArgs+1)
	good := core.SendCommand{By: somebody, Target: bob.ID, Command: core.CommandInterrupt}
	for name, tc := range map[string]struct {
		room   string
		change func(*core.SendCommand)
		want   error
	}{
		"no room":       {"room_none", func(*core.SendCommand) {}, core.ErrNoRoom},
		"no agent":      {room, func(c *core.SendCommand) { c.Target = "agt_none" }, core.ErrNoAgent},
		"not here":      {room, func(c *core.SendCommand) { c.Target = carol.ID }, core.ErrNotInRoom},
		"no thread":     {room, func(c *core.SendCommand) { c.Thread = "msg_none" }, core.ErrNoMessage},
		"closed":        {closed, func(*core.SendCommand) {}, &core.RoomNotActiveError{Room: closed, State: core.StateClosed}},
		"unknown":       {room, func(c *core.SendCommand) { c.Command = "help" }, &core.InvalidError{Field: "command", Reason: "must be reset, compact or interrupt"}},
		"nobody":        {room, func(c *core.SendCommand) { c.By.ID = " " }, &core.InvalidError{Field: "user_id", Reason: "must not be blank"}},
		"long id":       {room, func(c *core.SendCommand) { c.By.ID = long[:257] }, &core.TooLongError{Field: "user_id", Unit: "bytes", Max: 256, Got: 257}},
		"long name":     {room, func(c *core.SendCommand) { c.By.Name = long[:257] }, &core.TooLongError{Field: "user_name", Unit: "bytes", Max: 256, Got: 257}},
		"long args":     {room, func(c *core.SendCommand) { c.Args = long }, &core.TooLongError{Field: "args", Unit: "bytes", Max: core.MaxCommandArgs, Got: len(long)}},
		"invalid UTF-8": {room, func(c *core.SendCommand) { c.Args = "\xff" }, &core.InvalidError{Field: "command", Reason: "must be valid UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, cmd := n.Applied(), good
			tc.change(&cmd)
			_, err := n.SendCommand(t.Context(), tc.room, cmd)
			require.Equal(t, tc.want, err)
			require.Equal(t, before, n.Applied())
		})
	}
	for _, profile := range []string{``, `{}`, `[]`, `{"command_capabilities":{"reset":"sometimes"}}`, `{"command_capabilities":{"reset":true}}`} {
		r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "odd", Profile: json.RawMessage(profile)}, DeriveHandle: true})
		require.NoError(t, err)
		err = send(t, n, openRoom(t, n, r.Agent), r.Agent, core.CommandReset, "")
		require.Equal(t, &core.CommandRefusedError{Agent: r.Agent.ID, Command: core.CommandReset, Cause: core.ObstacleUnsupported}, err, profile)
	}
}

func TestParseCommandText(t *testing.T) {
	for text, want := range map[string]core.CommandText{
		"!reset @bob":                   {Command: core.CommandReset, Target: "bob", Args: "@bob"},
		"  !RESET   @Bob.  ":            {Command: core.CommandReset, Target: "Bob.", Args: "@Bob."},
		"!compact":                      {Command: core.CommandCompact},
		"!interrupt\t@a-b_c.1, wait @x": {Command: core.CommandInterrupt, Target: "a-b_c.1", Args: "@a-b_c.1, wait @x"},
		"!interrupt wait":               {Command: core.CommandInterrupt, Args: "wait"},
		"!interrupt @":                  {Command: core.CommandInterrupt, Args: "@"},
		"!reset-all-agents":             {Command: core.CommandReset, All: true},
		"!interrupt-all-agents @bob":    {Command: core.CommandInterrupt, All: true, Args: "@bob"},
	} {
		got, ok := core.ParseCommandText(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "!", "reset @bob", "! reset @bob", "!resets", "!reset@bob", "!help", "!all-agents", "!-all-agents", "a !reset @bob"} {
		_, ok := core.ParseCommandText(text)
		require.False(t, ok, text)
	}
}

// FuzzParseCommandText: whatever people write, what comes out was written.
func FuzzParseCommandText(f *testing.F) {
	for _, text := range []string{"!reset @bob", "!interrupt-all-agents now", "! x", "!compact\u2003@a@b", "!RESET\n@\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cmd, ok := core.ParseCommandText(text)
		if !ok {
			require.Zero(t, cmd)
			return
		}
		require.True(t, cmd.Command.Known())
		require.Contains(t, strings.ToLower(text), "!"+string(cmd.Command))
		require.Contains(t, text, cmd.Args)
		require.Equal(t, strings.TrimSpace(cmd.Args), cmd.Args)
		require.False(t, cmd.All && cmd.Target != "")
		if cmd.Target != "" {
			require.Contains(t, cmd.Args, "@"+cmd.Target)
			require.Regexp(t, `^[A-Za-z0-9._-]+$`, cmd.Target)
		}
	})
}

// TestCommandTextFindsItsTarget by handle, by alias, by a role that is held, or by none.
func TestCommandTextFindsItsTarget(t *testing.T) {
	n := newNode(t)
	bob, carol := obeying(t, n, "bob", "always", "always", nil), obeying(t, n, "carol", "always", "always", nil)
	mute := obeying(t, n, "mute", "unsupported", "unsupported", nil)
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts: core.RoomFacts{Name: "ops"},
		Members: []core.NewMember{
			{Agent: carol.ID, Name: "carol", Handle: "carol"},
			{Agent: bob.ID, Name: "bob", Handle: "bob", Alias: "boss"},
			{Agent: mute.ID, Name: "mute", Handle: "mute"},
		},
	}, nil)
	require.NoError(t, err)
	room := made.Room
	require.NoError(t, n.DefineRole(t.Context(), room, core.DefineRole{Actor: bob.ID, Name: "Judge"}, nil))
	for _, a := range []core.Agent{bob, carol} {
		open(t, n, a, "c-"+a.Handle, core.ScopeSingle, room)
		_, err := n.AssumeRole(t.Context(), room, core.AssumeRole{Agent: a.ID, Role: "Judge", Connection: "c-" + a.Handle})
		require.NoError(t, err)
	}
	refused := &core.CommandRefusedError{Agent: mute.ID, Command: core.CommandReset, Cause: core.ObstacleUnsupported}
	for text, want := range map[string]core.CommandsSent{
		"!reset @BOB":         {Sent: []string{bob.ID}},
		"!reset @bob.":        {Sent: []string{bob.ID}},
		"!reset @boss now":    {Sent: []string{bob.ID}},
		"!reset @judge":       {Sent: []string{carol.ID, bob.ID}},
		"!reset @dora @bob":   {},
		"!reset":              {},
		"!reset @":            {},
		"!reset @...":         {},
		"!reset @mute":        {Refused: map[string]error{mute.ID: refused}},
		"!reset-all-agents":   {Sent: []string{carol.ID, bob.ID}, Refused: map[string]error{mute.ID: refused}},
		"!reset-all-agents @": {Sent: []string{carol.ID, bob.ID}, Refused: map[string]error{mute.ID: refused}},
	} {
		got, isCommand, err := n.SendCommandText(t.Context(), room, somebody, text, "")
		require.NoError(t, err, text)
		require.True(t, isCommand, text)
		require.Equal(t, want, got, text)
	}
	_, isCommand, err := n.SendCommandText(t.Context(), room, somebody, "hello", "")
	require.NoError(t, err)
	require.False(t, isCommand)
	_, _, err = n.SendCommandText(t.Context(), "room_none", somebody, "!reset @bob", "")
	require.ErrorIs(t, err, core.ErrNoRoom)

	root := post(t, n, room, carol, "root")
	reply, _, err := n.PostMessage(t.Context(), room, core.PostMessage{Sender: carol.ID, Text: "reply", Thread: root.Message}, nil)
	require.NoError(t, err)
	_, _, err = n.SendCommandText(t.Context(), room, somebody, "!interrupt @bob stop", reply.Message)
	require.NoError(t, err)
	got := lastCommand(t, n, room)
	require.Equal(t, core.CommandFacts{Target: bob.ID, Command: "interrupt", User: "u-1", Thread: root.Message}, got.CommandFacts)
	require.Equal(t, core.CommandTexts{Args: "@bob stop", UserName: "Ada"}, got.CommandTexts)
}
