package agentswitch

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"stele/internal/sse"
)

// StreamOptions say what a stream delivers. The zero value is a new single
// connection without a room that begins at the newest event.
type StreamOptions struct {
	// ConnectionID names the connection. Opening an id that has a stream ends
	// that stream. Empty means a new random one.
	ConnectionID string
	// Scope and Filter default to ScopeSingle and FilterAll.
	Scope  Scope
	Filter Filter
	// After is the cursor to begin after; nil means the newest event.
	After *uint64
	// SpawnCapable: the holder of the connection starts sessions on demand.
	SpawnCapable bool
	// Rooms are claimed before anything is read, from siblings too.
	Rooms []string
	// Declaration is what the client tells about itself.
	Declaration Declaration
	// BeatInterval is the time between beats; 0 means HeartbeatInterval. A
	// negative one means that somebody else beats.
	BeatInterval time.Duration
	// MaxSilence is how long a stream may be silent, keepalives included,
	// before it is taken for broken; 0 means three keepalive intervals. It is
	// looked at with every beat.
	MaxSilence time.Duration
	// OnRaw, if set, sees the exact bytes of every frame and comment before it
	// is parsed. It must not keep them.
	OnRaw func(frame []byte)
	// OnBeat, if set, sees the outcome of every beat, from another goroutine
	// than the stream's.
	OnBeat func(BeatAnswer, error)
}

func (o StreamOptions) withDefaults() (StreamOptions, error) {
	if o.ConnectionID == "" {
		id, err := uuid.NewRandom()
		if err != nil {
			return o, fmt.Errorf("agentswitch: connection id: %w", err)
		}
		o.ConnectionID = id.String()
	}
	if o.Scope == "" {
		o.Scope = ScopeSingle
	}
	if o.Filter == "" {
		o.Filter = FilterAll
	}
	if o.BeatInterval == 0 {
		o.BeatInterval = HeartbeatInterval
	}
	if o.MaxSilence <= 0 {
		o.MaxSilence = 3 * KeepaliveInterval
	}
	return o, nil
}

func (o StreamOptions) query() url.Values {
	q := url.Values{
		"connection_id": {o.ConnectionID},
		"scope":         {string(o.Scope)},
		"filter":        {string(o.Filter)},
		"start_from":    {o.startFrom().String()},
	}
	if o.SpawnCapable {
		q.Set("spawn_capable", "true")
	}
	if len(o.Rooms) > 0 {
		q.Set("rooms", strings.Join(o.Rooms, ","))
	}
	setInt := func(name string, value *int) {
		if value != nil {
			q.Set(name, strconv.Itoa(*value))
		}
	}
	setInt("protocol", o.Declaration.Protocol)
	setInt("protocol_accepts", o.Declaration.ProtocolAccepts)
	if o.Declaration.Client != nil {
		q.Set("client", *o.Declaration.Client)
	}
	if o.Declaration.ClientVersion != nil {
		q.Set("client_version", *o.Declaration.ClientVersion)
	}
	return q
}

func (o StreamOptions) startFrom() StartFrom {
	if o.After == nil {
		return StartFrom{Head: true}
	}
	return StartFrom{Cursor: *o.After}
}

// Stream is one open event stream. It neither beats nor reconnects; Events and
// OpenOnce do.
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
		body, err := c.readAnswer(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if success(resp) {
			return nil, fmt.Errorf("answer is %q, not an event stream", contentType)
		}
		return nil, ParseError(resp.StatusCode, contentType, body)
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
