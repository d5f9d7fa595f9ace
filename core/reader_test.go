package core_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

func TestReaderSeesEverythingAfterItsJoinOnceInOrder(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice)
	post(t, n, room, alice, "before bob")
	r := n.NewAgentReader(bob.ID, 0)
	defer r.Close()
	require.NoError(t, n.JoinRoom(t.Context(), room, core.JoinRoom{Member: member(bob)}))
	for i := range 5 {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	got := take(t, r, 5)
	require.Equal(t, numbered(0, 5), texts(got))
	nothingLeft(t, r)
	require.Equal(t, n.Applied(), r.Cursor())
}

func TestAfterIsStrictAtEveryPosition(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	for i := range 10 {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	all := n.NewRoomReader(room, 0)
	defer all.Close()
	entries := take(t, all, 13)
	for i, e := range entries {
		r := n.NewRoomReader(room, e.Position)
		rest := take(t, r, len(entries)-i-1)
		for j, got := range rest {
			require.Equal(t, entries[i+1+j].Position, got.Position)
		}
		nothingLeft(t, r)
		r.Close()
	}
}

func TestReaderThatFallsOffTheRingReadsTheLog(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	slow := n.NewAgentReader(bob.ID, n.Applied())
	defer slow.Close()
	const count = 3_000
	for i := range count {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	got := take(t, slow, count)
	require.Equal(t, numbered(0, count), texts(got))
	nothingLeft(t, slow)
}

func TestReaderMergesManyRoomsInLogOrder(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	live := n.NewAgentReader(bob.ID, n.Applied())
	defer live.Close()
	rooms := make([]string, 30)
	for i := range rooms {
		rooms[i] = openRoom(t, n, alice, bob)
	}
	start := n.Applied()
	var wg sync.WaitGroup
	for _, room := range rooms {
		wg.Go(func() {
			for i := range 40 {
				post(t, n, room, alice, fmt.Sprintf("m%d", i))
			}
		})
	}
	got := take(t, live, 30*40)
	wg.Wait()
	late := n.NewAgentReader(bob.ID, start)
	defer late.Close()
	again := take(t, late, 30*40)
	for i := range got {
		require.Equal(t, got[i].Position, again[i].Position)
		if i > 0 {
			require.Less(t, got[i-1].Position, got[i].Position)
		}
	}
	nothingLeft(t, live)
	nothingLeft(t, late)
}

func TestReadersStartedWhileMessagesPourInMissNothing(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	const count = 1_500
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range count {
			post(t, n, room, alice, fmt.Sprintf("m%d", i))
		}
	})
	for range 20 {
		wg.Go(func() {
			r := n.NewAgentReader(bob.ID, 0)
			defer r.Close()
			require.Equal(t, numbered(0, count), texts(take(t, r, count)))
		})
	}
	wg.Wait()
}

func TestLeavingEndsWhatIsSeen(t *testing.T) {
	// A reader of rooms it is not a member of gets nothing from them, whatever cursor it names.
	n := newNode(t)
	alice, eve := register(t, n, "alice"), register(t, n, "eve")
	room := openRoom(t, n, alice)
	post(t, n, room, alice, "private")
	for _, cursor := range []core.Position{0, 1, 2, 1 << 53} {
		r := n.NewAgentReader(eve.ID, cursor)
		nothingLeft(t, r)
		r.Close()
	}
}

func TestEncodedOnceForAllReaders(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	slot := n.NewSlot()
	readers := make([]*core.Reader, 50)
	for i := range readers {
		readers[i] = n.NewRoomReader(room, n.Applied())
		defer readers[i].Close()
	}
	for i := range 20 {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	var mu sync.Mutex
	made := 0
	var wg sync.WaitGroup
	for _, r := range readers {
		wg.Go(func() {
			for _, e := range take(t, r, 20) {
				e.Encoded(slot, func(e *core.Entry) []byte {
					mu.Lock()
					defer mu.Unlock()
					made++
					return []byte(e.Payload.(*core.MessagePostedEvent).Text)
				})
			}
		})
	}
	wg.Wait()
	require.Equal(t, 20, made)
}

func TestHistoryFindsAnyVersionTurnAndTime(t *testing.T) {
	log := memlog.New()
	n := openNode(t, log, core.Options{})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	var ids []string
	for i := range 500 {
		ids = append(ids, post(t, n, room, alice, fmt.Sprintf("m%d", i)).Message)
	}
	h := n.HistoryOf(room)
	for _, version := range []uint64{0, 1, 3, 127, 128, 129, 256, 400, 502, 503, 9_999} {
		next := version + 1
		for e, err := range h.After(t.Context(), version) {
			require.NoError(t, err)
			require.Equal(t, next, e.Version)
			next++
		}
		require.Equal(t, max(504, version+1), next)
		p, err := h.PositionOf(t.Context(), version)
		require.NoError(t, err)
		r := n.NewRoomReader(room, p)
		got := take(t, r, int(503-min(503, version)))
		if len(got) > 0 {
			require.Equal(t, version+1, got[0].Version)
		}
		r.Close()
	}
	for _, turn := range []int{0, 1, 126, 127, 128, 499} {
		_, p, err := h.Message(t.Context(), ids[turn])
		require.NoError(t, err)
		require.Equal(t, turn, p.Turn)
	}
	for _, bad := range []string{"", "msg_", "nonsense", n.IDs().Message(n.Now(), 7), n.IDs().Message(n.Now(), 1<<31)} {
		_, _, err := h.Message(context.Background(), bad)
		require.ErrorIs(t, err, core.ErrNoMessage)
	}
	count := 0
	last := uint64(504)
	for e, err := range h.Back(t.Context(), n.Now().AddDate(1, 0, 0)) {
		require.NoError(t, err)
		require.Equal(t, last-1, e.Version)
		last = e.Version
		count++
	}
	require.Equal(t, 503, count)
}

// TestManyReadersThatKeepUpSkipNothing lets the tail and a hundred readers meet at every possible moment: a reader that
// trusted a mark which the tail had announced but not yet put on its list moved its cursor past what it had not read.
func TestManyReadersThatKeepUpSkipNothing(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	const count, readers = 10_000, 100
	var wg sync.WaitGroup
	for range readers {
		r := n.NewRoomReader(room, n.Applied())
		wg.Go(func() {
			defer r.Close()
			got := take(t, r, count)
			for i, e := range got {
				if e.Version != uint64(i+3) {
					t.Errorf("version %d came where %d was due", e.Version, i+3)
					return
				}
			}
		})
	}
	for i := range count {
		post(t, n, room, alice, fmt.Sprintf("m%d", i))
	}
	wg.Wait()
}

// TestReadersThatComeAndGoMissNothing opens and closes the only reader of a room while messages pour in: an event that
// was published to a topic whose last reader had just left was missing from the topic of the next one.
func TestReadersThatComeAndGoMissNothing(t *testing.T) {
	n := newNode(t)
	alice := register(t, n, "alice")
	room := openRoom(t, n, alice)
	const count = 10_000
	var wg sync.WaitGroup
	wg.Go(func() {
		for range count {
			post(t, n, room, alice, "x")
		}
	})
	cursor, version := core.Position(0), uint64(0)
	for version < count+2 {
		r := n.NewRoomReader(room, cursor)
		for _, e := range take(t, r, 1) {
			version++
			require.Equal(t, version, e.Version)
		}
		cursor = r.Cursor()
		r.Close()
	}
	wg.Wait()
}
