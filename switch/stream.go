package agentswitch

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"stele/internal/sse"
)

// Stream is one open event stream. It neither beats nor reconnects; a Session
// does.
type Stream struct {
	connectionID string
	body         io.ReadCloser
	reader       *sse.Reader
	onRaw        func([]byte)
	lastID       string
}

// Open opens a stream once. The caller closes it; cancelling ctx ends it too.
// Unless somebody beats for its connection it is evicted after HeartbeatTTL.
func (c *Client) Open(ctx context.Context, opts StreamOptions) (*Stream, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	stream, err := c.open(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("agentswitch: open stream: %w", err)
	}
	return stream, nil
}

func (c *Client) open(ctx context.Context, opts StreamOptions) (*Stream, error) {
	req, err := c.newRequest(ctx, request{
		method: http.MethodGet, path: c.agentPath("/events?" + opts.query().Encode()), token: c.opts.APIKey,
	})
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", AcceptStream)
	if opts.After != nil {
		req.Header.Set(HeaderLastEventID, strconv.FormatUint(*opts.After, 10))
	}
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	contentType := resp.Header.Get("Content-Type")
	if mediaType, _, _ := mime.ParseMediaType(contentType); !success(resp) || mediaType != AcceptStream {
		defer func() { _ = resp.Body.Close() }()
		if success(resp) {
			return nil, fmt.Errorf("answer is %q, not an event stream", contentType)
		}
		return nil, c.refusal(resp)
	}
	return &Stream{
		connectionID: opts.ConnectionID, body: resp.Body, onRaw: opts.OnRaw,
		reader: sse.NewReader(resp.Body, c.opts.MaxFrameBytes),
	}, nil
}

// ConnectionID returns the id of the stream's connection.
func (s *Stream) ConnectionID() string { return s.connectionID }

// Next returns the next frame. At a clean end of the stream it returns io.EOF.
// After a *FrameError the stream can go on.
func (s *Stream) Next() (Frame, error) {
	s.lastID = ""
	ev, err := s.reader.Next()
	if s.onRaw != nil && len(s.reader.Raw()) > 0 {
		s.onRaw(s.reader.Raw())
	}
	if err != nil {
		return nil, err
	}
	if ev.HasID && !ev.Comment {
		s.lastID = ev.ID
	}
	return ParseFrame(ev)
}

// Close ends the stream. The connection lives on until its beats stop.
func (s *Stream) Close() error { return s.body.Close() }
