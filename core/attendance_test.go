package core_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func registerAs(t *testing.T, n *core.Node, handle, model string) core.Agent {
	t.Helper()
	r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle, Model: model}})
	require.NoError(t, err)
	return r.Agent
}

// TestAttendanceShows: a socket in a room is a claim of it, one elsewhere and a stream of no room are connections without
// one, for each model of connection; and it ends with them.
func TestAttendanceShows(t *testing.T) {
	const (
		live, gone, dormant = core.StatusLive, core.StatusDisconnected, core.StatusDormant
		noSession, manual   = core.StatusNoSession, core.StatusManualPoll
	)
	for _, tc := range []struct {
		model                            string
		absent, here, elsewhere, roaming core.Status
	}{
		{core.ModelAlwaysOn, gone, live, live, live},
		{core.ModelSession, noSession, live, noSession, noSession},
		{core.ModelAutoStart, gone, live, dormant, dormant},
		{core.ModelPassive, manual, live, manual, live},
		{"", manual, live, manual, live},
	} {
		t.Run(tc.model, func(t *testing.T) {
			log := memlog.New()
			n := openNode(t, log, core.Options{})
			a := registerAs(t, n, "ada", tc.model)
			room, other := openRoom(t, n, a), openRoom(t, n, a)
			require.Equal(t, tc.absent, n.Presence(a.ID, room))
			for place, want := range map[string]core.Status{room: tc.here, other: tc.elsewhere, "": tc.roaming} {
				leave := n.Attend(a.ID, place, "door")
				require.Equal(t, want, n.Presence(a.ID, room), place)
				leave()
				require.Equal(t, tc.absent, n.Presence(a.ID, room), place)
			}
		})
	}
}

// TestAttendanceIsCounted: of several sockets the last one counts, and leaving twice takes nobody else's place.
func TestAttendanceIsCounted(t *testing.T) {
	n := newNode(t)
	a := registerAs(t, n, "ada", core.ModelSession)
	room := openRoom(t, n, a)
	first, second := n.Attend(a.ID, room, "door"), n.Attend(a.ID, room, "door")
	first()
	first()
	require.Equal(t, core.StatusLive, n.Presence(a.ID, room))
	second()
	require.Equal(t, core.StatusNoSession, n.Presence(a.ID, room))

	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			leave := n.Attend(a.ID, room, "door")
			defer leave()
			require.Equal(t, core.StatusLive, n.Presence(a.ID, room))
		})
	}
	all.Wait()
	require.Equal(t, core.StatusNoSession, n.Presence(a.ID, room))
}

// TestAttendanceWakes whoever follows a room in which it may show, when it begins and when it ends, and nobody for a second
// socket beside the first.
func TestAttendanceWakes(t *testing.T) {
	n := newNode(t)
	a := registerAs(t, n, "ada", core.ModelAutoStart)
	room, other := openRoom(t, n, a), openRoom(t, n, a)
	watch := n.NewTypingReader(room)
	defer watch.Close()
	number := n.AttendanceIn(room)
	changed := func() bool {
		was := number
		number = n.AttendanceIn(room)
		require.Equal(t, was != number, woken(watch))
		return was != number
	}
	leave := n.Attend(a.ID, room, "door")
	require.True(t, changed())
	again := n.Attend(a.ID, room, "door")
	require.False(t, changed())
	leave()
	require.False(t, changed())
	again()
	require.True(t, changed())
	for _, place := range []string{other, ""} {
		leave := n.Attend(a.ID, place, "door")
		require.True(t, changed(), "it shows that it is there at all")
		leave()
		require.True(t, changed())
	}
}

// TestNobodyAttendsAfterARestart: what is known of a socket ends with the process that served it.
func TestNobodyAttendsAfterARestart(t *testing.T) {
	log := memlog.New()
	n, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	a := registerAs(t, n, "ada", core.ModelAlwaysOn)
	room := openRoom(t, n, a)
	n.Attend(a.ID, room, "door")
	require.Equal(t, core.StatusLive, n.Presence(a.ID, room))
	require.NoError(t, n.Close(t.Context()))
	n = openNode(t, log, core.Options{})
	require.Equal(t, core.StatusDisconnected, n.Presence(a.ID, room))
	defer n.Attend(a.ID, room, "door")()
	require.Equal(t, core.StatusLive, n.Presence(a.ID, room))
}

// TestACommandNeedsWhoeverAttends: an agent that obeys while it has a session obeys by a socket as well.
func TestACommandNeedsWhoeverAttends(t *testing.T) {
	n := newNode(t)
	r, err := n.Register(t.Context(), core.Registration{Agent: core.Agent{
		Name: "ada", Handle: "ada", Model: core.ModelSession,
		Profile: []byte(`{"command_capabilities":{"interrupt":"session_dependent"}}`),
	}})
	require.NoError(t, err)
	room := openRoom(t, n, r.Agent)
	send := func() core.CommandObstacle {
		_, err := n.SendCommand(t.Context(), room, core.SendCommand{
			Target: r.Agent.ID, Command: core.CommandInterrupt, By: core.Person{ID: "u", Name: "u"},
		})
		var refused *core.CommandRefusedError
		require.ErrorAs(t, err, &refused)
		return refused.Cause
	}
	require.Equal(t, core.ObstacleNotLive, send())
	defer n.Attend(r.Agent.ID, room, "door")()
	require.Equal(t, core.ObstacleNotReported, send(), "it is there; what it can is another question")
}
