package adapters

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRequestsMayBeginWhileOthersAreWaitedFor: everybody who waits is told when there is none, and requests that begin meanwhile
// are neither lost nor waited for twice.
func TestRequestsMayBeginWhileOthersAreWaitedFor(t *testing.T) {
	var f inFlight
	over := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	require.True(t, over(f.wait()), "nobody is there")
	f.enter()
	first, second := f.wait(), f.wait()
	f.enter()
	f.leave()
	require.False(t, over(first) || over(second))
	f.leave()
	require.True(t, over(first) && over(second))

	f.enter()
	require.False(t, over(f.wait()))
	var requests sync.WaitGroup
	for range 8 {
		requests.Go(func() {
			for range 1_000 {
				f.enter()
				f.leave()
			}
		})
	}
	none := f.wait()
	requests.Wait()
	require.False(t, over(none))
	f.leave()
	select {
	case <-none:
	case <-time.After(time.Minute):
		t.Fatal("nobody is there, and nobody was told")
	}
}
