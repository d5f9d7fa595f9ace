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

// spread runs b.N operations on a number of writers, each on a stream of its own.
func spread(b *testing.B, writers int, op func(writer int)) {
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkLogAlone appends what a posted message is, straight to the embedded log.
func BenchmarkLogAlone(b *testing.B) {
	for _, writers := range writerCounts {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, log.Close()) }()
			last := make([]core.Position, writers)
			version := make([]uint64, writers)
			facts := []byte(`{"id":"msg_019b7ca9-8c88-7eb1-8424-fa63647b8931","turn":17,"sender":"agt_019b7ca9-8c88-7eb1-8424-fa63647b8931"}`)
			content := []byte(`{"sender_name":"alice","text":"` + body + `"}`)
			spread(b, writers, func(w int) {
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
		})
	}
}

// BenchmarkCommandToApplied posts messages through the node: decide, append, apply, reply.
func BenchmarkCommandToApplied(b *testing.B) {
	for _, writers := range writerCounts {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, log.Close()) }()
			n, err := core.Open(b.Context(), log, core.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, n.Close(context.Background())) }()
			alice, rooms := roomsOf(b, n, writers)
			spread(b, writers, func(w int) {
				_, _, err := n.PostMessage(context.Background(), rooms[w], core.PostMessage{Sender: alice.ID, Text: body}, nil)
				if err != nil {
					b.Error(err)
				}
			})
		})
	}
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
