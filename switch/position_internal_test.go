package agentswitch

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPositionAfterFrames(t *testing.T) {
	at := func(cursor uint64) position { return position{cursor: cursor, placed: true} }
	gap := func(resumed uint64, reason string) Gap { return Gap{ResumedAt: resumed, Reason: reason} }
	for _, tt := range []struct {
		name  string
		from  position
		frame Frame
		id    string
		want  position
	}{
		{"the first frame places", position{}, ConnectionState{Cursor: 7}, "", at(7)},
		{"a stale cursor in it does not", at(9), ConnectionState{Cursor: 7}, "", at(9)},
		{"nor one ahead", at(9), ConnectionState{Cursor: 70}, "", at(9)},
		{"an event moves", at(9), Event{Sequence: 10}, "10", at(10)},
		{"an event places", position{}, Event{Sequence: 10}, "10", at(10)},
		{"an old event does not", at(9), Event{Sequence: 3}, "3", at(9)},
		{"a frame that was not understood moves", at(9), nil, "10", at(10)},
		{"but not by an id that is none", at(9), nil, "ten", at(9)},
		{"events expired at open", at(9), GapExpiredAtOpen(20), "", at(20)},
		{"events expired on the way", at(9), GapExpired(9, 20), "", at(20)},
		{"a gap places", position{}, GapExpired(9, 20), "", at(20)},
		{"an expiry does not lower", at(9), gap(3, "rooms must be re-read"), "", at(9)},
		{"a restart lowers", at(500), GapRestarted(3), "", at(3)},
		{"a restart to nothing lowers", at(500), GapRestarted(0), "", at(0)},
		{"a restart may raise", at(5), GapRestarted(30), "", at(30)},
		{"an eviction leaves it", at(9), Evicted{}, "", at(9)},
		{"claims leave it", at(9), SubscriptionChanged{}, "", at(9)},
		{"a keepalive leaves it", at(9), Keepalive{}, "", at(9)},
	} {
		require.Equal(t, tt.want, tt.from.after(tt.frame, tt.id), tt.name)
	}
}

// The cursor goes back for a restart and for nothing else.
func TestPositionIsNeverLoweredButByARestart(t *testing.T) {
	sequence := rapid.Uint64Range(0, 50)
	rapid.Check(t, func(t *rapid.T) {
		var p position
		for range rapid.IntRange(1, 30).Draw(t, "frames") {
			var frame Frame
			id := ""
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				n := sequence.Draw(t, "sequence")
				frame, id = Event{Sequence: n}, strconv.FormatUint(n, 10)
			case 1:
				frame = ConnectionState{Cursor: sequence.Draw(t, "cursor")}
			case 2:
				frame = GapExpired(0, sequence.Draw(t, "dropped"))
			case 3:
				frame = GapRestarted(sequence.Draw(t, "head"))
			default:
				frame = SubscriptionChanged{}
			}
			next := p.after(frame, id)
			gap, isGap := frame.(Gap)
			if isGap && gap.Restarted() {
				require.Equal(t, gap.ResumedAt, next.cursor)
			} else if p.placed {
				require.GreaterOrEqual(t, next.cursor, p.cursor)
			}
			require.True(t, next.placed || !p.placed, "a place is not forgotten")
			p = next
		}
	})
}
