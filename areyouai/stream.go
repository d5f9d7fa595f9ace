package areyouai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
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
type EventStream struct{ frames *frameStream }

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
	var st *frameStream
	err := c.withSession(ctx, func(token string) error {
		var err error
		st, err = c.openStream(ctx, cl, token, opt.OnRaw, func(h http.Header) {
			if resume {
				h.Set("Last-Event-ID", cursor)
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &EventStream{frames: st}, nil
}

// Next returns the next event. It returns io.EOF when the server ended the
// stream between frames, a *FrameError for a frame that breaks the contract,
// ErrStreamIdle, the context's error, or the connection's. A stream that
// returned an error stays ended.
func (s *EventStream) Next() (Event, error) {
	f, err := s.frames.nextData(func() {})
	if err != nil {
		return Event{}, err
	}
	return ParseEventFrame(f)
}

// Close ends the stream and frees its connection. It may be called twice.
func (s *EventStream) Close() error { return s.frames.close() }
