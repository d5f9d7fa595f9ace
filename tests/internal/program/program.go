package program

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
	"time"
)

// Program is the program under test. The zero value builds it when it is first started.
type Program struct {
	// Path names a program that is there already; empty: this project's is built.
	Path string
	// Patience is how long a start or an orderly end may take. Default 20 s.
	Patience time.Duration

	once sync.Once
	dir  string
	err  error
}

func (p *Program) patience() time.Duration {
	if p.Patience > 0 {
		return p.Patience
	}
	return 20 * time.Second
}

// Binary is the path of the program, built if it must be.
func (p *Program) Binary() (string, error) {
	if p.Path != "" {
		return p.Path, nil
	}
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp("", "stele-program-"); p.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", p.dir, "stele/cmd/stele").CombinedOutput()
		if err != nil {
			p.err = fmt.Errorf("build the program: %w: %s", err, out)
		}
	})
	return filepath.Join(p.dir, "stele"), p.err
}

// Remove deletes what was built.
func (p *Program) Remove() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// Process is one run of the program.
type Process struct {
	// URL is where it listens.
	URL string

	cmd      *exec.Cmd
	patience time.Duration
	exited   chan struct{}
	err      error
	log      *strings.Builder
	said     *said
}

// said is a process's standard output behind its first line. It is safe for concurrent use.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// Serve runs the program's server on a folder, at a free port of this machine, until it listens.
func (p *Program) Serve(dir string, flags ...string) (*Process, error) {
	path, err := p.Binary()
	if err != nil {
		return nil, err
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--data", dir}, flags...)
	run := &Process{cmd: exec.Command(path, args...), patience: p.patience(), exited: make(chan struct{}), log: &strings.Builder{}, said: &said{}}
	run.cmd.Stderr = run.log
	stdout, err := run.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go func() {
		defer close(run.exited)
		out := bufio.NewReader(stdout)
		line, _ := out.ReadString('\n')
		first <- line
		_, _ = io.Copy(run.said, out)
		run.err = run.cmd.Wait()
	}()
	select {
	case line := <-first:
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if !ok {
			run.Kill()
			return nil, fmt.Errorf("the program did not say where it listens but %q: %s", line, run.log)
		}
		run.URL = url
		return run, nil
	case <-time.After(run.patience):
		run.Kill()
		return nil, errors.New("the program did not start in time")
	}
}

// Kill ends the process as a power cut ends it.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// Stop asks the process to end. It is an error if it does not end well, or has logged one.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.exited:
	case <-time.After(p.patience):
		p.Kill()
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

// Said is what the process has written to its standard output by now, behind the line that says where it listens.
func (p *Process) Said() string {
	p.said.mu.Lock()
	defer p.said.mu.Unlock()
	return p.said.text.String()
}

// Log is what the process wrote to its standard error. It is complete after the process has ended, and empty before.
func (p *Process) Log() string {
	select {
	case <-p.exited:
		return p.log.String()
	default:
		return ""
	}
}

// Freeze stops the process as a machine that is suspended does, and lets it go on after d.
func (p *Process) Freeze(d time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(d)
	return p.cmd.Process.Signal(syscall.SIGCONT)
}
