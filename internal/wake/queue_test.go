package wake

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
)

// TestQueueAgreesWithItsFiles: whatever is done, memory and disk tell the same story, a room has one worker, and turns
// never go back.
func TestQueueAgreesWithItsFiles(t *testing.T) {
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := newFolder(filepath.Join(base, fmt.Sprint(runs)))
		dir.sync = func(*os.File) error { return nil }
		require.NoError(t, dir.make(wakesDir))
		now := time.Date(2026, 4, 2, 10, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		q, _, err := openQueue(dir, clock)
		require.NoError(t, err)
		working := map[string]*Wake{}
		newest := map[string]int64{}
		room := rapid.SampledFrom([]string{"room_1", "room_2", "../room_3"})
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				again, damaged, err := openQueue(dir, clock)
				require.NoError(t, err)
				require.Zero(t, damaged)
				require.Len(t, again.byRoom, len(q.byRoom))
				for id, w := range q.byRoom {
					got := *again.byRoom[id]
					require.True(t, got.unsure)
					got.unsure = w.unsure
					require.Equal(t, *w, got)
					require.Equal(t, newest[id], w.Turn)
				}
			},
			"add": func(t *rapid.T) {
				w := &Wake{RoomID: room.Draw(t, "room"), Turn: rapid.Int64Range(0, 5).Draw(t, "turn"), ActorID: "a"}
				known := q.knows(w)
				have := q.has(w.RoomID)
				require.NoError(t, q.add(w))
				require.True(t, q.knows(w))
				if !known {
					require.True(t, !have || w.Turn > newest[w.RoomID])
					newest[w.RoomID] = w.Turn
				}
				q.release(w.RoomID)
			},
			"take": func(t *rapid.T) {
				w, _ := q.take()
				if w == nil {
					return
				}
				require.Nil(t, working[w.RoomID])
				require.NotEqual(t, StageDone, w.Stage)
				working[w.RoomID] = w
			},
			"finish": func(t *rapid.T) {
				id := room.Draw(t, "room")
				w := working[id]
				if w == nil {
					return
				}
				stage := rapid.SampledFrom([]Stage{StageQueued, StageAccepted, StageDone}).Draw(t, "stage")
				current, err := q.update(w, func(w *Wake) {
					w.Stage, w.DueAt = stage, areyouai.NewTime(now.Add(time.Minute))
				})
				require.NoError(t, err)
				require.Equal(t, q.has(id) && newest[id] == w.Turn, current)
				delete(working, id)
				q.giveBack(id)
			},
			"drop": func(t *rapid.T) {
				id := room.Draw(t, "room")
				require.NoError(t, q.drop(id))
				require.False(t, q.has(id))
				delete(newest, id)
			},
			"wait": func(*rapid.T) { now = now.Add(time.Minute) },
		})
	})
}

// FuzzReadWake: no content of a file makes the queue fail or believe something impossible.
func FuzzReadWake(f *testing.F) {
	f.Add([]byte(`{"room_id":"room_1","next_turn":3,"next_actor_id":"a","stage":"queued","round":1,"attempts":0,"due_at":"2026-04-02T10:00:00Z"}`))
	f.Add([]byte(`{"room_id":"room_2","stage":"done","round":1}`))
	f.Add([]byte(`{"room_id":"room_1","stage":"calling","round":0}`))
	f.Add([]byte(`[`))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := newFolder(root)
		dir.sync = func(*os.File) error { return nil }
		require.NoError(t, dir.make(wakesDir))
		name := fileOf(wakesDir, "room_1")
		require.NoError(t, os.WriteFile(dir.path(name), data, fileMode))
		q, damaged, err := openQueue(dir, time.Now)
		require.NoError(t, err)
		require.Equal(t, 1, damaged+len(q.byRoom))
		for id, w := range q.byRoom {
			require.Equal(t, "room_1", id)
			require.GreaterOrEqual(t, w.Round, 1)
			require.GreaterOrEqual(t, w.Turn, int64(0))
		}
	})
}
