package scripts

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stele/core"
)

// Translate writes what a decoder reads with an encoder, each event in one write as soon as it was read, until the decoder has
// no more or ctx is done. The decoder's reader may be in the midst of a read then, and is left there: it must not be used any
// more. Errors: the decoder's, the encoder's and the writer's; nil at the end and when ctx was done.
func Translate(ctx context.Context, w io.Writer, enc Encoder, dec Decoder) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type step struct {
		e   *core.Entry
		err error
	}
	steps := make(chan step)
	go func() {
		for {
			e, err := dec.Next()
			select {
			case steps <- step{e, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var buf []byte
	for {
		var s step
		select {
		case s = <-steps:
		case <-ctx.Done():
			return nil
		}
		if errors.Is(s.err, io.EOF) {
			return nil
		}
		if s.err != nil {
			return s.err
		}
		var err error
		if buf, err = enc.Append(buf[:0], s.e); err != nil {
			return fmt.Errorf("write event %d: %w", s.e.Version, err)
		}
		if len(buf) == 0 {
			continue
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
}
