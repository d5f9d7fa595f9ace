package archive_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/adapters/archive"
	"stele/core"
	"stele/core/mediadir"
	"stele/core/memlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is far more than anything here needs.
const patience = 60 * time.Second

type tb interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// openNode opens a node with a media store; end closes both.
func openNode(t testing.TB, o core.Options) (n *core.Node, end func()) {
	t.Helper()
	media, err := mediadir.Open(t.TempDir(), mediadir.Options{})
	require.NoError(t, err)
	o.Media = media
	n, err = core.Open(context.Background(), memlog.New(), o)
	require.NoError(t, err)
	return n, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
		require.NoError(t, media.Close())
	}
}

func newNode(t testing.TB, o core.Options) *core.Node {
	t.Helper()
	n, end := openNode(t, o)
	t.Cleanup(end)
	return n
}

func register(t tb, n *core.Node, handle string) core.Registered {
	t.Helper()
	r, err := n.Register(context.Background(), core.Registration{Agent: core.Agent{Name: handle, Handle: handle}})
	require.NoError(t, err)
	return r
}

func member(r core.Registered) core.NewMember {
	return core.NewMember{Agent: r.Agent.ID, Name: r.Agent.Name, Handle: r.Agent.Handle}
}

// export is a room as a file.
func export(t tb, n *core.Node, room string, media bool) []byte {
	t.Helper()
	x, err := n.ExportRoom(context.Background(), room)
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = archive.Write(context.Background(), &out, x, archive.WriteOptions{Log: n.LogID(), At: n.Now(), Media: media})
	require.NoError(t, err)
	return out.Bytes()
}

// bring imports a file.
func bring(t tb, n *core.Node, file []byte, change func(*core.ImportRoom)) core.RoomImported {
	t.Helper()
	a, err := archive.Read(context.Background(), bytes.NewReader(file), archive.ReadOptions{Media: n})
	require.NoError(t, err)
	cmd := core.ImportRoom{Events: a.Events, From: string(a.Form), Media: a.Media}
	if change != nil {
		change(&cmd)
	}
	got, err := n.ImportRoom(context.Background(), cmd)
	require.NoError(t, err)
	return got
}
