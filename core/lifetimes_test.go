package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/core/sqlitelog"
	"stele/internal/testclock"
)

func TestDefaultLives(t *testing.T) {
	want := core.Lives{
		Session: 14 * 24 * time.Hour, RoomToken: 5 * time.Minute, RoomTokenSlide: time.Minute, HumanCode: 24 * time.Hour,
		Viewer: 45 * time.Second, Delivery: 30 * time.Minute, Claim: 45 * time.Second,
	}
	require.Equal(t, want, core.DefaultLives())
	require.Equal(t, want, newNode(t).Lives())
	own := openNode(t, memlog.New(), core.Options{Lives: core.Lives{RoomToken: 20 * time.Second, Viewer: -1}}).Lives()
	require.Equal(t, 20*time.Second, own.RoomToken)
	require.Equal(t, 10*time.Second, own.RoomTokenSlide, "half of a life at most")
	require.Equal(t, 45*time.Second, own.Viewer)
}

// TestPurgeDefaultsFollowTheHumanCode: a transcript is there as long as its code works.
func TestPurgeDefaultsFollowTheHumanCode(t *testing.T) {
	for _, tc := range []struct {
		opts             core.Options
		grace, retention time.Duration
	}{
		{core.Options{}, 24 * time.Hour, 48 * time.Hour},
		{core.Options{Lives: core.Lives{HumanCode: time.Hour}}, time.Hour, 2 * time.Hour},
		{core.Options{Lives: core.Lives{HumanCode: time.Hour}, Purge: core.PurgePolicy{Grace: 3 * time.Hour}}, 3 * time.Hour, 3 * time.Hour},
		{core.Options{Lives: core.Lives{HumanCode: 72 * time.Hour}, Purge: core.PurgePolicy{Grace: time.Minute}}, time.Minute, 144 * time.Hour},
	} {
		policy := openNode(t, memlog.New(), tc.opts).PurgeStanding().Policy
		require.Equal(t, [2]time.Duration{tc.grace, tc.retention}, [2]time.Duration{policy.Grace, policy.Retention})
	}
}

// restarted opens the log in the folder again and again, each time with other lives.
func restarted(t *testing.T, now *testclock.Clock, snapshots bool) (start func(core.Lives) *core.Node) {
	dir, stop := t.TempDir(), func() {}
	t.Cleanup(func() { stop() })
	return func(lives core.Lives) *core.Node {
		stop()
		log, err := sqlitelog.Open(dir, sqlitelog.Options{})
		require.NoError(t, err)
		snaps, err := sqlitelog.OpenSnapshots(dir)
		require.NoError(t, err)
		o := core.Options{Now: now.Now, SweepEvery: time.Hour, Lives: lives}
		if snapshots {
			o.Snapshots = snaps
		}
		n, err := core.Open(context.Background(), log, o)
		require.NoError(t, err)
		stop = func() {
			require.NoError(t, n.Close(context.Background()))
			require.NoError(t, snaps.Close())
			require.NoError(t, log.Close())
		}
		return n
	}
}

// TestUseNeverShortensARoomToken: also one from before tokens began to live for less.
func TestUseNeverShortensARoomToken(t *testing.T) {
	now := newClock()
	start := restarted(t, now, false)
	n := start(core.Lives{RoomToken: time.Hour})
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := turnsRoom(t, n, alice, bob, 0)
	token, until, err := n.MintRoomToken(t.Context(), alice.ID, room)
	require.NoError(t, err)
	require.Equal(t, now.Now().Add(time.Hour), until)
	n = start(core.Lives{RoomToken: 4 * time.Second, RoomTokenSlide: 2 * time.Second})
	use := func() time.Time {
		require.NoError(t, n.UseRoomToken(t.Context(), n.Authenticate(token)))
		return n.Authenticate(token).Until
	}
	head := n.Applied()
	require.Equal(t, until, use())
	now.Advance(time.Hour - 3*time.Second)
	require.Equal(t, until, use(), "the slide of now counts")
	require.Equal(t, head, n.Applied())
	now.Advance(time.Second)
	require.Equal(t, now.Now().Add(4*time.Second), use())
}

// TestDeliveryKeepsItsEnd: one that waits can be received and acknowledged until the moment that it was made with, whatever
// the node was told since; what comes after has the new life.
func TestDeliveryKeepsItsEnd(t *testing.T) {
	for name, lives := range map[string][2]time.Duration{
		"shorter": {time.Hour, time.Minute},
		"longer":  {time.Minute, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			start := restarted(t, now, true)
			n := start(core.Lives{Delivery: lives[0]})
			alice, bob := register(t, n, "alice"), register(t, n, "bob")
			first, second := turnsRoom(t, n, alice, bob, 0), turnsRoom(t, n, alice, bob, 0)
			old := n.Waiting(t.Context(), alice.ID)
			require.Len(t, old, 2)
			require.Equal(t, old[0].At.Add(lives[0]), old[0].Expires())
			require.NoError(t, n.Acknowledge(t.Context(), alice.ID, old[0].ID(alice.ID)))

			n = start(core.Lives{Delivery: lives[1]})
			post(t, n, second, alice, "hello")
			post(t, n, second, bob, "hello")
			post(t, n, first, alice, "hello")
			fresh := n.Waiting(t.Context(), bob.ID)[0]
			require.Equal(t, fresh.At.Add(lives[1]), fresh.Expires())
			now.Advance(lives[0] - time.Millisecond)
			require.True(t, n.Acknowledged(alice.ID, old[0].ID(alice.ID)))
			now.Advance(time.Millisecond)
			require.False(t, n.Acknowledged(alice.ID, old[0].ID(alice.ID)))
		})
	}
	t.Run("waiting", func(t *testing.T) {
		now := newClock()
		start := restarted(t, now, true)
		n := start(core.Lives{Delivery: time.Hour})
		alice, bob := register(t, n, "alice"), register(t, n, "bob")
		turnsRoom(t, n, alice, bob, 0)
		n = start(core.Lives{Delivery: time.Minute})
		now.Advance(time.Hour - time.Millisecond)
		waiting := n.Waiting(t.Context(), alice.ID)
		require.Len(t, waiting, 1)
		require.NoError(t, n.Acknowledge(t.Context(), alice.ID, waiting[0].ID(alice.ID)))
		require.Empty(t, n.Waiting(t.Context(), alice.ID), "what is handed out is taken back by an acknowledgement")
		require.True(t, n.Acknowledged(alice.ID, waiting[0].ID(alice.ID)))
	})
}

// TestClaimLife: a claim of a node that died is taken over when its life is over, and not before.
func TestClaimLife(t *testing.T) {
	now := newClock()
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour, Lives: core.Lives{Claim: 3 * time.Minute}})
	a, b := register(t, n, "ada"), register(t, n, "bert")
	hook(t, n, b, true)
	post(t, n, turnsRoom(t, n, a, b, 0), a, "one")
	mine, err := n.Claim(t.Context(), due(n)[0])
	require.NoError(t, err)
	require.True(t, mine)
	now.Advance(3*time.Minute - time.Millisecond)
	require.Empty(t, due(n))
	now.Advance(time.Millisecond)
	require.Len(t, due(n), 1)
}

// TestMessageLimitOfADoor: the one that the door names holds in place of the one for turns, and never lets in more bytes than
// any message may have.
func TestMessageLimitOfADoor(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	turns := turnsRoom(t, n, alice, bob, 0)
	say := func(characters, most int) error {
		text := make([]rune, characters)
		for i := range text {
			text[i] = '😀'
		}
		_, _, err := n.PostMessage(t.Context(), turns, core.PostMessage{
			Sender: alice.ID, Text: string(text), MaxCharacters: most,
		}, nil)
		return err
	}
	for _, tc := range []struct {
		characters, most int
		unit             string
		max              int
	}{
		{11, 10, "characters", 10},
		{core.MaxTurnsMessage + 1, 0, "characters", core.MaxTurnsMessage},
		{20_001, 20_000, "characters", 20_000},
		{core.MaxMessageBytes/4 + 1, 1 << 20, "bytes", core.MaxMessageBytes},
	} {
		var tooLong *core.TooLongError
		require.ErrorAs(t, say(tc.characters, tc.most), &tooLong)
		require.Equal(t, []any{tc.unit, tc.max}, []any{tooLong.Unit, tooLong.Max})
	}
	require.NoError(t, say(20_000, 20_000))
}
