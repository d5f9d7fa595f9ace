package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"stele/internal/wake"
)

const wakeLong = `Wake a local agent whenever it is its turn in a room of an areyouai server, this gateway or any other.

The sidecar follows the agent's stream, writes each wake to its folder before it acknowledges it, and then calls a hook:
a URL that gets the job as a POST, or a command that gets it on standard input. A hook that fails is called again; a room
that stands still after its hook took the wake is woken again. See docs/wake.md.

  stele wake init --server https://rooms.example --hook-command /usr/local/bin/my-agent
  stele wake login --api-key-file key.txt
  stele wake doctor
  stele wake run

Settings come from flags, else from their variables (--hook-url is STELE_HOOK_URL), else from what init wrote.

Exit codes: 0 done, 1 any failure not named here, 2 the configuration cannot be used, 3 no API key or one that the server
refuses, and for doctor 4 the server and 5 the hook does not do what is needed.`

// newWakeCommand makes the commands of the sidecar.
func newWakeCommand(out *output) *cobra.Command {
	f := &wakeFlags{}
	cmd := &cobra.Command{
		Use: "wake", Short: "Wake a local agent when it is its turn in a room of an areyouai server", Args: cobra.NoArgs,
		Long: wakeLong,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.baseDir, flagBaseDir, wake.DefaultBaseDir(os.Getenv), "folder of the sidecar's files")
	cmd.AddCommand(newWakeInit(out, f), newWakeLogin(out, f), newWakeRun(f), newWakeStatus(out, f), newWakeDoctor(out, f))
	return cmd
}

func newWakeInit(out *output, f *wakeFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "init", Short: "Remember server and hook for the other commands", Args: cobra.NoArgs,
		Long: "Write the settings given as flags or variables to " + "config.json in the sidecar's folder, for its user alone.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.given(cmd)
			if err == nil {
				err = wake.SaveConfig(o, force)
			}
			if errors.Is(err, wake.ErrExists) {
				err = fmt.Errorf("%w in %s; --force replaces it", err, o.BaseDir)
			}
			if err != nil {
				return wakeExit(cmd, err)
			}
			fmt.Fprintf(out, "settings are in %s\n", o.BaseDir)
			return out.err
		},
	}
	f.server(cmd.Flags())
	f.hook(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "replace earlier settings")
	return cmd
}

func newWakeLogin(out *output, f *wakeFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "login", Short: "Log in with an API key and keep key and session", Args: cobra.NoArgs,
		Long: "Log in with the API key of an agent and keep key and session in session.json in the sidecar's folder, for its user\n" +
			"alone. While a sidecar runs on the folder, stop it first.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd)
			if err == nil && o.APIKey == "" {
				err = errors.New("the API key is missing: give --" + flagAPIKeyFile + ", - for standard input, or the variable STELE_API_KEY")
			}
			if err == nil {
				err = wake.Login(cmd.Context(), o)
			}
			if err != nil {
				return wakeExit(cmd, err)
			}
			fmt.Fprintf(out, "logged in at %s\n", o.Server)
			return out.err
		},
	}
	f.server(cmd.Flags())
	f.key(cmd.Flags())
	return cmd
}

func newWakeRun(f *wakeFlags) *cobra.Command {
	var level string
	cmd := &cobra.Command{
		Use: "run", Short: "Follow the agent's stream and call its hook, until interrupted", Args: cobra.NoArgs,
		Long: "Follow the agent's stream and call its hook. SIGINT or SIGTERM ends it in order: running hooks get --drain to end, and\n" +
			"what is left waits on the disk for the next start. A second signal ends it at once; nothing is lost by that either.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return wakeExit(cmd, err)
			}
			logger, err := newLogger(level)
			if err != nil {
				return fmt.Errorf("--%s %w", flagLogLevel, err)
			}
			o.Logger, o.HookOutput = logger, os.Stderr
			if err := runSidecar(cmd, o); err != nil {
				return wakeExit(cmd, err)
			}
			return nil
		},
	}
	f.server(cmd.Flags())
	f.hook(cmd.Flags())
	f.key(cmd.Flags())
	cmd.Flags().StringVar(&level, flagLogLevel, "info", "least severe log entry to write: debug, info, warn or error")
	return cmd
}

func runSidecar(cmd *cobra.Command, o wake.Options) error {
	s, err := wake.Open(o)
	if err != nil {
		return err
	}
	o.Logger.Info("sidecar runs", zap.String("server", o.Server), zap.String("folder", o.BaseDir))
	err = s.Run(cmd.Context())
	o.Logger.Info("sidecar stopped")
	return errors.Join(err, s.Close())
}

// wakeExit says what is wrong and ends the program with the code for it.
func wakeExit(cmd *cobra.Command, err error) error {
	code := 1
	var config *wake.ConfigError
	switch {
	case errors.As(err, &config):
		code = wake.ExitConfig
	case errors.Is(err, wake.ErrLoginRefused):
		code = wake.ExitCredential
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "stele:", err)
	return &exitError{code: code}
}
