package scripts_test

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts"
	"stele/core"
	"stele/core/mediadir"
	"stele/core/memlog"
)

var update = flag.Bool("update", false, "write the golden files anew")

// world is a node in which everything is the same each time: time stands until a step is taken, and chance is not.
type world struct {
	t    *testing.T
	ctx  context.Context
	node *core.Node
	ms   *atomic.Int64
}

// chance gives the same bytes each time, to whoever asks for them.
type chance struct {
	mu  sync.Mutex
	src *rand.ChaCha8
}

func (c *chance) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.src.Read(p)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), ms: &atomic.Int64{}}
	w.ms.Store(time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC).UnixMilli())
	now := func() time.Time { return time.UnixMilli(w.ms.Load()).UTC() }
	ids := core.IDs{Random: &chance{src: rand.NewChaCha8([32]byte{1})}}
	media, err := mediadir.Open(t.TempDir(), mediadir.Options{IDs: ids, Now: now})
	require.NoError(t, err)
	w.node, err = core.Open(w.ctx, memlog.New(), core.Options{
		Now: now, IDs: ids, Media: media, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Hour},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, w.node.Close(ctx))
	})
	return w
}

// did takes a step in time after something was done.
func (w *world) did(err error) {
	w.t.Helper()
	require.NoError(w.t, err)
	w.ms.Add(1234)
}

func (w *world) agent(handle, name string) core.Agent {
	w.t.Helper()
	made, err := w.node.Register(w.ctx, core.Registration{Agent: core.Agent{
		Name: name, Handle: handle, Owner: "olga", Model: core.ModelSession,
		Profile: []byte(`{"command_capabilities":{"reset":"always","interrupt":"always"}}`),
	}})
	w.did(err)
	return made.Agent
}

func (w *world) says(room string, who core.Agent, text, thread string, files ...core.Attachment) string {
	w.t.Helper()
	posted, _, err := w.node.PostMessage(w.ctx, room, core.PostMessage{Sender: who.ID, Text: text, Thread: thread, Attachments: files}, nil)
	w.did(err)
	return posted.Message
}

func (w *world) file(name, content string) core.Attachment {
	w.t.Helper()
	m, err := w.node.PutMedia(w.ctx, strings.NewReader(content))
	w.did(err)
	return core.Attachment{Media: m.ID, Filename: name, Type: m.Type, Size: m.Size}
}

// history is all that happened in a room.
func (w *world) history(room string) (out []*core.Entry) {
	w.t.Helper()
	for e, err := range w.node.HistoryOf(room).After(w.ctx, 0) {
		require.NoError(w.t, err)
		out = append(out, e)
	}
	return out
}

// golden is a conversation in all scripts, and from whose place it is seen.
type golden struct {
	opts    scripts.Options
	entries []*core.Entry
}

// goldens tells the stories, by the name of their files.
func goldens(t *testing.T) map[string]golden {
	t.Helper()
	return map[string]golden{"harbour": harbour(t), "quay": quay(t)}
}

func goldenFile(name string, s scripts.Script) string {
	return filepath.Join("testdata", name+"."+string(s))
}

// TestGoldenFiles compares what the scripts look like with what they looked like.
func TestGoldenFiles(t *testing.T) {
	kinds := map[core.Kind]bool{}
	for name, g := range goldens(t) {
		for _, e := range g.entries {
			kinds[e.Kind] = true
		}
		for _, s := range scripts.All() {
			got := written(t, s, g.opts, g.entries...)
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(goldenFile(name, s), []byte(got), 0o644))
			}
			want, err := os.ReadFile(goldenFile(name, s))
			require.NoError(t, err)
			require.Equal(t, string(want), got, "%s in %s: -update writes it anew", name, s)
		}
	}
	for _, kind := range core.RoomKinds() {
		require.True(t, kinds[kind], "no story tells of %s", kind)
	}
}

// TestEachGoldenFileComesFromEachOther translates every file into every script.
func TestEachGoldenFileComesFromEachOther(t *testing.T) {
	for name, g := range goldens(t) {
		for _, from := range scripts.All() {
			text, err := os.ReadFile(goldenFile(name, from))
			require.NoError(t, err)
			for _, to := range scripts.All() {
				dec, err := scripts.NewDecoder(from, bytes.NewReader(text), g.opts)
				require.NoError(t, err)
				enc, err := scripts.NewEncoder(to, g.opts)
				require.NoError(t, err)
				var got bytes.Buffer
				require.NoError(t, scripts.Translate(t.Context(), &got, enc, dec), "%s from %s to %s", name, from, to)
				want, err := os.ReadFile(goldenFile(name, to))
				require.NoError(t, err)
				require.Equal(t, string(want), got.String(), "%s from %s to %s", name, from, to)
			}
		}
	}
}
