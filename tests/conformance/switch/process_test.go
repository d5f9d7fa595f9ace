package conformance

import (
	"bufio"
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
)

// registrationToken registers the agents of servers that the suite starts.
const registrationToken = "a token of the conformance suite"

// build is the program under test.
var build struct {
	once sync.Once
	dir  string
	err  error
}

// binary builds the program once, unless STELE_CONFORMANCE_BINARY names one.
func binary() (string, error) {
	if given := os.Getenv("STELE_CONFORMANCE_BINARY"); given != "" {
		return given, nil
	}
	build.once.Do(func() {
		if build.dir, build.err = os.MkdirTemp("", "stele-conformance-"); build.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", build.dir, "stele/cmd/stele").CombinedOutput()
		if err != nil {
			build.err = fmt.Errorf("build the program: %w: %s", err, out)
		}
	})
	return filepath.Join(build.dir, "stele"), build.err
}

// process is one run of the program.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
	log    *strings.Builder
}

// start runs the program on a folder and returns where it listens.
func start(dir string, flags ...string) (*process, string, error) {
	program, err := binary()
	if err != nil {
		return nil, "", err
	}
	args := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--data", dir, "--registration-token", registrationToken,
		"--areyouai-account-rate=0",
	}, flags...)
	p := &process{cmd: exec.Command(program, args...), exited: make(chan struct{}), log: &strings.Builder{}}
	p.cmd.Stderr = p.log
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, "", err
	}
	first := make(chan string, 1)
	go func() {
		defer close(p.exited)
		out := bufio.NewReader(stdout)
		line, _ := out.ReadString('\n')
		first <- line
		_, _ = io.Copy(io.Discard, out)
		p.err = p.cmd.Wait()
	}()
	select {
	case line := <-first:
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if !ok {
			p.kill()
			return nil, "", fmt.Errorf("the program did not say where it listens but %q: %s", line, p.log)
		}
		return p, url, nil
	case <-time.After(patience):
		p.kill()
		return nil, "", errors.New("the program did not start in time")
	}
}

// kill ends the program as a power cut ends it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// stop asks the program to end.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.kill()
		return errors.New("the program did not end in time")
	}
	for line := range strings.Lines(p.log.String()) {
		for _, bad := range []string{`"level":"error"`, "panic:", "fatal error"} {
			if strings.Contains(line, bad) {
				return fmt.Errorf("the program logged %s", line)
			}
		}
	}
	return p.err
}

// freeze stops the program as a machine that is suspended does, and lets it go on after d.
func (p *process) freeze(t *testing.T, d time.Duration) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(d)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGCONT))
}
