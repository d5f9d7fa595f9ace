package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/strictjson"
	"stele/internal/wake"
)

// Flags of the sidecar.
const (
	flagBaseDir     = "base-dir"
	flagServer      = "server"
	flagAPIKey      = "api-key"
	flagAPIKeyFile  = "api-key-file"
	flagHookURL     = "hook-url"
	flagHookToken   = "hook-token"
	flagHookFile    = "hook-token-file"
	flagHookCommand = "hook-command"
	flagHookTimeout = "hook-timeout"
	flagIdle        = "idle"
	flagDrain       = "drain"
	flagParallel    = "parallel"
)

// maxSecretFile bounds a file with a key or token in it.
const maxSecretFile = 64 << 10

// wakeFlags are the sidecar's settings as they were given.
type wakeFlags struct {
	baseDir, serverURL       string
	apiKey, apiKeyFile       string
	hookURL, hookCommand     string
	hookToken, hookTokenFile string
	hookTimeout, idle, drain time.Duration
	parallel                 int
}

func (w *wakeFlags) server(f *pflag.FlagSet) {
	f.StringVar(&w.serverURL, flagServer, "", "base URL of the areyouai server")
}

func (w *wakeFlags) key(f *pflag.FlagSet) {
	f.StringVar(&w.apiKey, flagAPIKey, "", "API key of the agent; better in the variable or a file, since all users can read flags")
	f.StringVar(&w.apiKeyFile, flagAPIKeyFile, "", "file with the API key; - is standard input")
}

func (w *wakeFlags) hook(f *pflag.FlagSet) {
	f.StringVar(&w.hookURL, flagHookURL, "", "URL that gets each job as a POST")
	f.StringVar(&w.hookToken, flagHookToken, "", "bearer token for the hook URL; better in the variable or a file, since all users can read flags")
	f.StringVar(&w.hookTokenFile, flagHookFile, "", "file with the bearer token for the hook URL; - is standard input")
	f.StringVar(&w.hookCommand, flagHookCommand, "", `command that gets each job on standard input: words, or a JSON array of strings; no shell`)
	f.DurationVar(&w.hookTimeout, flagHookTimeout, wake.DefaultHookTimeout, "end of a hook call that hangs")
	f.DurationVar(&w.idle, flagIdle, wake.DefaultIdle, "how long a room may stand still after its hook took the wake before it is woken again")
	f.DurationVar(&w.drain, flagDrain, wake.DefaultDrain, "how long running hooks may go on when the sidecar is told to end")
	f.IntVar(&w.parallel, flagParallel, wake.DefaultParallel, "rooms whose hook is called at a time; one room never has two")
}

// options are the remembered settings, with what was given in their place.
func (w *wakeFlags) options(cmd *cobra.Command) (wake.Options, error) {
	o, _, err := wake.LoadConfig(w.baseDir)
	if err != nil {
		return o, err
	}
	return o, w.apply(cmd.Flags(), &o)
}

// given are the settings of flags and variables alone.
func (w *wakeFlags) given(cmd *cobra.Command) (wake.Options, error) {
	o := wake.Options{BaseDir: w.baseDir}
	return o, w.apply(cmd.Flags(), &o)
}

// apply puts what was given into the options. A hook of one kind takes the place of the other's.
func (w *wakeFlags) apply(f *pflag.FlagSet, o *wake.Options) error {
	var err error
	set := func(flag string, put func() error) {
		if f.Changed(flag) && err == nil {
			err = put()
		}
	}
	text := func(flag string, to *string, value *string) {
		set(flag, func() error { *to = *value; return nil })
	}
	text(flagServer, &o.Server, &w.serverURL)
	text(flagAPIKey, &o.APIKey, &w.apiKey)
	set(flagAPIKeyFile, func() error { return secretFrom(w.apiKeyFile, &o.APIKey) })
	set(flagHookURL, func() error {
		// The remembered token is for the remembered URL.
		o.HookURL, o.HookToken, o.HookCommand = w.hookURL, "", nil
		return nil
	})
	set(flagHookCommand, func() error {
		if !f.Changed(flagHookURL) {
			o.HookURL, o.HookToken = "", ""
		}
		return splitCommand(w.hookCommand, &o.HookCommand)
	})
	text(flagHookToken, &o.HookToken, &w.hookToken)
	set(flagHookFile, func() error { return secretFrom(w.hookTokenFile, &o.HookToken) })
	set(flagHookTimeout, func() error { o.HookTimeout = w.hookTimeout; return nil })
	set(flagIdle, func() error { o.Idle = w.idle; return nil })
	set(flagDrain, func() error { o.Drain = w.drain; return nil })
	set(flagParallel, func() error { o.Parallel = w.parallel; return nil })
	return err
}

// secretFrom reads a file that holds one secret and perhaps a line end.
func secretFrom(path string, to *string) error {
	var from io.Reader = os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, maxSecretFile))
	if err != nil {
		return err
	}
	if *to = strings.TrimSpace(string(data)); *to == "" {
		return fmt.Errorf("there is no secret in %s", path)
	}
	return nil
}

// splitCommand takes a JSON array of strings, or words between white space.
func splitCommand(s string, to *[]string) error {
	if s = strings.TrimSpace(s); !strings.HasPrefix(s, "[") {
		*to = strings.Fields(s)
		return nil
	}
	var argv []string
	if err := strictjson.Unmarshal([]byte(s), &argv); err != nil {
		return errors.New("--" + flagHookCommand + " begins like a JSON array but is not one of strings")
	}
	*to = argv
	return nil
}
