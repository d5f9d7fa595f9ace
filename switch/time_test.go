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

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-31":                         "2026-01-31T00:00:00Z",
		"20260131":                           "2026-01-31T00:00:00Z",
		"2026-W05-6":                         "2026-01-31T00:00:00Z",
		"2026W056":                           "2026-01-31T00:00:00Z",
		"2026-W05":                           "2026-01-26T00:00:00Z",
		"2026W05":                            "2026-01-26T00:00:00Z",
		"2020-W53-7":                         "2021-01-03T00:00:00Z",
		"2026-01-31T12":                      "2026-01-31T12:00:00Z",
		"2026-01-31T12:34":                   "2026-01-31T12:34:00Z",
		"2026-01-31T12:34:56":                "2026-01-31T12:34:56Z",
		"2026-01-31 12:34:56":                "2026-01-31T12:34:56Z",
		"2026-01-31t12:34:56z":               "2026-01-31T12:34:56Z",
		"2026-01-31T12:34:56Z":               "2026-01-31T12:34:56Z",
		"20260131T123456Z":                   "2026-01-31T12:34:56Z",
		"20260131T1234":                      "2026-01-31T12:34:00Z",
		"2026-01-31T12:34:56.25":             "2026-01-31T12:34:56.25Z",
		"2026-01-31T12:34:56,25Z":            "2026-01-31T12:34:56.25Z",
		"2026-01-31T12:34:56.123456789987Z":  "2026-01-31T12:34:56.123456789Z",
		"2026-01-31T12:34:56+02:00":          "2026-01-31T10:34:56Z",
		"2026-01-31T12:34:56-0130":           "2026-01-31T14:04:56Z",
		"2026-01-31T23:34-05":                "2026-02-01T04:34:00Z",
		"2026-01-31T00:00:00+14:00":          "2026-01-30T10:00:00Z",
		"2026-01-02 02:04:05.000006+00:00":   "2026-01-02T02:04:05.000006Z",
		"2026-01-31T12:34:56.000000-00:00":   "2026-01-31T12:34:56Z",
		"0001-01-01T00:00:00Z":               "0001-01-01T00:00:00Z",
		"2024-02-29T23:59:59.999999999+0000": "2024-02-29T23:59:59.999999999Z",
	} {
		got, ok := agentswitch.ParseTime(text)
		require.True(t, ok, text)
		require.Equal(t, want, got.Format(time.RFC3339Nano), text)
		require.Equal(t, time.UTC, got.Location(), text)
	}
	for _, text := range []string{
		"", "yesterday", "1767323045678", "2026", "2026-01", "2026-13-01", "2026-02-29", "26-01-31", "2026-1-31", "2026-01-31T", "2026-01-31T ",
		"2026-01-31T1", "2026-01-31T24:00", "2026-01-31T12:60", "2026-01-31T12:34:60", "2026-01-31T12:3456", "2026-01-31T12345", "2026-01-31T12:34:5",
		"2026-01-31T12.5", "2026-01-31T12:34.5", "2026-01-31T12:34:56.", "2026-01-31T12:34:56.1x", "2026-01-31T12:34:56ZZ", "2026-01-31T12:34:56+",
		"2026-01-31T12:34:56+2", "2026-01-31T12:34:56+24:00", "2026-01-31T12:34:56+01:60", "2026-01-31T12:34:56+01:00:00", "2026-01-31T12:34:56 UTC",
		"2026-01-31Z", "2026-01-31+01:00", "2026-W54-1", "2026-W00-1", "2021-W53-1", "2026-W05-8", "2026-W05-0", "2026-W056", "2026W05-6", "W05", "-2026-01-31",
		"2026-01-31T::", "2026-01-31T:::::", "2026-01-31T-01", " 2026-01-31", "2026-01-31\n", "２０２６-01-31",
	} {
		_, ok := agentswitch.ParseTime(text)
		require.False(t, ok, "%q", text)
	}
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
