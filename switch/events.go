package agentswitch

import (
	"context"
	"iter"
)

// Events is Connect, Frames and Close in one: it opens a stream, keeps its
// connection alive and opens it again whenever it ends, until ctx is done or
// the caller leaves the loop. See [Session.Frames] for what it yields. Nothing
// of it runs any more when the loop has ended.
func (c *Client) Events(ctx context.Context, opts StreamOptions) iter.Seq2[Frame, error] {
	return c.frames(ctx, opts, false)
}

// OpenOnce is Events without opening again: the sequence ends with the stream.
// A clean end yields no error.
func (c *Client) OpenOnce(ctx context.Context, opts StreamOptions) iter.Seq2[Frame, error] {
	return c.frames(ctx, opts, true)
}

func (c *Client) frames(ctx context.Context, opts StreamOptions, once bool) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		s, err := c.connect(ctx, opts, once)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.Close()
		for frame, err := range s.Frames(ctx) {
			if !yield(frame, err) {
				return
			}
		}
	}
}
