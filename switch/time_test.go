package agentswitch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	agentswitch "stele/switch"
)

func TestTimes(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("x", 3600))
	require.Equal(t, "2026-01-02 02:04:05.000006+00:00", agentswitch.SpacedTime(at))
	require.Equal(t, "2026-01-02T02:04:05.000006+00:00", agentswitch.ISOTime(at))
	require.Equal(t, at.UnixMilli(), agentswitch.Milliseconds(at))
}

func TestTimesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(-62135596800000000, 253402300799999999).Draw(t, "microseconds")).UTC()
		for _, text := range []string{agentswitch.SpacedTime(at), agentswitch.ISOTime(at), at.Format(time.RFC3339Nano)} {
			got, ok := agentswitch.ParseTime(text)
			require.True(t, ok, text)
			require.Equal(t, at, got, text)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-01-31T12:34:56.25+02:00", "20260131T123456Z", "2026-W05-6", "2026-01-31 12", "9999-12-31T23:59:59-23:59"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := agentswitch.ParseTime(text)
		if !ok {
			return
		}
		again, ok := agentswitch.ParseTime(got.Format(time.RFC3339Nano))
		// An offset may lead out of the four digits of a year, which then have no text.
		if got.Year() >= 0 && got.Year() <= 9999 {
			require.True(t, ok)
			require.Equal(t, got, again)
		}
	})
}
