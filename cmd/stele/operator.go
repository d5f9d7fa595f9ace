package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/strictjson"
)

// Flags of the commands for tokens and agents.
const (
	flagOwner = "owner"
	flagJSON  = "json"
	flagAll   = "all"
	flagRoom  = "room"
	flagArgs  = "args"
	flagAs    = "as"
)

// operator is what all commands for tokens and agents share.
type operator struct {
	out  *output
	data string
	json bool
	ofOwner
}

// family makes a command that has others below it.
func (o *operator) family(use, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		Long: short + ".\n\n" +
			"It works on a data folder whether or not a gateway runs on it. While one does, it is asked through the socket\n" +
			socketName + " in that folder, which is for the gateway's user alone.\n\n" +
			"Every flag can also be set by a variable: --data is STELE_DATA.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.data, flagData, defaultData, "data folder of the gateway")
	f.BoolVar(&o.json, flagJSON, false, "print JSON, for scripts")
	cmd.AddCommand(below...)
	return cmd
}

// owned adds the flag that narrows to an owner.
func (o *operator) owned(cmd *cobra.Command, usage string) *cobra.Command {
	cmd.Flags().StringVar(&o.Owner, flagOwner, "", usage)
	return cmd
}

var errUnseen = errors.New("standard output is closed or discarded, so nobody would see the secret: nothing was changed")

// mustBeSeen refuses to make a secret that nobody would see.
func (o *operator) mustBeSeen() error {
	if o.out.discards() {
		return errUnseen
	}
	return nil
}

// print writes a result as JSON, or as text for people.
func (o *operator) print(result any, text func()) error {
	if !o.json {
		text()
		return o.out.err
	}
	b, err := strictjson.Marshal(result)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%s\n", b)
	return o.out.err
}

// table writes rows in columns.
func (o *operator) table(head string, rows func(w *tabwriter.Writer)) {
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	rows(w)
	// What could not be written is in o.out.err.
	_ = w.Flush()
}

// orDash stands for what there is none of.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }
