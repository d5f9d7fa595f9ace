package agentswitch

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
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
	// Declaration is what the client tells about itself; nil means
	// DefaultDeclaration, an empty one tells nothing.
	Declaration *Declaration
	// BeatInterval is the time between beats; 0 means HeartbeatInterval. A
	// negative one means that somebody else beats.
	BeatInterval time.Duration
	// MaxSilence is how long a stream may be silent, keepalives included,
	// before it is taken for broken, and how long the answer to an open may
	// take; 0 means three keepalive intervals. It is looked at with every beat.
	MaxSilence time.Duration
	// OnRaw, if set, sees the exact bytes of every frame and comment before the
	// caller gets it, on the caller's goroutine. It must not keep them.
	OnRaw func(frame []byte)
	// OnBeat, if set, sees the outcome of every beat, on a goroutine of the
	// session. It must not close the session.
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
	if o.Declaration == nil {
		declaration := DefaultDeclaration()
		o.Declaration = &declaration
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
