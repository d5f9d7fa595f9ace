package areyouai

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// maxContextRatio is how much dearer the context of a long room may be than that of a short one. It is far above what
// chance makes of equal work.
const maxContextRatio = 1.5

// minContexts is how many reads a cost must rest on before it is judged.
const minContexts = 500

// BenchmarkContext reads the context of a room of 10 messages and of one of 10,000, in turns, so that both meet the same
// machine. It renders the newest few messages, so both must cost the same.
func BenchmarkContext(b *testing.B) {
	lengths := [2]int{10, 10_000}
	var talks [2]*talk
	g := newGateway(b)
	for i, messages := range lengths {
		talks[i] = g.talk(b, i)
		g.fill(b, talks[i], messages)
	}
	var took [2][]time.Duration
	b.ReportAllocs()
	for b.Loop() {
		for i, t := range talks {
			began := time.Now()
			if _, err := t.sides[0].Context(b.Context(), t.room); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	var median [2]time.Duration
	for i, messages := range lengths {
		slices.Sort(took[i])
		median[i] = took[i][len(took[i])/2]
		b.ReportMetric(float64(median[i].Microseconds()), fmt.Sprintf("us/context@%d", messages))
	}
	if ratio := float64(median[1]) / float64(median[0]); b.N >= minContexts && ratio > maxContextRatio {
		b.Errorf("the context of %d messages costs %.2f times that of %d, at most %.1f is due", lengths[1], ratio, lengths[0], maxContextRatio)
	}
}

// fill lets the sides of a room say something a number of times.
func (g *gateway) fill(b *testing.B, t *talk, messages int) {
	b.Helper()
	for n := range messages {
		_, _, err := g.node.PostMessage(b.Context(), t.room, core.PostMessage{Sender: t.sides[n%2].id, Text: body}, nil)
		require.NoError(b, err)
	}
	c, err := t.sides[0].Context(b.Context(), t.room)
	require.NoError(b, err)
	require.EqualValues(b, messages, c.TurnIndex)
}
