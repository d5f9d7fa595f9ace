package edgefront

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/core"
	"stele/edgeframes"
)

// Create says who makes a conversation by opening its address for the first time.
type Create string

// The policies. Any other value counts as CreateOff.
const (
	// CreateOff: nobody; conversations are made through the other doors.
	CreateOff Create = "off"
	// CreateAuthenticated: agents with an API key or a session token. They become members.
	CreateAuthenticated Create = "authenticated"
	// CreateAnyone: whoever comes. One without a credential may then read the room and not write.
	CreateAnyone Create = "anyone"
)

// Options configure a front. The zero value is right for a gateway that browsers of other sites do not use.
type Options struct {
	// Logger receives what an operator should know; nil: nothing is logged. No token and no message is ever logged.
	Logger *zap.Logger
	// AttachGrace is how long a silent client may take before it is served as anonymous. Every plain client sees it as
	// delay; below a round trip it locks slow clients out of attach mode. Default 1 s.
	AttachGrace time.Duration
	// Create says who makes conversations. Default [CreateAuthenticated].
	Create Create
	// CreatesPerHour is how many conversations a caller may make by opening their addresses, in any hour of the node's
	// clock. Callers are agents, and among those without a credential client addresses. Default [DefaultCreatesPerHour]; negative: no limit.
	CreatesPerHour int
	// StrangersPerNetwork is how many sockets and event streams those who are no members may have open at a time, from one
	// address or network of IPv6. Default [DefaultStrangersPerNetwork]; negative: no limit.
	StrangersPerNetwork int
	// RetainEvents is how many of a room's newest events are replayed at most. Default 1000 (docs, EventLog).
	RetainEvents int
	// CallBudget is the time a call may take. Default 30 s (docs, The Socket Server).
	CallBudget time.Duration
	// Reauth is how often an open socket asks whether what it was granted still holds; one whose rights have ended is
	// closed. Calls ask each time. Default 30 s.
	Reauth time.Duration
	// MaxMessage bounds a message from a client, in bytes. Default 1 MiB.
	MaxMessage int
	// ProgressTimeout is how long a client may take for one piece of 16 KiB, either way, before it loses its connection.
	// Default 30 s.
	ProgressTimeout time.Duration
	// KeepAlive is the silence after which an event stream gets a comment as a sign of life. Default 15 s.
	KeepAlive time.Duration
	// DrainTimeout is how long Drain waits for calls in flight. Default 2 s.
	DrainTimeout time.Duration
	// Guesses counts the codes for people that were wrong, at all doors that share it. Default: a count of this door's own,
	// with the limits that [transport.Guesses] has unless others are chosen.
	Guesses *transport.Guesses
	// Origins are the web origins whose pages may connect and call beside those of the gateway's own host: patterns of path.Match
	// for a host ("*.example.com") or, with a scheme, for scheme and host ("https://example.com"). A pattern that is
	// malformed matches nothing. Clients that send no Origin are no browsers and always welcome.
	Origins []string
	// AnyOrigin lets pages of every origin connect and call. Tokens never travel in cookies, so a foreign page can
	// do no more than anybody without a token; where public rooms are public only inside a network, leave it off.
	AnyOrigin bool
	// OnConnect, if set, is the first gate: it sees the request, before any credential. An error closes a
	// socket without a frame, and refuses other requests. Meanwhile a socket's frames are kept.
	OnConnect func(context.Context, *http.Request) error
	// OnAttach, if set, may veto a connection once its claims are known and before anything is sent.
	OnAttach func(context.Context, Admission) error
}

// Admission is what OnAttach is asked about.
type Admission struct {
	// Request is the one that opened the connection, or calls.
	Request *http.Request
	// Agent is the id of the calling agent, empty for an anonymous client.
	Agent string
	// Credential is what the token proved.
	Credential core.CredentialKind
	// Room is the id of the conversation's room.
	Room string
	// Claims are what the connection is about to be granted.
	Claims []string
}

const defaultDrainTimeout = 2 * time.Second

// DefaultCreatesPerHour is how many conversations a caller may make in an hour unless something else was chosen.
const DefaultCreatesPerHour = 60

// DefaultStrangersPerNetwork leaves room for a proxy that many clients share.
const DefaultStrangersPerNetwork = 512

const defaultReauth = 30 * time.Second

// defaultProgressTimeout is that of the gateway's other streams.
const defaultProgressTimeout = 30 * time.Second

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Create == "" {
		o.Create = CreateAuthenticated
	}
	if o.CreatesPerHour == 0 {
		o.CreatesPerHour = DefaultCreatesPerHour
	}
	if o.StrangersPerNetwork == 0 {
		o.StrangersPerNetwork = DefaultStrangersPerNetwork
	}
	if o.Guesses == nil {
		o.Guesses = transport.NewGuesses(transport.DefaultGuessesPerNetwork, transport.DefaultGuessesPerRoom, time.Minute)
	}
	orDefault(&o.AttachGrace, edgeframes.AttachGrace)
	orDefault(&o.RetainEvents, edgeframes.RetainedEvents)
	orDefault(&o.CallBudget, edgeframes.TurnBudget)
	orDefault(&o.Reauth, defaultReauth)
	orDefault(&o.MaxMessage, edgeframes.MaxMessageIn)
	orDefault(&o.ProgressTimeout, defaultProgressTimeout)
	orDefault(&o.DrainTimeout, defaultDrainTimeout)
	return o
}

func orDefault[N int | time.Duration](v *N, def N) {
	if *v <= 0 {
		*v = def
	}
}
