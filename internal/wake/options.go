package wake

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Options configure a sidecar. BaseDir, Server and one of HookURL and HookCommand are needed.
type Options struct {
	// BaseDir is the folder of all files; it is made if missing, for its user alone.
	BaseDir string
	// Server is the base URL of the areyouai server, absolute http or https.
	Server string
	// APIKey logs in. Empty means the one of an earlier login in BaseDir.
	APIKey string
	// HookURL gets each job as a POST, with HookToken as bearer unless that is empty.
	HookURL, HookToken string
	// HookCommand is a program and its arguments, which gets each job on standard input.
	HookCommand []string
	// HookOutput takes the output of HookCommand; nil throws it away.
	HookOutput *os.File
	// HookTimeout ends a call that hangs; it then counts as failed. 0: DefaultHookTimeout.
	HookTimeout time.Duration
	// Idle is how long a room may stand still after the hook took its wake, before the agent is woken again. 0:
	// DefaultIdle. It must be longer than the agent ever thinks about a turn, which it would otherwise do twice.
	Idle time.Duration
	// Drain is how long hooks may go on after Run was told to end. 0: DefaultDrain.
	Drain time.Duration
	// Parallel is how many rooms have their hook called at a time. 0: DefaultParallel. One room never has two.
	Parallel int

	// HTTP talks to the server, HookHTTP to the hook; nil: clients with Go's default transport.
	HTTP, HookHTTP *http.Client
	// Logger is told what happens; nil: nobody. No secret is ever in it.
	Logger *zap.Logger
	// Now is the clock, nil: time.Now. Rand gives numbers in [0, 1) for jitter, nil: math/rand/v2.
	Now  func() time.Time
	Rand func() float64
}

// ConfigError is a setting that cannot be used. No value of a secret is in its text.
type ConfigError struct{ cause error }

// Error lists all that is wrong.
func (e *ConfigError) Error() string { return "the configuration cannot be used:\n" + e.cause.Error() }

// Unwrap returns the list.
func (e *ConfigError) Unwrap() error { return e.cause }

// Validate finds all that is wrong at once, as a *ConfigError.
func (o *Options) Validate() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if o.BaseDir == "" {
		problem("the base directory must not be empty")
	}
	if why := badURL(o.Server); why != "" {
		problem("the server %s", why)
	}
	switch {
	case o.HookURL != "" && len(o.HookCommand) > 0:
		problem("give a hook URL or a hook command, not both")
	case o.HookURL != "":
		if why := badURL(o.HookURL); why != "" {
			problem("the hook URL %s", why)
		}
	case len(o.HookCommand) == 0:
		problem("a hook URL or a hook command is needed")
	case strings.TrimSpace(o.HookCommand[0]) == "":
		problem("the hook command must begin with a program")
	}
	if o.HookToken != "" && o.HookURL == "" {
		problem("a hook token is for a hook URL")
	}
	for _, secret := range [...]struct{ name, value string }{{"API key", o.APIKey}, {"hook token", o.HookToken}} {
		if strings.ContainsFunc(secret.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
			problem("the %s must be one word of printable ASCII", secret.name)
		}
	}
	for _, d := range [...]struct {
		name  string
		value time.Duration
	}{{"hook timeout", o.HookTimeout}, {"idle time", o.Idle}, {"drain time", o.Drain}} {
		if d.value < 0 {
			problem("the %s must not be negative, but is %s", d.name, d.value)
		}
	}
	if o.Parallel < 0 {
		problem("the number of parallel hooks must not be negative, but is %d", o.Parallel)
	}
	if problems == nil {
		return nil
	}
	return &ConfigError{cause: errors.Join(problems...)}
}

// badURL tells what is wrong with a base URL without quoting it, since it may hold a password.
func badURL(s string) string {
	if s == "" {
		return "must not be empty"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "is no URL"
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "must be an absolute http or https URL"
	case u.User != nil:
		return "must not hold a user or password"
	case u.Fragment != "":
		return "must not hold a fragment"
	}
	return ""
}

// withDefaults fills in what was left out and makes the base directory absolute, since agents get paths below it.
func (o Options) withDefaults() (Options, error) {
	abs, err := filepath.Abs(o.BaseDir)
	if err != nil {
		return o, fmt.Errorf("wake: %w", err)
	}
	o.BaseDir = abs
	o.Server = strings.TrimRight(o.Server, "/")
	o.HookTimeout = cmp.Or(o.HookTimeout, DefaultHookTimeout)
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	o.Parallel = cmp.Or(o.Parallel, DefaultParallel)
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.HookHTTP == nil {
		o.HookHTTP = &http.Client{}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o, nil
}
