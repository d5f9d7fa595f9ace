package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/adapters/archive"
)

// Flags of stele import.
const (
	flagAgain        = "again"
	flagKeepID       = "keep-id"
	flagReopen       = "reopen"
	flagMap          = "map"
	flagMatchHandles = "match-handles"
	flagSkipUnknown  = "skip-unknown"
	flagMakeCode     = "human-code"
	flagName         = "name"
)

// importing is what stele import was told.
type importing struct {
	operator
	req   importWanted
	pairs []string
}

func newImport(out *output) *cobra.Command {
	x := &importing{operator: operator{out: out}}
	cmd := &cobra.Command{
		Use: "import [FILE]", Short: "Make a room of a file that was exported, here or from another protocol", Args: cobra.MaximumNArgs(1),
		Long: "Make a room of a file, or of standard input: one that stele export wrote, an areyouai transcript, the answer of the\n" +
			"Switch protocol's read_context, or messages frames of an edge socket. Times and order stay. It is all or nothing,\n" +
			"and nobody is told: for members the history lies before their joining. The same content is taken once, unless you\n" +
			"say --again.\n\n" +
			"Those who took part and are agents here by the same id are themselves: their words are theirs, and whoever was a\n" +
			"member is one again. Everybody else stays as a speaker in the history. --map and --match-handles say more.\n\n" +
			"It works on a data folder whether or not a gateway runs on it.",
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&x.data, flagData, defaultData, "data folder of the gateway")
	f.BoolVar(&x.json, flagJSON, false, "print JSON, for scripts")
	f.StringVar(&x.req.Form, flagFrom, "", "what the file is: "+formNames()+"; found out if not given")
	f.StringVar(&x.req.Owner, flagOwner, "", "whose room it becomes; nobody's if not given")
	f.StringVar(&x.req.Name, flagName, "", "name of the room, where the file has none")
	f.BoolVar(&x.req.KeepID, flagKeepID, false, "give the room the id it had; it must be free here")
	f.BoolVar(&x.req.Again, flagAgain, false, "import also what was imported before")
	f.BoolVar(&x.req.Reopen, flagReopen, false, "take back that the room was closed")
	f.StringArrayVar(&x.pairs, flagMap, nil, "OLD=NEW: who took part as OLD (id, handle or name there) is the agent NEW (id or name here)")
	f.BoolVar(&x.req.MatchHandles, flagMatchHandles, false, "take whoever took part for the agent here that has the same name")
	f.BoolVar(&x.req.SkipUnknown, flagSkipUnknown, false, "leave out events of kinds that are not known here")
	f.BoolVar(&x.req.HumanCode, flagMakeCode, false, "make a code with which people can read the room, and show it this once")
	return cmd
}

func formNames() string {
	var names []string
	for _, f := range archive.Forms() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func (x *importing) run(ctx context.Context, args []string) (err error) {
	if err := x.check(); err != nil {
		return err
	}
	from, size := os.Stdin, int64(-1)
	if len(args) > 0 && args[0] != "-" {
		if from, err = os.Open(args[0]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		info, err := from.Stat()
		if err != nil {
			return err
		}
		if info.IsDir() {
			return fmt.Errorf("%s is a folder", args[0])
		}
		if info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	seen := newProgress(os.Stderr, "importing", size)
	done, err := askImport(ctx, x.data, x.req, io.TeeReader(from, seen))
	seen.end()
	if err != nil {
		return err
	}
	return x.print(done, func() { x.tell(done) })
}

// check makes sense of the flags before anything is read.
func (x *importing) check() error {
	if f := archive.Form(x.req.Form); f != "" && !slices.Contains(archive.Forms(), f) {
		return fmt.Errorf("--%s must be one of %s, but is %q", flagFrom, formNames(), x.req.Form)
	}
	for _, pair := range x.pairs {
		there, here, ok := strings.Cut(pair, "=")
		if !ok || there == "" || here == "" {
			return fmt.Errorf("--%s must be OLD=NEW, but is %q", flagMap, pair)
		}
		if was, twice := x.req.People[there]; twice && was != here {
			return fmt.Errorf("--%s says of %q that it is both %q and %q", flagMap, there, was, here)
		}
		if x.req.People == nil {
			x.req.People = map[string]string{}
		}
		x.req.People[there] = here
	}
	if x.req.HumanCode {
		return x.mustBeSeen()
	}
	return nil
}

// tell says to a person what became of the file.
func (x *importing) tell(done importDone) {
	fmt.Fprintf(x.out, "imported %q (%s) as room %s\n", done.Name, done.Form, done.Room)
	fmt.Fprintf(x.out, "%d messages in %d events, from %s to %s; the room is %s\n",
		done.Messages, done.Events, second(done.First), second(done.Last), done.State)
	if len(done.Members) > 0 {
		fmt.Fprintf(x.out, "members here: %s\n", strings.Join(done.Members, ", "))
	}
	if len(done.Absent) > 0 {
		fmt.Fprintf(x.out, "not here, in the history alone: %s\n", strings.Join(done.Absent, ", "))
	}
	if done.Backwards > 0 {
		fmt.Fprintf(x.out, "%d events are older than the one before them; they kept their places and times\n", done.Backwards)
	}
	if done.Skipped > 0 {
		fmt.Fprintf(x.out, "left out: %d events of kinds that are not known here\n", done.Skipped)
	}
	for _, what := range slices.Sorted(maps.Keys(done.LeftOut)) {
		fmt.Fprintf(x.out, "left out: %d %s\n", done.LeftOut[what], what)
	}
	if done.HumanCode != "" {
		fmt.Fprintf(x.out, "code for people (shown this once): %s\n", done.HumanCode)
	}
}
