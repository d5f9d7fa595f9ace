package restore

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/areyouai"
	"stele/core"
	"stele/core/sqlitelog"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	agentswitch "stele/switch"
)

// patience is far more than anything here needs.
const patience = time.Minute

// life is one run of a gateway on a folder.
type life struct {
	url  string
	node *core.Node
	stop func()
}

func start(t *testing.T, dir string) *life {
	t.Helper()
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.NoError(t, err)
	snaps, err := sqlitelog.OpenSnapshots(dir)
	require.NoError(t, err)
	n, err := core.Open(t.Context(), log, core.Options{Snapshots: snaps})
	require.NoError(t, err)
	g := adapters.New(n, adapters.Options{})
	srv := httptest.NewServer(g.Handler())
	return &life{url: srv.URL, node: n, stop: func() {
		g.Drain()
		srv.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, errors.Join(n.Close(ctx), snaps.Close(), log.Close()))
	}}
}

// backup copies a folder, as a person who makes a backup does while nothing runs.
func backup(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(to))
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

func (l *life) post(t *testing.T, room, sender string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		_, _, err := l.node.PostMessage(t.Context(), room, core.PostMessage{Sender: sender, Text: fmt.Sprintf("m%d", i)}, nil)
		require.NoError(t, err)
	}
}

func TestCursorsFromALostLife(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	l := start(t, dir)
	ada, err := l.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
	require.NoError(t, err)
	bob, err := l.node.Register(t.Context(), core.Registration{Agent: core.Agent{Name: "bob", Handle: "bob"}})
	require.NoError(t, err)
	made, _, err := l.node.CreateRoom(t.Context(), core.CreateRoom{Facts: core.RoomFacts{Name: "ops"}, Members: []core.NewMember{
		{Agent: ada.Agent.ID, Name: "ada", Handle: "ada"}, {Agent: bob.Agent.ID, Name: "bob", Handle: "bob"},
	}}, nil)
	require.NoError(t, err)
	l.post(t, made.Room, bob.Agent.ID, 0, 50)
	kept := l.node.Applied()
	l.stop()
	saved := filepath.Join(t.TempDir(), "backup")
	backup(t, dir, saved)

	l = start(t, dir)
	l.post(t, made.Room, bob.Agent.ID, 50, 100)
	seen := l.node.Applied()
	l.stop()

	backup(t, saved, dir)
	l = start(t, dir)
	defer l.stop()
	for i := range 80 {
		_, _, err := l.node.PostMessage(t.Context(), made.Room, core.PostMessage{Sender: bob.Agent.ID, Text: fmt.Sprintf("new%d", i)}, nil)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	want := make([]string, 80)
	for i := range want {
		want[i] = fmt.Sprintf("new%d", i)
	}

	t.Run("switch", func(t *testing.T) {
		c, err := agentswitch.NewClient(agentswitch.Options{BaseURL: l.url, AgentID: ada.Agent.ID, APIKey: ada.Key})
		require.NoError(t, err)
		after := uint64(seen)
		var gap *agentswitch.Gap
		var got []string
		for frame, err := range c.OpenOnce(ctx, agentswitch.StreamOptions{Rooms: []string{made.Room}, After: &after}) {
			require.NoError(t, err)
			switch f := frame.(type) {
			case agentswitch.Gap:
				gap = &f
			case agentswitch.Event:
				if m, ok := f.Payload.(agentswitch.Message); ok {
					require.NotNil(t, gap, "the gap comes before what follows it")
					got = append(got, m.Body)
				}
			}
			if len(got) == len(want) {
				break
			}
		}
		require.Equal(t, want, got)
		require.EqualValues(t, kept, gap.ResumedAt)
		require.Contains(t, gap.Reason, "restarted")
	})

	t.Run("areyouai", func(t *testing.T) {
		c, err := areyouai.NewClient(l.url, areyouai.ClientOptions{APIKey: ada.Key})
		require.NoError(t, err)
		_, err = c.History(ctx, made.Room, 103, 200)
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
		var got []string
		since := int64(53)
		for len(got) < len(want) {
			page, err := c.History(ctx, made.Room, since, 30)
			require.NoError(t, err)
			require.NotEmpty(t, page.Items)
			for _, e := range page.Items {
				got = append(got, e.Ciphertext)
			}
			since = page.NextSince
		}
		require.Equal(t, want, got)
	})

	t.Run("edge", func(t *testing.T) {
		frames := make(chan edgeframes.Frame, 1000)
		c, err := edgeframes.NewClient("ws"+strings.TrimPrefix(l.url, "http")+"/agents/ada/ops", edgeframes.ClientOptions{
			Token: ada.Key, Subscribe: []edgeframes.Stream{edgeframes.StreamMessages},
			OnRaw: func(d edgeframes.Direction, text []byte) {
				if d == edgeframes.Received {
					if f, err := edgeframes.ParseKnown(text, superjson.Limits{}); err == nil {
						frames <- f
					}
				}
			},
		})
		require.NoError(t, err)
		c.Start(ctx)
		defer c.Close()
		require.NoError(t, c.Ready(ctx))
		var last uint64
		count := 0
		for f := range frames {
			if m, ok := f.(edgeframes.Messages); ok {
				for _, item := range append(m.Snapshot, m.Appended...) {
					require.Greater(t, item.Seq, last)
					last = item.Seq
					count++
				}
			}
			if _, ok := f.(edgeframes.Hello); ok {
				break
			}
		}
		require.Equal(t, 130, count)
		require.Greater(t, last, uint64(1)<<32, "numbers of the new life are none that the lost one gave")
	})
}
