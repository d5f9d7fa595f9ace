package areyouai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stele/internal/sse"
)

// EventsOptions configures one event stream; the zero value reads a room from
// its first event.
type EventsOptions struct {
	// Since is the last event id already seen; 0 is the beginning.
	Since int64
	// OnRaw sees the bytes of every frame as they came: the retry preamble,
	// keepalives and events, each before it is decoded. All calls in a row
	// are the stream. The slice is valid during the call only.
	OnRaw func(frame []byte)
}

// ErrStreamIdle is the cause of a stream that ended because the server fell
// silent for longer than ClientOptions.StreamIdle.
var ErrStreamIdle = errors.New("areyouai: stream is silent")

// ErrNotStream is a 2xx reply to a stream request that is not an event stream,
// such as the page of a proxy in between.
var ErrNotStream = errors.New("areyouai: reply is not an event stream")

// EventStream is one open connection to a room's events. It belongs to one
// goroutine and must be closed.
type EventStream struct {
	body   io.Closer
	reader *sse.Reader
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   *time.Timer
	limit  time.Duration
	onRaw  func([]byte)
}

// OpenOnce opens the room's event stream once: no reconnect, no gap repair.
// A 401 is answered with one new login. The stream ends when ctx does.
func (c *Client) OpenOnce(ctx context.Context, roomID string, opt EventsOptions) (*EventStream, error) {
	return c.openEvents(ctx, roomID, opt, false)
}

// openEvents names its position in the query on a first open and in the
// header on a resume, as a browser's EventSource would.
func (c *Client) openEvents(ctx context.Context, roomID string, opt EventsOptions, resume bool) (*EventStream, error) {
	cl := call{method: http.MethodGet, path: Path(PathRoomEvents, roomID)}
	cursor := strconv.FormatInt(opt.Since, 10)
	if !resume {
		cl.query = url.Values{"since": {cursor}}
	}
	var st *EventStream
	err := c.withSession(ctx, func(token string) error {
		var err error
		st, err = c.openStream(ctx, cl, token, opt.OnRaw, func(h http.Header) {
			if resume {
				h.Set("Last-Event-ID", cursor)
			}
		})
		return err
	})
	return st, err
}

func (c *Client) openStream(parent context.Context, cl call, token string, onRaw func([]byte), header func(http.Header)) (*EventStream, error) {
	ctx, cancel := context.WithCancelCause(parent)
	st := &EventStream{ctx: ctx, cancel: cancel, limit: c.opt.StreamIdle, onRaw: onRaw}
	// The timer runs from here, so that a server which accepts and then says
	// nothing is noticed too.
	st.idle = time.AfterFunc(st.limit, func() { cancel(ErrStreamIdle) })
	resp, err := c.dialStream(ctx, cl, token, header)
	if err != nil {
		err = st.why(err)
		st.stop()
		return nil, err
	}
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
	header(req.Header)
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

// Next returns the next event. It returns io.EOF when the server ended the
// stream between frames, a *FrameError for a frame that breaks the contract,
// ErrStreamIdle, the context's error, or the connection's. A stream that
// returned an error stays ended.
func (s *EventStream) Next() (Event, error) {
	for {
		f, err := s.nextFrame()
		if err != nil {
			return Event{}, err
		}
		// Frames without data carry only a retry hint; the SSE standard lets
		// no reader dispatch them.
		if f.Comment || f.Data == nil {
			continue
		}
		return ParseEventFrame(f)
	}
}

func (s *EventStream) nextFrame() (sse.Event, error) {
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
	s.idle.Reset(s.limit)
	return f, nil
}

// why replaces an error that is only the echo of our own cancelling.
func (s *EventStream) why(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	return err
}

func (s *EventStream) stop() {
	s.idle.Stop()
	s.cancel(context.Canceled)
}

// Close ends the stream and frees its connection. It may be called twice.
func (s *EventStream) Close() error {
	s.stop()
	return s.body.Close()
}
