package edgefront

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/scripts/samples"
	"stele/core"
	"stele/edgeframes"
)

var updateEvents = flag.Bool("update-events", false, "write testdata/events.txt")

// TestEventFramesOfEveryKind holds the event frames of all samples but messages against a file, one frame per line.
func TestEventFramesOfEveryKind(t *testing.T) {
	var got []byte
	for _, kind := range core.RoomKinds() {
		if kind == core.MessagePosted {
			continue
		}
		for _, e := range samples.Of(kind) {
			if e.Hollow() {
				continue
			}
			frame, err := edgeframes.Encode(eventOf(e))
			require.NoError(t, err)
			got = append(append(got, frame...), '\n')
		}
	}
	file := filepath.Join("testdata", "events.txt")
	if *updateEvents {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./adapters/edgefront -run TestEventFramesOfEveryKind -update-events")
}

// TestEventsTellNothingThatIsForSomeAlone: whoever may read a room reads its events, also people who are no members.
func TestEventsTellNothingThatIsForSomeAlone(t *testing.T) {
	for _, e := range samples.Story() {
		frame, err := edgeframes.Encode(eventOf(e))
		require.NoError(t, err)
		for _, private := range []string{
			"steer", "be short", "be long", "read first", "read last", // instructions
			"1. sail", "3. rest", "what we do", // documents
			"count the ships", "half\\r\\nof it", "keep names", "Eve", "user_1", // tasks and commands
			"con_1", "d34db33f", "security", "admin_mode", "visibility",
		} {
			require.NotContains(t, string(frame), private, e.Kind)
		}
	}
}
