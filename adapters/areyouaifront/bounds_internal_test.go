package areyouaifront

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// TestBatchFitsTheLength: a stream of long messages takes few of them at a time.
func TestBatchFitsTheLength(t *testing.T) {
	s := &stream{}
	for _, tc := range []struct{ entries, bytes, want int }{
		{32, 32 * 8192, 32}, {10, 10 * 300, maxBatch}, {4, 4 << 20, minBatch}, {8, 0, maxBatch}, {1, 64 << 10, minBatch},
	} {
		s.resize(tc.entries, tc.bytes)
		require.Equal(t, tc.want, s.batch, "%+v", tc)
	}
}

func TestBlocksAreBounded(t *testing.T) {
	s := newStrikes(Policy{Violations: 1})
	now := time.UnixMilli(0)
	for i := range 2*transport.MaxWindowKeys + 10 {
		s.add(fmt.Sprint(i), now)
	}
	require.LessOrEqual(t, len(s.until), transport.MaxWindowKeys)
	for i := range minSweep {
		s.add(fmt.Sprint("later ", i), now.Add(15*time.Minute))
	}
	require.LessOrEqual(t, len(s.until), transport.MaxWindowKeys)
	require.Contains(t, s.until, fmt.Sprint("later ", minSweep-1))
}
