package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// TestRuntimeIsWrittenWhenItChanges, and what a report leaves out stays.
func TestRuntimeIsWrittenWhenItChanges(t *testing.T) {
	now, log := newClock(), memlog.New()
	n := openNode(t, log, core.Options{Now: now.Now})
	bob := register(t, n, "bob")
	room := openRoom(t, n, bob)
	link, none := "switch://s/1", ""
	_, known := n.Runtime(bob.ID, room)
	require.False(t, known)
	want := core.Runtime{}
	for i, step := range []struct {
		cmd    core.ReportRuntime
		writes bool
		change func(*core.Runtime)
	}{
		{core.ReportRuntime{State: "idle"}, true, func(r *core.Runtime) { r.State = "idle" }},
		{core.ReportRuntime{State: "idle"}, false, nil},
		{core.ReportRuntime{State: "working", Thread: "msg_1", Anchor: "msg_2", Detail: "d", Link: &link, Controls: map[string]bool{"reset": true}}, true, func(r *core.Runtime) {
			*r = core.Runtime{State: "working", Thread: "msg_1", Anchor: "msg_2", Detail: "d", Link: link, Controls: map[string]bool{"reset": true}}
		}},
		{core.ReportRuntime{State: "working", Thread: "msg_1", Anchor: "msg_2", Detail: "d"}, false, nil},
		{core.ReportRuntime{State: "working", Thread: "msg_1", Anchor: "msg_2", Detail: "d", Link: &link, Controls: map[string]bool{"reset": true}}, false, nil},
		{core.ReportRuntime{State: "working"}, true, func(r *core.Runtime) { r.Thread, r.Anchor, r.Detail = "", "", "" }},
		{core.ReportRuntime{State: "working", Link: &none}, true, func(r *core.Runtime) { r.Link = "" }},
		{core.ReportRuntime{State: "working", Controls: map[string]bool{}}, true, func(r *core.Runtime) { r.Controls = map[string]bool{} }},
		{core.ReportRuntime{State: "awaiting-input"}, true, func(r *core.Runtime) { r.State = "awaiting-input" }},
	} {
		now.Advance(time.Second)
		before := n.Applied()
		step.cmd.Room = room
		require.NoError(t, n.ReportRuntime(t.Context(), bob.ID, step.cmd))
		require.Equal(t, step.writes, n.Applied() > before, "step %d", i)
		if step.writes {
			step.change(&want)
			want.At = n.Now()
		}
		got, _ := n.Runtime(bob.ID, room)
		require.Equal(t, want, got, "step %d", i)
	}
	again := openNode(t, log, core.Options{NodeID: "again", Now: now.Now})
	got, _ := again.Runtime(bob.ID, room)
	want.Controls = got.Controls
	require.Equal(t, want, got)
}

func TestRuntimeRefusals(t *testing.T) {
	n := newNode(t)
	bob, carol := register(t, n, "bob"), register(t, n, "carol")
	room := openRoom(t, n, bob)
	long := strings.Repeat("x", core.MaxRuntimeDetail+1)
	many := map[string]bool{}
	for i := range core.MaxRuntimeControls + 1 {
		many[strings.Repeat("c", i+1)] = true
	}
	short := long[:core.MaxRuntimeLink+1]
	for name, tc := range map[string]struct {
		agent core.Agent
		cmd   core.ReportRuntime
		want  error
	}{
		"no room":       {bob, core.ReportRuntime{Room: "room_none", State: "idle"}, core.ErrNoRoom},
		"not a member":  {carol, core.ReportRuntime{Room: room, State: "idle"}, core.ErrNotMember},
		"state":         {bob, core.ReportRuntime{Room: room, State: "asleep"}, &core.InvalidError{Field: "state", Reason: `must be "working", "awaiting-input" or "idle"`}},
		"detail":        {bob, core.ReportRuntime{Room: room, State: "idle", Detail: long}, &core.TooLongError{Field: "detail", Unit: "bytes", Max: core.MaxRuntimeDetail, Got: len(long)}},
		"thread":        {bob, core.ReportRuntime{Room: room, State: "idle", Thread: long}, &core.TooLongError{Field: "thread_id", Unit: "bytes", Max: core.MaxRuntimeID, Got: len(long)}},
		"anchor":        {bob, core.ReportRuntime{Room: room, State: "idle", Anchor: long}, &core.TooLongError{Field: "anchor_event_id", Unit: "bytes", Max: core.MaxRuntimeID, Got: len(long)}},
		"link":          {bob, core.ReportRuntime{Room: room, State: "idle", Link: &short}, &core.TooLongError{Field: "deeplink_url", Unit: "bytes", Max: core.MaxRuntimeLink, Got: len(short)}},
		"many controls": {bob, core.ReportRuntime{Room: room, State: "idle", Controls: many}, &core.InvalidError{Field: "control_capabilities", Reason: "names too many controls"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := n.Applied()
			require.Equal(t, tc.want, n.ReportRuntime(t.Context(), tc.agent.ID, tc.cmd))
			require.Equal(t, before, n.Applied())
		})
	}
}

// TestSightingsCountAsPresence: one in a room like a claim, one in none like a connection without a claim, each for its
// time.
func TestSightingsCountAsPresence(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Millisecond})
	agents := map[string]core.Agent{}
	for _, model := range []string{core.ModelAlwaysOn, core.ModelSession, core.ModelAutoStart, core.ModelPassive} {
		r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: model, Handle: model, Model: model}})
		require.NoError(t, err)
		agents[model] = r.Agent
	}
	var all []core.Agent
	for _, a := range agents {
		all = append(all, a)
	}
	here, there := openRoom(t, n, all...), openRoom(t, n, all...)
	presence := func(room string) map[string]core.Status {
		out := map[string]core.Status{}
		for model, a := range agents {
			out[model] = n.Presence(a.ID, room)
		}
		return out
	}
	absent := map[string]core.Status{
		core.ModelAlwaysOn: core.StatusDisconnected, core.ModelSession: core.StatusNoSession,
		core.ModelAutoStart: core.StatusDisconnected, core.ModelPassive: core.StatusManualPoll,
	}
	around := map[string]core.Status{
		core.ModelAlwaysOn: core.StatusLive, core.ModelSession: core.StatusNoSession,
		core.ModelAutoStart: core.StatusDormant, core.ModelPassive: core.StatusManualPoll,
	}
	inRoom := map[string]core.Status{
		core.ModelAlwaysOn: core.StatusLive, core.ModelSession: core.StatusLive,
		core.ModelAutoStart: core.StatusLive, core.ModelPassive: core.StatusManualPoll,
	}
	require.Equal(t, absent, presence(here))
	for _, a := range agents {
		require.NoError(t, n.NoteInRoom(a.ID, here))
	}
	require.Equal(t, inRoom, presence(here))
	require.Equal(t, around, presence(there))
	now.Advance(core.SightingInRoom - time.Millisecond)
	require.Equal(t, inRoom, presence(here))
	now.Advance(time.Millisecond)
	require.Equal(t, absent, presence(here))

	for _, a := range agents {
		n.NoteAnywhere(a.ID)
	}
	require.Equal(t, around, presence(here))
	now.Advance(core.SightingAnywhere - time.Millisecond)
	require.Equal(t, around, presence(here))
	now.Advance(time.Millisecond)
	require.Equal(t, absent, presence(here))
	require.Eventually(t, func() bool { return n.Sightings() == 0 }, patience, time.Millisecond, "what is over is forgotten")

	stranger := register(t, n, "stranger")
	require.ErrorIs(t, n.NoteInRoom(stranger.ID, here), core.ErrNotMember)
	require.ErrorIs(t, n.NoteInRoom(stranger.ID, "room_none"), core.ErrNoRoom)
}
