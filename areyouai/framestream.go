package areyouai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"stele/internal/sse"
)

// frameStream is one open connection to any of the three event streams.
type frameStream struct {
	body   io.Closer
	reader *sse.Reader
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   *time.Timer
	limit  time.Duration
	onRaw  func([]byte)
}

func (c *Client) openStream(parent context.Context, cl call, token string, onRaw func([]byte), header func(http.Header)) (*frameStream, error) {
	ctx, cancel := context.WithCancelCause(parent)
	st := &frameStream{ctx: ctx, cancel: cancel, limit: c.opt.StreamIdle, onRaw: onRaw}
	// The timer runs from here, so that a server which accepts and then says
	// nothing is noticed too.
	st.idle = time.AfterFunc(st.limit, func() { cancel(ErrStreamIdle) })
	resp, err := c.dialStream(ctx, cl, token, header)
	if err != nil {
		err = st.why(err)
		st.stop()
		return nil, err
	}
	st.idle.Stop()
	st.body = resp.Body
	st.reader = sse.NewReader(resp.Body, MaxFrameBytes)
	return st, nil
}

func (c *Client) dialStream(ctx context.Context, cl call, token string, header func(http.Header)) (*http.Response, error) {
	req, err := c.request(ctx, cl, token)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	// Asked for by name, so that the transport does not ask for gzip, whose
	// buffering would hold frames back.
	req.Header.Set("Accept-Encoding", "identity")
	if header != nil {
		header(req.Header)
	}
	resp, err := c.opt.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("areyouai: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, readError(resp)
	}
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != "text/event-stream" {
		resp.Body.Close()
		return nil, ErrNotStream
	}
	return resp, nil
}

// next returns the next frame or comment. The idle timer runs only inside of
// it: a consumer may think about a frame for as long as it likes.
func (s *frameStream) next() (sse.Event, error) {
	s.idle.Reset(s.limit)
	defer s.idle.Stop()
	f, err := s.reader.Next()
	if s.onRaw != nil && len(s.reader.Raw()) > 0 {
		s.onRaw(s.reader.Raw())
	}
	if errors.Is(err, sse.ErrFrameTooLarge) {
		return sse.Event{}, &FrameError{Reason: fmt.Sprintf("longer than %d bytes", MaxFrameBytes), cause: err}
	}
	if err != nil {
		return sse.Event{}, s.why(err)
	}
	return f, nil
}

// nextData returns the next frame that a reader dispatches and calls alive for
// the comments before it. Frames without data carry only a retry hint; the SSE
// standard lets no reader dispatch them.
func (s *frameStream) nextData(alive func()) (sse.Event, error) {
	for {
		f, err := s.next()
		if err != nil {
			return sse.Event{}, err
		}
		if f.Comment {
			alive()
		} else if f.Data != nil {
			return f, nil
		}
	}
}

// why replaces an error that is only the echo of our own cancelling.
func (s *frameStream) why(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	return err
}

func (s *frameStream) stop() {
	s.idle.Stop()
	s.cancel(context.Canceled)
}

// close may be called twice.
func (s *frameStream) close() error {
	s.stop()
	return s.body.Close()
}
