package areyouai_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/areyouai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden compares got with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// at returns a fixed instant n seconds after the first of the tests.
func at(n int) areyouai.Time {
	return areyouai.NewTime(time.Date(2026, 4, 2, 10, 0, n, 0, time.UTC))
}

// reply encodes v as a server would.
func reply(t testing.TB, v any) string {
	t.Helper()
	b, err := areyouai.AppendReply(nil, v)
	require.NoError(t, err)
	return string(b)
}
