package core_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/memlog"
	"stele/internal/testclock"
)

// TestSweepIsLeftOutAfterAStall: when a round comes more than half a round late, 3 s after the last by default, it is left
// out, also when it is only the clock that was put forward and leases have lapsed by it. Clients that beat again at once
// are told so one by one. The round after that is an ordinary one.
func TestSweepIsLeftOutAfterAStall(t *testing.T) {
	for name, tc := range map[string]struct {
		stall time.Duration
		swept bool
	}{
		"no stall":       {0, true},
		"as long as 3 s": {time.Second, true},
		"longer":         {time.Second + time.Millisecond, false},
		"very long":      {time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stood atomic.Int64
				n := openNode(t, memlog.New(), core.Options{Now: func() time.Time { return time.Now().Add(time.Duration(stood.Load())) }})
				alice := register(t, n, "alice")
				time.Sleep(time.Second)
				silent, beating := open(t, n, alice, "silent", core.ScopeAll), open(t, n, alice, "beating", core.ScopeAll)
				isOpen := func(c core.Connection) bool {
					_, _, ok := n.ConnectionState(alice.ID, c.ID, c.Generation)
					return ok
				}
				// The rounds are at even seconds; the leases end between the third and the fourth.
				time.Sleep(5 * time.Second)
				synctest.Wait()
				require.True(t, isOpen(silent), "after %s", time.Second*5)
				time.Sleep(time.Second + time.Millisecond)
				require.False(t, n.Alive(alice.ID, silent))
				stood.Store(int64(tc.stall))
				time.Sleep(time.Second)
				synctest.Wait()
				require.Equal(t, !tc.swept, isOpen(silent))
				require.Equal(t, !tc.swept, isOpen(beating))
				_, _, err := n.Beat(t.Context(), alice.ID, "beating", 0)
				var gone *core.NoConnectionError
				require.ErrorAs(t, err, &gone, "a stall does not renew a lease")
				require.Equal(t, !tc.swept, isOpen(silent), "the answer to one is nothing to the other")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				require.False(t, isOpen(silent), "the next round is an ordinary one")
			})
		})
	}
}

// TestLeasesAgeByTheClockAsItIsRead: rounded, a time has lost its monotonic reading, and then a clock that somebody sets, or a
// machine that slept, ends all leases or prolongs them. Times that are shown are in whole milliseconds all the same.
func TestLeasesAgeByTheClockAsItIsRead(t *testing.T) {
	now := testclock.At(time.Date(2026, 1, 2, 3, 4, 5, int(900*time.Microsecond), time.UTC))
	n := openNode(t, memlog.New(), core.Options{Now: now.Now, SweepEvery: time.Hour})
	alice := register(t, n, "alice")
	c := open(t, n, alice, "c", core.ScopeAll)
	now.Advance(6*time.Second - 400*time.Microsecond)
	require.Equal(t, 400*time.Microsecond, n.LeaseLeft(alice.ID, c))
	require.True(t, n.Alive(alice.ID, c))
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), n.LiveConnections(t.Context(), alice.ID)[0].SeenAt)
}
