package edgeframes

import (
	"math/rand/v2"
	"net/http"
	"time"

	"stele/edgeframes/superjson"
)

// Defaults of [ClientOptions]. Where the real client's own are not documented, they
// are chosen here.
const (
	// DefaultPingInterval and DefaultPingTimeout are the values a public sample sets.
	DefaultPingInterval = 15 * time.Second
	DefaultPingTimeout  = 45 * time.Second
	// DefaultDialTimeout bounds a connection attempt.
	DefaultDialTimeout = 15 * time.Second
	// DefaultHelloTimeout bounds the bootstrap, from the open socket to hello.
	DefaultHelloTimeout = 30 * time.Second
	// DefaultBackoffMin and DefaultBackoffMax frame the delays between attempts.
	DefaultBackoffMin = 250 * time.Millisecond
	DefaultBackoffMax = 10 * time.Second
	// DefaultReadLimit bounds one message from the server, in bytes. A snapshot of a
	// long log is one message, so it is far above a server's own limit.
	DefaultReadLimit = 32 << 20
	// DefaultMaxCalls bounds the calls waiting for an answer, sent or not.
	DefaultMaxCalls = 1024
	// DefaultKeepMessages bounds the mirror of the message log.
	DefaultKeepMessages = 10_000
	// DefaultEventBuffer bounds the events one listener has not taken yet.
	DefaultEventBuffer = 1024
)

// ClientOptions configures a [Client]. The zero value is a plain client with the
// defaults above. Setting any of Token, Subscribe and Resume selects attach mode.
type ClientOptions struct {
	// Token is the credential of the attach frame.
	Token string
	// Subscribe are the streams wanted; nil means all the server offers.
	Subscribe []Stream
	// Resume sends the positions last seen when the client reconnects, so that
	// nothing comes twice. They live in memory: the first connection sends none but
	// those of Cursors.
	Resume bool
	// Cursors are positions that were seen before this client began, by an earlier run or
	// by another client: with Resume, the first connection resumes after them.
	Cursors map[Stream]uint64

	// PingInterval is the time between pings. Default 15 s.
	PingInterval time.Duration
	// PingTimeout is how long a pong may take before the link counts as dead.
	// Default 45 s.
	PingTimeout time.Duration
	// DialTimeout bounds one connection attempt. Default 15 s.
	DialTimeout time.Duration
	// HelloTimeout bounds the wait for hello on an open connection. Default 30 s.
	HelloTimeout time.Duration
	// BackoffMin and BackoffMax are the first and the longest delay between attempts;
	// each is taken at random between half and whole. Defaults 250 ms and 10 s.
	BackoffMin, BackoffMax time.Duration

	// ReadLimit bounds one message from the server, in bytes. Default 32 MiB.
	ReadLimit int64
	// MaxCalls bounds the calls waiting for an answer; one more fails with
	// [ErrTooManyCalls]. Default 1,024.
	MaxCalls int
	// KeepMessages bounds the mirror of the message log; older ones are forgotten.
	// Default 10,000.
	KeepMessages int
	// EventBuffer bounds the events a listener has not taken; one more ends that
	// listener with [ErrBehind]. Default 1,024.
	EventBuffer int

	// HTTPClient makes the upgrade request. Default http.DefaultClient.
	HTTPClient *http.Client
	// Header is sent with the upgrade request.
	Header http.Header

	// OnRaw sees the text of every message as it goes over the wire, the attach
	// frame with its token included. It is called in order for each direction, but for
	// both at the same time, from the client's own goroutines, and must return soon.
	OnRaw func(Direction, []byte)
	// OnDisconnect is told why a link ended or an attempt failed. It is called from
	// the client's own goroutine, must return soon and must not call Close.
	OnDisconnect func(error)

	// Clock is the source of time for delays and heartbeats. Default the real one.
	Clock Clock
	// Rand returns numbers in [0, 1) for the jitter. Default math/rand.
	Rand func() float64
}

// Direction tells the two sides of the wire apart.
type Direction int

// The directions, as a client sees them.
const (
	Sent Direction = iota
	Received
)

// String returns "sent" or "received".
func (d Direction) String() string {
	if d == Sent {
		return "sent"
	}
	return "received"
}

// Clock tells when a delay is over.
type Clock interface {
	// After sends the time once d has passed, like [time.After].
	After(d time.Duration) <-chan time.Time
}

type realClock struct{}

func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (o ClientOptions) attaches() bool { return o.Token != "" || o.Subscribe != nil || o.Resume }

func (o ClientOptions) withDefaults() ClientOptions {
	orDefault(&o.PingInterval, DefaultPingInterval)
	orDefault(&o.PingTimeout, DefaultPingTimeout)
	orDefault(&o.DialTimeout, DefaultDialTimeout)
	orDefault(&o.HelloTimeout, DefaultHelloTimeout)
	orDefault(&o.BackoffMin, DefaultBackoffMin)
	orDefault(&o.BackoffMax, DefaultBackoffMax)
	orDefault(&o.ReadLimit, DefaultReadLimit)
	orDefault(&o.MaxCalls, DefaultMaxCalls)
	orDefault(&o.KeepMessages, DefaultKeepMessages)
	orDefault(&o.EventBuffer, DefaultEventBuffer)
	if o.OnRaw == nil {
		o.OnRaw = func(Direction, []byte) {}
	}
	if o.OnDisconnect == nil {
		o.OnDisconnect = func(error) {}
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}

func orDefault[N int | int64 | time.Duration](v *N, def N) {
	if *v <= 0 {
		*v = def
	}
}

// limits lets in what a trusted server may send at once: a Date per message.
func (o ClientOptions) limits() superjson.Limits {
	return superjson.Limits{MaxBytes: int(o.ReadLimit), MaxAnnotations: 1_000_000}
}
