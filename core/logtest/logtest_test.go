package logtest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/core"
	"stele/core/logtest"
	"stele/core/memlog"
)

// mutantName tells the test program, when it starts itself again, which broken log to run the suite on.
const mutantName = "LOGTEST_MUTANT"

// TestMutant runs the suite on one broken log; it is the child of TestSuiteNotices.
func TestMutant(t *testing.T) {
	m, ok := mutants[os.Getenv(mutantName)]
	if !ok {
		t.Skip("runs as a child only")
	}
	logtest.Run(t, func(*testing.T) core.Log {
		l := memlog.New()
		broken := &mutant{Log: l}
		m.mutate(broken, l)
		return broken
	})
}

// A suite that passes whatever it is given proves nothing: each broken log must fail the check that is meant for it.
func TestSuiteNotices(t *testing.T) {
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestMutant$/^"+m.check+"$", "-test.timeout=12s",
				"-rapid.nofailfile", "-rapid.shrinktime=1s")
			cmd.Env = append(os.Environ(), mutantName+"="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "the suite did not notice")
			require.Contains(t, string(out), "--- FAIL: TestMutant/"+m.check)
		})
	}
}
