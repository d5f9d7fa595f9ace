package core_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
)

// stubbornLog refuses to erase for as long as it is told to.
type stubbornLog struct {
	core.Log
	refuses atomic.Bool
	asked   atomic.Int32
}

func (l *stubbornLog) Erase(ctx context.Context, s core.Stream, upTo core.Position) error {
	l.asked.Add(1)
	if l.refuses.Load() {
		return errors.New("not now")
	}
	return l.Log.Erase(ctx, s, upTo)
}

// closedDuel makes a turns room in which two messages were said, and closes it.
func closedDuel(t testing.TB, n *core.Node) (room string, a, b core.Agent) {
	t.Helper()
	a, b = register(t, n, "ada"), register(t, n, "bob")
	room = turnsRoom(t, n, a, b, 10)
	post(t, n, room, a, "m0")
	post(t, n, room, b, "m1")
	closeRoom(t, n, room, a)
	return room, a, b
}

func closeRoom(t testing.TB, n *core.Node, room string, by core.Agent) {
	t.Helper()
	_, _, err := n.CloseRoom(t.Context(), room, core.CloseRoom{Actor: by.ID}, nil)
	require.NoError(t, err)
}

func stateIn(t testing.TB, n *core.Node, room string) (s core.RoomState) {
	t.Helper()
	require.NoError(t, n.ViewRoom(t.Context(), room, func(r *core.Room) { s = r.State }))
	return s
}

// logged lists what the log has of a room, oldest first, and how many of the events have content.
func logged(t testing.TB, log core.Log, room string) (out []core.Kind, whole int) {
	t.Helper()
	for rec, err := range log.Read(context.Background(), core.RoomStream(room), 0) {
		require.NoError(t, err)
		out = append(out, rec.Kind)
		if len(rec.Content)+len(rec.Receipt) > 0 {
			whole++
		}
	}
	return out, whole
}

// awaitErased waits until the log holds no content of a room.
func awaitErased(t testing.TB, log core.Log, room string) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, whole := logged(t, log, room)
		return whole == 0
	}, patience, time.Millisecond)
}

var duelPurged = []core.Kind{
	core.RoomCreated, core.MemberJoined, core.MemberJoined, core.RoomStateChanged, core.MessagePosted, core.MessagePosted,
	core.RoomStateChanged, core.RoomClosed, core.RoomStateChanged, core.RoomPurged,
}

// TestPurgeOnAccess: nobody has to sweep for a room's time to pass, and an access takes one step.
func TestPurgeOnAccess(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour})
	a := register(t, n, "ada")
	made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
		Facts:   core.RoomFacts{Name: "duel", Floor: core.FloorTurns, Listing: &core.Listing{ID: "lst_1", Agent: a.ID}},
		Members: []core.NewMember{member(a)}, TTL: time.Minute,
	}, nil)
	require.NoError(t, err)
	now.Advance(time.Minute + core.DefaultPurgeRetention)
	require.Equal(t, core.StateClosed, stateIn(t, n, made.Room), "one step: its time to live has passed just now")
	now.Advance(core.DefaultPurgeGrace - time.Millisecond)
	require.Equal(t, core.StateClosed, stateIn(t, n, made.Room))
	now.Advance(time.Millisecond)
	require.Equal(t, core.StatePurged, stateIn(t, n, made.Room))
	awaitErased(t, log, made.Room)

	var r core.Room
	require.NoError(t, n.ViewRoom(t.Context(), made.Room, func(live *core.Room) { r = *live }))
	require.Equal(t, now.Now(), r.PurgedAt)
	require.Equal(t, "duel", r.Name, "the bones stay")
	require.Equal(t, a.ID, r.Sides[0])
	_, err = n.Purge(t.Context(), "room_none")
	require.ErrorIs(t, err, core.ErrNoRoom)
}

// TestPurgeBySweep: a room that nobody asks for is purged too, and once.
func TestPurgeBySweep(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Millisecond, Purge: core.PurgePolicy{Grace: time.Minute}})
	room, _, _ := closedDuel(t, n)
	now.Advance(time.Minute)
	awaitErased(t, log, room)
	got, _ := logged(t, log, room)
	require.Equal(t, duelPurged, got)
	sum, _ := n.Room(room)
	require.Equal(t, core.StatePurged, sum.State)
}

// TestPurgeOnce: however many ask at once, there is one event, and it follows its change of state in the same unit.
func TestPurgeOnce(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute}})
	room, _, _ := closedDuel(t, n)
	now.Advance(time.Minute)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			if i%2 == 0 {
				_, _ = n.Purge(context.Background(), room)
			} else {
				_ = n.ViewRoom(context.Background(), room, func(r *core.Room) {})
			}
		})
	}
	all.Wait()
	got, _ := logged(t, log, room)
	require.Equal(t, duelPurged, got)
}

// TestWhatIsPurged: content of which rooms is destroyed, when, and for what reason.
func TestWhatIsPurged(t *testing.T) {
	const grace, most = time.Hour, 3 * time.Hour
	for _, tc := range []struct {
		name    string
		off     bool
		plain   bool
		watched bool
		after   time.Duration
		want    core.PurgeReason
	}{
		{name: "before the grace is over", after: grace - time.Millisecond},
		{name: "when it is over", after: grace, want: core.PurgedByGrace},
		{name: "somebody watches", watched: true, after: most - time.Millisecond},
		{name: "somebody watches for too long", watched: true, after: most, want: core.PurgedByRetention},
		{name: "never", off: true, after: 100 * most},
		{name: "a room of an owner's own", plain: true, after: 100 * most},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log, now := memlog.New(), newClock()
			n := openNode(t, log, core.Options{
				Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: grace, Retention: most, Off: tc.off},
			})
			a := register(t, n, "ada")
			facts := core.RoomFacts{Name: "r", Listing: &core.Listing{ID: "lst_1", Agent: a.ID}}
			if tc.plain {
				facts.Listing = nil
			}
			made, _, err := n.CreateRoom(t.Context(), core.CreateRoom{
				Facts: facts, Members: []core.NewMember{member(a)}, HumanCodeHash: core.HashSecret("code"),
			}, nil)
			require.NoError(t, err)
			var token string
			if tc.watched {
				token, err = n.JoinViewers(t.Context(), made.Room, "code")
				require.NoError(t, err)
			}
			closeRoom(t, n, made.Room, a)
			now.Advance(tc.after)
			if tc.watched {
				require.NoError(t, n.BeatViewer(made.Room, token))
			}
			if tc.want == "" {
				require.Equal(t, core.StateClosed, stateIn(t, n, made.Room))
				return
			}
			require.Equal(t, core.StatePurged, stateIn(t, n, made.Room))
			var last core.RoomPurgedEvent
			for e, err := range n.HistoryOf(made.Room).Back(t.Context(), time.Time{}) {
				require.NoError(t, err)
				last = *e.Payload.(*core.RoomPurgedEvent)
				break
			}
			require.Equal(t, tc.want, last.Reason)
		})
	}
}

// TestEraseIsTriedAgain: what could not be destroyed is, as soon as it can, by this process or the next.
func TestEraseIsTriedAgain(t *testing.T) {
	log, now := &stubbornLog{Log: memlog.New()}, newClock()
	log.refuses.Store(true)
	opts := core.Options{
		Now: now.Now, SweepEvery: time.Millisecond, Purge: core.PurgePolicy{Grace: time.Minute}, Snapshots: memlog.NewSnapshots(),
	}
	n, err := core.Open(t.Context(), log, opts)
	require.NoError(t, err)
	room, _, _ := closedDuel(t, n)
	now.Advance(time.Minute)
	require.Eventually(t, func() bool { now.Advance(15 * time.Second); return log.asked.Load() >= 2 }, patience, time.Millisecond)
	got, whole := logged(t, log, room)
	require.Equal(t, duelPurged, got)
	require.Equal(t, 3, whole)
	require.NoError(t, n.Close(t.Context()))

	log.refuses.Store(false)
	opts.SweepEvery = time.Hour
	before := log.asked.Load()
	again, err := core.Open(t.Context(), log, opts)
	require.NoError(t, err)
	awaitErased(t, log, room)
	require.Eventually(t, func() bool { sum, _ := again.Room(room); return sum.Erased }, patience, time.Millisecond)
	require.NoError(t, again.Close(t.Context()))
	require.Equal(t, before+1, log.asked.Load())

	last := openNode(t, log, opts)
	require.Equal(t, core.StatePurged, stateIn(t, last, room))
	require.Equal(t, before+1, log.asked.Load(), "what was seen destroyed is not destroyed again")
}

// TestReplayAfterErase: the erased log folds to what the node that purged has, with and without snapshots from before.
func TestReplayAfterErase(t *testing.T) {
	log, now, snaps := memlog.New(), newClock(), memlog.NewSnapshots()
	n, err := core.Open(t.Context(), log, core.Options{
		Now: now.Now, SweepEvery: time.Hour, Snapshots: snaps, Purge: core.PurgePolicy{Grace: time.Minute},
	})
	require.NoError(t, err)
	w := furnish(t, n)
	now.Advance(time.Minute)
	require.Equal(t, core.StatePurged, stateIn(t, n, w.room))
	awaitErased(t, log, w.room)
	state, index := stateOf(t, n, w.room), summaryOf(t, n, w.room)
	require.NotContains(t, state, "marker")
	require.NoError(t, n.Close(t.Context()))
	for name, opts := range map[string]core.Options{"with snapshots": {Snapshots: snaps}, "without": {}} {
		t.Run(name, func(t *testing.T) {
			opts.NodeID, opts.Now = name, now.Now
			again := openNode(t, log, opts)
			require.Equal(t, state, stateOf(t, again, w.room))
			got := summaryOf(t, again, w.room)
			require.Eventually(t, func() bool { got = summaryOf(t, again, w.room); return got.Erased }, patience, time.Millisecond)
			index.Erased = true
			require.Equal(t, index, got)
			_, reported := again.Runtime(w.ada.ID, w.room)
			require.False(t, reported)
			require.ErrorIs(t, again.BeatViewer(w.room, w.viewer), core.ErrNoViewer)
		})
	}
}

func summaryOf(t testing.TB, n *core.Node, room string) core.Summary {
	t.Helper()
	sum, ok := n.Room(room)
	require.True(t, ok)
	return sum
}

// TestReadersOfAPurgedRoom: what is gone is passed over, what the room's end was is told, live and from the log.
func TestReadersOfAPurgedRoom(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute}})
	room, a, b := closedDuel(t, n)
	live := n.NewAgentReader(b.ID, n.Applied())
	defer live.Close()
	behind := n.NewAgentReader(a.ID, 0)
	defer behind.Close()
	now.Advance(time.Minute)
	require.Equal(t, core.StatePurged, stateIn(t, n, room))
	awaitErased(t, log, room)
	require.IsType(t, &core.RoomPurgedEvent{}, take(t, live, 2)[1].Payload)
	nothingLeft(t, live)
	late := n.NewRoomReader(room, 0)
	defer late.Close()
	for _, r := range []*core.Reader{behind, late} {
		count := 8
		if r == behind {
			count = 6 // neither its own join nor what was before
		}
		got := take(t, r, count)
		require.Empty(t, texts(got))
		require.IsType(t, &core.RoomPurgedEvent{}, got[count-1].Payload)
		nothingLeft(t, r)
	}
	var shown []core.Kind
	for e, err := range n.HistoryOf(room).After(t.Context(), 0) {
		require.NoError(t, err)
		shown = append(shown, e.Kind)
	}
	require.NotContains(t, shown, core.MessagePosted)
	require.Len(t, shown, 8)
	_, _, err := n.HistoryOf(room).Message(t.Context(), "msg_0_x")
	require.ErrorIs(t, err, core.ErrNoMessage)
}

// TestCallbacksOutliveThePurge: what members are to be told of the end waits for them although the room is erased.
func TestCallbacksOutliveThePurge(t *testing.T) {
	log, now := memlog.New(), newClock()
	n := openNode(t, log, core.Options{Now: now.Now, SweepEvery: time.Hour, Purge: core.PurgePolicy{Grace: time.Minute}})
	a, b := register(t, n, "ada"), register(t, n, "bob")
	_, err := n.AddWebhook(t.Context(), b.ID, core.Webhook{ID: "whk_1", URL: "https://bob.example/", Enabled: true})
	require.NoError(t, err)
	room := turnsRoom(t, n, a, b, 10)
	closeRoom(t, n, room, a)
	now.Advance(time.Minute)
	require.Equal(t, core.StatePurged, stateIn(t, n, room))
	awaitErased(t, log, room)
	for _, want := range []core.Kind{core.RoomClosed, core.RoomPurged} {
		due, _ := n.DueCallbacks(10, func(string, string, string) bool { return false })
		require.Len(t, due, 1)
		require.Equal(t, want, due[0].Callback.Event)
		mine, err := n.Claim(t.Context(), due[0])
		require.NoError(t, err)
		require.True(t, mine)
		require.NoError(t, n.Settle(t.Context(), due[0], core.WebhookSettledEvent{Outcome: core.WebhookDelivered}))
	}
}
