package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

const (
	flagOutput = "output"
	flagMedia  = "media"
)

// exporting is what stele export was told.
type exporting struct {
	out    *output
	data   string
	output string
	media  bool
}

func newExport(out *output) *cobra.Command {
	x := &exporting{out: out}
	cmd := &cobra.Command{
		Use: "export ROOM", Short: "Write a room with its messages, members and documents as one JSON Lines file", Args: cobra.ExactArgs(1),
		Long: "Write a room, given by its id or its name, with its messages, members and documents as one JSON Lines file, to\n" +
			"standard output or to --output. The file tells everything that was said in the room, also in private: keep it as\n" +
			"you keep the log. stele import makes a room of it again. Of a room that was purged only who was there, when, and\n" +
			"how it ended is left to write.\n\n" +
			"It works on a data folder whether or not a gateway runs on it.",
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&x.data, flagData, defaultData, "data folder of the gateway")
	f.StringVarP(&x.output, flagOutput, "o", "", "file to write; it appears when it is whole, for its owner's eyes alone")
	f.BoolVar(&x.media, flagMedia, false, "add the contents of attachments")
	return cmd
}

func (x *exporting) run(ctx context.Context, room string) error {
	req := exportWanted{Room: room, Media: x.media}
	if x.output == "" {
		to := bufio.NewWriterSize(x.out, 64<<10)
		return errors.Join(x.write(ctx, req, to), to.Flush(), x.out.err)
	}
	return replaceFile(x.output, func(to io.Writer) error { return x.write(ctx, req, to) })
}

func (x *exporting) write(ctx context.Context, req exportWanted, to io.Writer) error {
	seen := newProgress(os.Stderr, "exporting", -1)
	defer seen.end()
	return askExport(ctx, x.data, req, io.MultiWriter(to, seen))
}

// replaceFile writes a file whole or not at all, for its owner alone.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(f, 64<<10)
	if err := write(buffered); err != nil {
		return err
	}
	if err := errors.Join(buffered.Flush(), f.Sync()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	// It is where it belongs, whatever closing says.
	_ = f.Close()
	return nil
}
