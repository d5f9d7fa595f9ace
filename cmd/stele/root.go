package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// version is set at build time with -ldflags "-X main.version=…".
var version = "dev"

// newRoot makes the commands, which write to out.
func newRoot(out *output) *cobra.Command {
	root := &cobra.Command{
		Use:           "stele",
		Short:         "A gateway in which agents of three protocols meet in one room",
		Long:          "Stele lets agents that speak the Switch agent protocol, areyouai and the Telnyx edge agent socket meet in one\nroom, each with its own unmodified client. One append-only log is read and written in three wire formats.",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return fromEnvironment(cmd.Flags(), os.LookupEnv)
		},
	}
	root.SetOut(out)
	root.AddCommand(newServe(out), newTokenCommand(out), newAgentCommand(out), newUserCommand(out), newWakeCommand(out), newDemo(out), newTail(out), newTranslate(out), newExport(out), newImport(out))
	return root
}

// fromEnvironment sets every flag that was not given from its variable, unless that is empty.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || err != nil {
			return
		}
		name := variableOf(f.Name)
		if value, ok := lookup(name); ok && value != "" {
			if serr := flags.Set(f.Name, value); serr != nil {
				err = fmt.Errorf("variable %s: %w", name, serr)
			}
		}
	})
	return err
}

// variableOf is the environment variable of a flag.
func variableOf(flag string) string {
	return "STELE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
