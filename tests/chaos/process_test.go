package chaos_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"stele/core"
)

// registrationToken registers the agents of the tests.
const registrationToken = "a token of these tests"

// builds is the folder of the program under test.
var builds struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if builds.dir != "" {
			_ = os.RemoveAll(builds.dir)
		}
		os.Exit(code)
	}))
}

// gatewayBinary builds the real program once. With STELE_CHAOS_RACE it has the race detector, whose reports the gateway's
// log is searched for.
func gatewayBinary(t *testing.T) string {
	t.Helper()
	builds.once.Do(func() {
		if builds.dir, builds.err = os.MkdirTemp("", "stele-chaos-bin-"); builds.err != nil {
			return
		}
		args := []string{"build", "-o", builds.dir}
		if os.Getenv("STELE_CHAOS_RACE") != "" {
			args = append(args, "-race")
		}
		out, err := exec.Command("go", append(args, "stele/cmd/stele")...).CombinedOutput()
		if err != nil {
			builds.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	require.NoError(t, builds.err, "build the gateway")
	return filepath.Join(builds.dir, "stele")
}

// process is one run of the gateway.
type process struct {
	cmd *exec.Cmd
	// url is where it listens, once it does.
	url string
	// first brings its first line.
	first chan string
	// exited is closed once it is gone; err is then how it went.
	exited chan struct{}
	err    error
}

// spawn runs the gateway on a folder. What it logs goes to the end of a file.
func spawn(binary, dir, log string) (*process, error) {
	stderr, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p := &process{first: make(chan string, 1), exited: make(chan struct{}), cmd: exec.Command(binary, "serve",
		"--listen", "127.0.0.1:0", "--data", dir, "--registration-token", registrationToken,
		"--areyouai-account-rate=0", "--areyouai-ip-rate=0", "--areyouai-agent-rate=0", "--areyouai-room-rate=0",
		"--areyouai-open-ip-rate=0", "--areyouai-open-rate=0", "--areyouai-streams=0")}
	p.cmd.Stderr = stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.exited)
		out := bufio.NewReader(stdout)
		line, _ := out.ReadString('\n')
		p.first <- line
		_, _ = io.Copy(io.Discard, out)
		p.err = p.cmd.Wait()
	}()
	return p, nil
}

// listens returns when the gateway does.
func (p *process) listens() error {
	select {
	case line := <-p.first:
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if !ok {
			p.kill()
			return fmt.Errorf("the gateway did not say where it listens but %q", line)
		}
		p.url = url
		return nil
	case <-time.After(patience):
		p.kill()
		return errors.New("the gateway did not start in time")
	}
}

// kill ends the gateway as a power cut ends it, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// terminate asks the gateway to end.
func (p *process) terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// await returns how the gateway ended.
func (p *process) await(ctx context.Context) error {
	select {
	case <-p.exited:
		return p.err
	case <-ctx.Done():
		p.kill()
		return errors.New("the gateway did not end in time")
	}
}

// complaints returns the lines of a gateway's log that tell of something that must not happen. That it is about to end is
// no complaint.
func complaints(log string) ([]string, error) {
	data, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, core.ErrDraining.Error()) {
			continue
		}
		for _, bad := range []string{`"level":"error"`, "panic:", "DATA RACE", "fatal error"} {
			if strings.Contains(line, bad) {
				out = append(out, line)
				break
			}
		}
	}
	return out, nil
}
