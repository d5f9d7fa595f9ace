package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/archive"
	"stele/core"
	"stele/core/sqlitelog"
)

// onDisk opens a node on an embedded log.
func onDisk(t *testing.T, dir string, o sqlitelog.Options) (*core.Node, func()) {
	t.Helper()
	log, err := sqlitelog.Open(dir, o)
	require.NoError(t, err)
	n, err := core.Open(context.Background(), log, core.Options{})
	require.NoError(t, err)
	return n, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
		require.NoError(t, log.Close())
	}
}

// long is a messages frame of many messages.
func long(messages int) []byte {
	var list, dates bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range messages {
		if i > 0 {
			list.WriteByte(',')
			dates.WriteByte(',')
		}
		fmt.Fprintf(&list, `{"role":"user","content":"message %d","seq":%d,"at":"%s"}`, i, i+1, at.Add(time.Duration(i)*time.Second).Format("2006-01-02T15:04:05.000Z"))
		fmt.Fprintf(&dates, `"snapshot.%d.at":["Date"]`, i)
	}
	return []byte(`{"json":{"v":1,"kind":"messages","snapshot":[` + list.String() + `]},"meta":{"values":{` + dates.String() + `},"v":1}}`)
}

// TestLongRoomOnDisk: far more events than the log commits or reads at once, in one unit, also after a restart.
func TestLongRoomOnDisk(t *testing.T) {
	const messages = 12_000
	dir := t.TempDir()
	n, end := onDisk(t, dir, sqlitelog.Options{})
	got := bring(t, n, long(messages), nil)
	require.Equal(t, messages, got.Messages)
	first := export(t, n, got.Room, false)
	end()
	n, end = onDisk(t, dir, sqlitelog.Options{})
	defer end()
	require.Len(t, conversation(t, n, got.Room), messages)
	require.Equal(t, lifted(first), lifted(export(t, n, got.Room, false)))
}

// TestFullDisk: an import that does not fit leaves nothing of itself, now and after a restart, and can be done again when
// there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	n, end := onDisk(t, dir, sqlitelog.Options{MaxPages: 64})
	a, err := archive.Read(t.Context(), bytes.NewReader(long(12_000)), archive.ReadOptions{})
	require.NoError(t, err)
	_, err = n.ImportRoom(t.Context(), core.ImportRoom{Events: a.Events})
	require.ErrorIs(t, err, core.ErrFull)
	require.Empty(t, n.Rooms())
	end()
	n, end = onDisk(t, dir, sqlitelog.Options{})
	defer end()
	require.Empty(t, n.Rooms())
	require.Equal(t, 12_000, bring(t, n, long(12_000), nil).Messages)
}
