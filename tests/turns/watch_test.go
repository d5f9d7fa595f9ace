package turns

import (
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// TestWatchersAreRefused: a room of turns has two speakers, and who else is in it from its creation on hears everything and is
// told whose turn it is when it speaks.
func TestWatchersAreRefused(t *testing.T) {
	w := newWorld(t)
	ada := newSwitchSpeaker(w, w.agent("ada"))
	bob := newEdgeSpeaker(w, w.agent("bob"))
	defer ada.leave()
	defer bob.leave()
	watchers := []speaker{}
	members := []core.NewMember{}
	add := func(a agent) { members = append(members, core.NewMember{Agent: a.id, Name: a.name, Handle: a.name}) }
	add(ada.who())
	add(bob.who())
	for _, door := range []string{"switch", "edge", "areyouai"} {
		s := doors[door](w, w.agent(door+"-watcher"))
		defer s.leave()
		watchers = append(watchers, s)
		add(s.who())
	}
	made, _, err := w.node.CreateRoom(w.ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "debate", Floor: core.FloorTurns, MaxTurns: 3}, Members: members,
	}, nil)
	require.NoError(t, err)
	for _, s := range append([]speaker{ada, bob}, watchers...) {
		s.enter(made.Room)
	}
	for turn, speaks := range []speaker{ada, bob, ada} {
		for _, s := range watchers {
			err := s.blurt("and I")
			require.ErrorContains(t, err, "turn of "+speaks.who().name)
			require.ErrorContains(t, err, "only watch")
		}
		require.NoError(t, speaks.say(line(turn)))
	}
	for _, s := range watchers {
		require.Eventually(t, func() bool { return len(s.heard()) == 3 }, patience, tick)
		require.Equal(t, []string{line(0), line(1), line(2)}, s.heard())
		require.False(t, s.await(), "a watcher is told of the end, and of no turn")
	}
}
