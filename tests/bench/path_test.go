package bench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/sqlitelog"
)

var body = strings.Repeat("x", 256)

var writerCounts = []int{1, 16, 64, 256}

// minGrouping and minPath are budgets: 64 writers against one, and the whole path against the log alone.
const (
	minGrouping = 5.0
	minPath     = 0.5
)

// spread runs b.N operations on a number of writers, each on a stream of its own.
func spread(b *testing.B, writers int, op func(writer int)) (perSecond float64) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range writers {
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				op(w)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	perSecond = float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "events/s")
	if b.N < minEvents {
		return 0
	}
	return perSecond
}

// minEvents is how many events a rate must rest on before it is judged.
const minEvents = 1_000

// BenchmarkAppend appends what a posted message is, straight to the embedded log, and then posts messages through the
// node: decide, append, apply, reply. 64 writers must reach at least 5 times one writer, and the whole path at least half
// of the log alone.
func BenchmarkAppend(b *testing.B) {
	alone, path := map[int]float64{}, map[int]float64{}
	for _, writers := range writerCounts {
		b.Run(fmt.Sprintf("log/writers=%d", writers), func(b *testing.B) { alone[writers] = logAlone(b, writers) })
	}
	for _, writers := range writerCounts {
		b.Run(fmt.Sprintf("path/writers=%d", writers), func(b *testing.B) { path[writers] = commandToApplied(b, writers) })
	}
	if grouping := alone[64] / alone[1]; alone[1] > 0 && grouping < minGrouping {
		b.Errorf("64 writers append %.1f times as fast as one, at least %.1f is due", grouping, minGrouping)
	}
	for _, writers := range writerCounts {
		if ratio := path[writers] / alone[writers]; alone[writers] > 0 && path[writers] > 0 && ratio < minPath {
			b.Errorf("%d writers: the whole path reaches %.2f of the log alone, at least %.2f is due", writers, ratio, minPath)
		}
	}
}

func logAlone(b *testing.B, writers int) float64 {
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, log.Close()) }()
	last := make([]core.Position, writers)
	version := make([]uint64, writers)
	facts := []byte(`{"id":"msg_019b7ca9-8c88-7eb1-8424-fa63647b8931","turn":17,"sender":"agt_019b7ca9-8c88-7eb1-8424-fa63647b8931"}`)
	content := []byte(`{"sender_name":"alice","text":"` + body + `"}`)
	return spread(b, writers, func(w int) {
		version[w]++
		p, err := log.Append(context.Background(), core.RoomStream(fmt.Sprint(w)), last[w], []core.Event{{
			Kind: core.MessagePosted, Version: version[w], Body: facts, Content: content,
		}})
		if err != nil {
			b.Error(err)
			return
		}
		last[w] = p[0]
	})
}

func commandToApplied(b *testing.B, writers int) float64 {
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, log.Close()) }()
	n, err := core.Open(b.Context(), log, core.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, n.Close(context.Background())) }()
	alice, rooms := roomsOf(b, n, writers)
	return spread(b, writers, func(w int) {
		_, _, err := n.PostMessage(context.Background(), rooms[w], core.PostMessage{Sender: alice.ID, Text: body}, nil)
		if err != nil {
			b.Error(err)
		}
	})
}

func roomsOf(b *testing.B, n *core.Node, count int) (core.Agent, []string) {
	b.Helper()
	r, err := n.Register(b.Context(), core.Registration{Agent: core.Agent{Name: "alice", Handle: "alice"}})
	require.NoError(b, err)
	rooms := make([]string, count)
	for i := range rooms {
		made, _, err := n.CreateRoom(b.Context(), core.CreateRoom{
			Facts:   core.RoomFacts{Name: fmt.Sprint("room ", i)},
			Members: []core.NewMember{{Agent: r.Agent.ID, Name: "alice", Handle: "alice"}},
		}, nil)
		require.NoError(b, err)
		rooms[i] = made.Room
	}
	return r.Agent, rooms
}
