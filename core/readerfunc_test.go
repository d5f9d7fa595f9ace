package core_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/core"
)

// TestReaderFuncIsCalledForWhatIsNew: for an event of a room, for a room that the agent joins, and for what concerns the
// agent itself; what is there when it is called can be read.
func TestReaderFuncIsCalledForWhatIsNew(t *testing.T) {
	n := newNode(t)
	alice, bob := register(t, n, "alice"), register(t, n, "bob")
	room := openRoom(t, n, alice, bob)
	calls := make(chan struct{}, 1)
	var called atomic.Int64
	r := n.NewAgentReaderFunc(alice.ID, n.Applied(), func() {
		called.Add(1)
		select {
		case calls <- struct{}{}:
		default:
		}
	})
	defer r.Close()
	require.Positive(t, called.Load(), "what happened before is to be looked for")
	require.Nil(t, r.Wake())
	next := func(count int) []*core.Entry {
		t.Helper()
		var got []*core.Entry
		for len(got) < count {
			<-calls
			var err error
			got, err = r.Read(t.Context(), 100, got)
			require.NoError(t, err)
		}
		return got
	}
	for i := range 100 {
		post(t, n, room, bob, numbered(i, i+1)[0])
		require.Equal(t, numbered(i, i+1), texts(next(1)))
	}
	other := openRoom(t, n, bob)
	require.NoError(t, n.JoinRoom(t.Context(), other, core.JoinRoom{Member: member(alice)}))
	post(t, n, other, bob, "welcome")
	require.Equal(t, []string{"welcome"}, texts(next(1)))

	before := called.Load()
	open(t, n, alice, "c-1", core.ScopeAll)
	require.Eventually(t, func() bool { return called.Load() > before }, patience, time.Millisecond, "its own stream")
}
