package wake

import (
	"context"
	"fmt"
)

// hook is the local agent. Call returns nil when the agent took the job. Its errors may be logged and kept: they hold no
// secret. It returns soon after ctx ends, and leaves nothing running.
type hook interface {
	call(ctx context.Context, job Job) error
	// reachable finds out without waking the agent whether a call could succeed.
	reachable(ctx context.Context) error
}

// HookError is a job that the hook did not take.
type HookError struct {
	// Reason is what went wrong, without any secret.
	Reason string
	cause  error
}

// Error says what went wrong. The cause is left out: a URL or a path in it may hold what nobody should read.
func (e *HookError) Error() string { return "wake: hook: " + e.Reason }

// Unwrap returns the cause.
func (e *HookError) Unwrap() error { return e.cause }

func newHook(o Options) hook {
	if o.HookURL != "" {
		return newHTTPHook(o)
	}
	return &commandHook{argv: o.HookCommand, output: o.HookOutput}
}

// ended is the error of a call whose time was over.
func ended(ctx context.Context) *HookError {
	return &HookError{Reason: fmt.Sprintf("ended: %v", context.Cause(ctx)), cause: ctx.Err()}
}
