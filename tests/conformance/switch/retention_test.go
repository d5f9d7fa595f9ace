package conformance

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRetainedEvents: a server that keeps few events per agent.
func TestRetainedEvents(t *testing.T) {
	t.Parallel()
	s := own(t, "--retain-events", "20")
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	fill := func(n int) {
		for i := range n {
			b.say(t, room, strconv.Itoa(i))
		}
	}
	// hear reads messages up to the last of fill.
	hear := func(t *testing.T, stream *stream, after, last int) (heard int) {
		t.Helper()
		for {
			e := stream.event(t, "message")
			require.Greater(t, e.sequence, after)
			after = e.sequence
			heard++
			if e.payload["body"] == strconv.Itoa(last) {
				return heard
			}
		}
	}
	fill(100)
	t.Run("at open", func(t *testing.T) {
		shows(t, "0.1-buffer-cap", "D16", "2.5-gap-watermark", "2.8-gap-open", "2.8-gap-fields", "2.8-gap-equal", "2.9-trim", "2.6-zero")
		stream := a.within(t, room, "start_from=0")
		require.Equal(t, 0.0, stream.state["cursor"])
		gap := shape(t, stream.control(t, "gap"), "from_sequence int, resumed_at int, reason string")
		require.Equal(t, gap["from_sequence"], gap["resumed_at"])
		require.Contains(t, gap["reason"], "re-read")
		resumed := int(gap["resumed_at"].(float64))
		require.Positive(t, resumed)
		heard := hear(t, stream, resumed, 99)
		require.LessOrEqual(t, heard, 20)
		require.Greater(t, heard, 10)
		equal := a.within(t, room, fmt.Sprintf("start_from=%d", resumed))
		require.Equal(t, heard, hear(t, equal, resumed, 99), "no gap for the position itself")
		below := a.within(t, room, fmt.Sprintf("start_from=%d", resumed-1))
		below.control(t, "gap")
		require.Equal(t, heard, hear(t, below, resumed, 99))
	})
	t.Run("in the middle", func(t *testing.T) {
		shows(t, "2.8-gap-middle", "2.7-7-gap", "2.8-gap-fields")
		stream := a.open(t)
		requested := stream.state["cursor"].(float64)
		fill(100)
		a.subscribe(t, stream.conn, room, true).is(200)
		stream.changed(t, room)
		gap := shape(t, stream.control(t, "gap"), "from_sequence int, resumed_at int, reason string")
		require.Equal(t, requested, gap["from_sequence"])
		require.Greater(t, gap["resumed_at"], requested)
		require.Contains(t, gap["reason"], "re-read")
		require.Contains(t, gap["reason"], strconv.Itoa(int(requested)))
		require.LessOrEqual(t, hear(t, stream, int(gap["resumed_at"].(float64)), 99), 20)
	})
}

// TestRetainedAge: a server that keeps events for a short time.
func TestRetainedAge(t *testing.T) {
	t.Parallel()
	s := own(t, "--retain-age", "3s")
	shows(t, "0.1-retention", "D16", "2.9-trim", "2.8-gap-open")
	a, b, _ := s.agents(t)
	room := a.room(t, a, b)
	b.say(t, room, "old")
	later(t, 4*time.Second)
	b.say(t, room, "young")
	stream := a.within(t, room, "start_from=0")
	gap := stream.control(t, "gap")
	require.Equal(t, gap["from_sequence"], gap["resumed_at"])
	require.Contains(t, gap["reason"], "re-read")
	stream.hears(t, "young")
}
