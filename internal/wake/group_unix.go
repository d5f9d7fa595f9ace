//go:build unix

package wake

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// ownGroup puts a command and all it starts into one process group, which is asked to end when the command's time is
// over. A terminal's interrupt then reaches the sidecar alone, which lets the hook finish.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
}

// killGroup ends what is left of the command's group at once.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// A group that is gone already is what is wanted.
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	}
}
