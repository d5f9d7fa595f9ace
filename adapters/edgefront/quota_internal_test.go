package edgefront

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuota(t *testing.T) {
	q, start := newQuota(2), time.Unix(1_000_000, 0)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	n := 0
	take := func(caller string, minutes int) any {
		n++
		if wait, ok := q.take(caller, address{"agt", fmt.Sprint(n)}, at(minutes)); !ok {
			return wait
		}
		return true
	}
	require.Equal(t, true, take("a", 0))
	require.Equal(t, true, take("a", 10))
	require.Equal(t, 40*time.Minute, take("a", 20))
	require.Equal(t, true, take("b", 20), "each caller has its own")
	require.Equal(t, true, take("a", 60), "what is an hour ago does not count")
	require.Equal(t, 10*time.Minute, take("a", 60))
	q.giveBack("a", address{"agt", fmt.Sprint(n - 1)})
	require.Equal(t, true, take("a", 61), "what was not made does not count")
	require.Equal(t, 9*time.Minute, take("a", 61))
	_, ok := q.take("a", address{"agt", fmt.Sprint(n - 1)}, at(61))
	require.True(t, ok, "the same does not count again")
	q.giveBack("nobody", address{})
	q = newQuota(-1)
	for range 1000 {
		require.Equal(t, true, take("a", 0))
	}
	require.Empty(t, q.made)
}

// Callers are forgotten when an hour is over, and all when there are too many.
func TestQuotaIsBounded(t *testing.T) {
	q, start := newQuota(1), time.Unix(1_000_000, 0)
	for i := range quotaCallers {
		q.take(fmt.Sprint(i), address{}, start.Add(time.Duration(i%2)*time.Hour/2))
	}
	require.Len(t, q.made, quotaCallers)
	q.take("one more", address{}, start.Add(time.Hour))
	require.Len(t, q.made, quotaCallers/2+1)
	for i := range quotaCallers {
		q.take(fmt.Sprint("x", i), address{}, start.Add(time.Hour))
	}
	require.LessOrEqual(t, len(q.made), quotaCallers)
}
