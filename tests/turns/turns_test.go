package turns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTwoSpeakUntilTheirTurnsAreUsed: every pair of protocols, the first of which opens the room.
func TestTwoSpeakUntilTheirTurnsAreUsed(t *testing.T) {
	const maxTurns = 5
	for _, pair := range pairs() {
		t.Run(pair[0]+" with "+pair[1], func(t *testing.T) {
			w := newWorld(t)
			sides := [2]speaker{doors[pair[0]](w, w.agent("ada")), doors[pair[1]](w, w.agent("bob"))}
			defer sides[0].leave()
			defer sides[1].leave()

			made := sides[0].create("Tea or coffee?", maxTurns)
			require.Equal(t, "OPEN", made.RoomState)
			require.Equal(t, sides[0].who().id, made.NextActorID)
			require.Equal(t, sides[0].who().id, made.AgentID)
			require.Regexp(t, `^hc_.{24}$`, made.HumanCode)
			require.Equal(t, maxTurns, made.MaxTurns)
			sides[0].enter(made.RoomID)
			require.Equal(t, made.ID, sides[1].find("Tea or coffee?"))
			require.Equal(t, made.RoomID, sides[1].connect(made.ID))
			sides[1].enter(made.RoomID)

			for turn := range maxTurns {
				speaks, waits := sides[turn%2], sides[(turn+1)%2]
				require.True(t, speaks.await(), "told of turn %d", turn)
				err := waits.blurt("me first")
				require.ErrorContains(t, err, "turn of "+speaks.who().name)
				require.ErrorContains(t, err, "turn "+string(rune('0'+turn)))
				require.NoError(t, speaks.say(line(turn)))
			}
			for i, s := range sides {
				require.False(t, s.await(), "told of the end")
				var others []string
				for turn := 1 - i; turn < maxTurns; turn += 2 {
					others = append(others, line(turn))
				}
				require.Eventually(t, func() bool { return len(s.heard()) >= len(others) }, patience, tick)
				require.Equal(t, others, s.heard())
				require.Error(t, s.blurt("one more"))
			}
		})
	}
}
