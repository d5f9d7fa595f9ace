package core_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/mediadir"
	"stele/core/memlog"
)

// TestMediaIsKnownAfterARestart: which message carries what comes from the log or from the snapshot, and erasing the
// message closes its files.
func TestMediaIsKnownAfterARestart(t *testing.T) {
	ctx := context.Background()
	store, err := mediadir.Open(t.TempDir(), mediadir.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	log, snaps := memlog.New(), memlog.NewSnapshots()
	open := func(snapshots core.Snapshots) *core.Node {
		n, err := core.Open(ctx, log, core.Options{Media: store, Snapshots: snapshots})
		require.NoError(t, err)
		return n
	}
	n := open(snaps)
	ada, err := n.Register(ctx, core.Registration{Agent: core.Agent{Name: "ada", Handle: "ada"}})
	require.NoError(t, err)
	made, _, err := n.CreateRoom(ctx, core.CreateRoom{
		Facts: core.RoomFacts{Name: "r"}, Members: []core.NewMember{member(ada.Agent)},
	}, nil)
	require.NoError(t, err)
	m, err := n.PutMedia(ctx, strings.NewReader("content"))
	require.NoError(t, err)
	_, _, err = n.OpenMedia(ctx, ada.Agent.ID, made.Room, m.ID)
	require.ErrorIs(t, err, core.ErrNoMedia, "no message has it yet")
	want := core.Attachment{Media: m.ID, Filename: "f.txt", Type: m.Type, Size: m.Size}
	_, placed, err := n.PostMessage(ctx, made.Room, core.PostMessage{Sender: ada.Agent.ID, Attachments: []core.Attachment{want}}, nil)
	require.NoError(t, err)
	require.NoError(t, n.DropMedia(ctx, m.ID), "what a message has is not dropped")
	require.NoError(t, n.Close(ctx))

	for name, snapshots := range map[string]core.Snapshots{"from the snapshot": snaps, "from the log": nil} {
		t.Run(name, func(t *testing.T) {
			n := open(snapshots)
			f, got, err := n.OpenMedia(ctx, ada.Agent.ID, made.Room, m.ID)
			require.NoError(t, err)
			require.Equal(t, want, got)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, "content", string(b))
			require.NoError(t, f.Close())
			require.NoError(t, n.ViewRoom(ctx, made.Room, func(r *core.Room) {
				require.Equal(t, core.AppendAttachmentLines("", []core.Attachment{want}), r.Recent[0].Text)
			}))
			require.NoError(t, n.Close(ctx))
		})
	}
	require.NoError(t, log.Erase(ctx, core.RoomStream(made.Room), placed.Position))
	n = open(nil)
	_, _, err = n.OpenMedia(ctx, ada.Agent.ID, made.Room, m.ID)
	require.ErrorIs(t, err, core.ErrNoMedia)
	require.NoError(t, n.Close(ctx))
	require.NoError(t, log.Close())
}
