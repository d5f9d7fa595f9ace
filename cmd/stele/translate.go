package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"stele/adapters/scripts"
)

// The flags that say what is translated into what.
const (
	flagFrom = "from"
	flagTo   = "to"
)

type translateConfig struct {
	from, to string
	opts     scripts.Options
}

func newTranslate(out *output) *cobra.Command {
	var cfg translateConfig
	cmd := &cobra.Command{
		Use:   "translate --from SCRIPT --to SCRIPT [FILE]",
		Short: "Read a captured stream of one protocol and write the same conversation in another",
		Long: "Read a captured conversation from the file or from standard input and write it in another script, event by event,\n" +
			"also from a pipe that never ends. The scripts are:\n\n" +
			"  core      the log's own words, one JSON object per line; an exported room is such a text too\n" +
			"  switch    the event stream of a Switch agent (server-sent events)\n" +
			"  areyouai  a room's event stream, or pages of its history or a transcript (JSON objects, one after the other)\n" +
			"  edge      the frames that a socket received, one per line, \"< \" before them or not; lines with \"> \" are skipped\n\n" +
			"What the target has no words for stands in comment lines, which are read back: a conversation comes back whole,\n" +
			"if --self is the same.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := openInput(args, cmd.InOrStdin())
			if err != nil {
				return err
			}
			defer in.Close()
			return translate(cmd.Context(), in, out, cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.from, flagFrom, "", "script to read: "+scriptNames())
	f.StringVar(&cfg.to, flagTo, "", "script to write: "+scriptNames())
	f.StringVar(&cfg.opts.Room, "room", "", "id of the only room to write; for edge also the room of frames that name none")
	f.StringVar(&cfg.opts.Self, "self", "", "id of the agent whose Switch stream it is or shall be")
	f.StringVar(&cfg.opts.Agent, "agent", "", "id of the agent that the edge address names, who speaks as the assistant")
	f.StringVar(&cfg.opts.ChannelType, "channel-type", "", "channel type of the room, for switch")
	f.BoolVar(&cfg.opts.Comments, "comments", true, "write what the target cannot say as comment lines")
	return cmd
}

func scriptNames() string {
	var names []string
	for _, s := range scripts.All() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// openInput opens the file that was named; none or "-" is standard input.
func openInput(args []string, stdin io.Reader) (io.ReadCloser, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(args[0])
}

// translate reads a conversation and writes it, until it ends or the program is told to.
func translate(ctx context.Context, in io.Reader, out io.Writer, cfg translateConfig) error {
	from, err := scriptOf(flagFrom, cfg.from)
	if err != nil {
		return err
	}
	to, err := scriptOf(flagTo, cfg.to)
	if err != nil {
		return err
	}
	dec, err := scripts.NewDecoder(from, in, cfg.opts)
	if err != nil {
		return err
	}
	enc, err := scripts.NewEncoder(to, cfg.opts)
	if err != nil {
		return err
	}
	err = scripts.Translate(ctx, out, enc, dec)
	var where *scripts.LineError
	if errors.As(err, &where) {
		return fmt.Errorf("read %s: %w", from, err)
	}
	return err
}

func scriptOf(flag, name string) (scripts.Script, error) {
	if name == "" {
		return "", fmt.Errorf("--%s must say which script it is: %s", flag, scriptNames())
	}
	s, err := scripts.Parse(name)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	return s, nil
}
