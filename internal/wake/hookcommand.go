package wake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"stele/internal/strictjson"
)

// commandHook starts a program for each job. No shell is involved, and nothing of the job is in its arguments, which
// every user of the machine can read.
type commandHook struct {
	argv   []string
	output *os.File
}

// hiddenVariables are settings of the sidecar that its agent has no business with.
var hiddenVariables = [...]string{"STELE_API_KEY", "STELE_HOOK_TOKEN"}

// inherited is the sidecar's environment without its secrets.
func inherited(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(hiddenVariables[:], name)
	})
}

func (h *commandHook) call(ctx context.Context, job Job) error {
	input, err := strictjson.Marshal(job)
	if err != nil {
		return &HookError{Reason: "the job cannot be encoded", cause: err}
	}
	cmd := exec.CommandContext(ctx, h.argv[0], h.argv[1:]...)
	cmd.Stdin = bytes.NewReader(append(input, '\n'))
	cmd.Env = append(inherited(os.Environ()), job.environment()...)
	// Files are handed over as they are: a child of the command that keeps them open cannot hold the sidecar up.
	if h.output != nil {
		cmd.Stdout, cmd.Stderr = h.output, h.output
	}
	cmd.WaitDelay = killAfter
	ownGroup(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
		return nil
	case ctx.Err() != nil:
		// What ignored the polite signal must not go on beside the next attempt.
		killGroup(cmd)
		return ended(ctx)
	case errors.As(err, &exit):
		return &HookError{Reason: "the command ended with " + exit.ProcessState.String(), cause: err}
	default:
		return &HookError{Reason: fmt.Sprintf("the command was not run: %v", err), cause: err}
	}
}

// reachable looks the program up without starting it.
func (h *commandHook) reachable(context.Context) error {
	if _, err := exec.LookPath(h.argv[0]); err != nil {
		return &HookError{Reason: fmt.Sprintf("the command cannot be run: %v", err), cause: err}
	}
	return nil
}
