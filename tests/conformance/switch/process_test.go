package conformance

import (
	"os"

	"stele/tests/internal/program"
)

// registrationToken registers the agents of servers that the suite starts.
const registrationToken = "a token of the conformance suite"

// stele is the program under test, unless STELE_CONFORMANCE_BINARY names another.
var stele = program.Program{Path: os.Getenv("STELE_CONFORMANCE_BINARY"), Patience: patience}

// start runs the program on a folder.
func start(dir string, flags ...string) (*program.Process, error) {
	return stele.Serve(dir, append([]string{"--registration-token", registrationToken, "--areyouai-account-rate=0"}, flags...)...)
}
