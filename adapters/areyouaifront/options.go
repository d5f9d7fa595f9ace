package areyouaifront

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"stele/adapters/transport"
	"stele/adapters/webhook"
	"stele/areyouai"
	"stele/areyouai/prompt"
	"stele/internal/seal"
)

// Options configure a front. The zero value is right for a gateway on its own.
type Options struct {
	// Logger receives what an operator should know; nil: nothing is logged. No secret and no message is ever logged.
	Logger *zap.Logger
	// Metrics takes the numbers of the door, stele_areyouai_…; nil: nothing is counted. Fronts of one registerer share them.
	Metrics prometheus.Registerer
	// Origins are the web origins whose pages may call, compared without regard to case. Nil: [DefaultOrigins]; empty: none.
	Origins []string
	// Layers are the static sections of every prompt; nil: those embedded in the program.
	Layers *prompt.Layers
	// PublicURL is the URL under which clients reach the gateway, as the texts for agents show it. Empty: whatever the Host
	// header of the request for a text says.
	PublicURL string
	// AdminToken opens the pages for operators; empty: they are closed.
	AdminToken string
	// Keys seal the secrets of webhooks; without a key no webhook is taken and none is sent to.
	Keys *seal.Keyset
	// Sender carries callbacks to webhooks; nil: one that reaches public addresses only.
	Sender *webhook.Sender
	// Limits bound how often and how many at a time; nil: [DefaultLimits].
	Limits *Limits
	// Policy says which messages are refused for what they contain.
	Policy Policy
	// Sizes bound what requests hold and what they are answered; a field of 0 is its default.
	Sizes Sizes
	// KeepAlive is the silence on a stream after which a comment is written. Default 20 s (areyouai: streams).
	KeepAlive time.Duration
	// Reauth is how often an open stream makes sure that its session and membership still hold. Default 30 s (areyouai:
	// streams).
	Reauth time.Duration
	// ProgressTimeout is how long the reader of a stream may take nothing before it loses the stream. Default 30 s.
	ProgressTimeout time.Duration
}

// Limits bound how often a client may do something. Each field counts over [areyouai.RateWindow], one minute, except those
// whose names begin with Open, which bound what is open at a time; 0 switches a limit off. They are counted on this node,
// in memory, and begin anew with the program.
type Limits struct {
	// AccountsPerIP are registrations and logins together, failed ones included.
	AccountsPerIP int
	// PostsPerIP are requests to post a message, failed ones included.
	PostsPerIP int
	// MessagesPerAgent and MessagesPerRoom are messages that were accepted at this door.
	MessagesPerAgent int
	MessagesPerRoom  int
	// OpensPerIP are requests for an event stream, failed ones included; OpensPerMember are streams opened by one agent
	// on one room.
	OpensPerIP     int
	OpensPerMember int
	// OpenStreams is how many streams one agent may hold open on one room at a time.
	OpenStreams int
	// OpenAgentStreams is how many agent streams one agent may hold open at a time, OpenViewerStreams how many viewer
	// streams one room, and OpenPerIP how many streams of both kinds one address.
	OpenAgentStreams  int
	OpenViewerStreams int
	OpenPerIP         int
	// GuessesPerIP and GuessesPerRoom are human codes that were wrong, at all doors that share [Front.Guesses].
	GuessesPerIP   int
	GuessesPerRoom int
}

// These are ours: the protocol asks for caps without naming them (areyouai: known defects, streams without a cap, guessing
// without a limit). Those that are per address leave room for a proxy that many clients share.
const (
	accountsPerIP     = 120
	openAgentStreams  = 8
	openViewerStreams = 64
	openPerIP         = 512
)

// DefaultLimits returns the limits of the protocol (areyouai: limits and validation in one place).
func DefaultLimits() Limits {
	return Limits{
		AccountsPerIP:    accountsPerIP,
		PostsPerIP:       areyouai.MessagePostsPerIP,
		MessagesPerAgent: areyouai.MessagesPerAgent,
		MessagesPerRoom:  areyouai.MessagesPerRoom,
		OpensPerIP:       areyouai.StreamOpensPerIP,
		OpensPerMember:   areyouai.StreamOpensPerRoomAgent,
		OpenStreams:      areyouai.StreamsPerRoomAgent,

		OpenAgentStreams:  openAgentStreams,
		OpenViewerStreams: openViewerStreams,
		OpenPerIP:         openPerIP,
		GuessesPerIP:      transport.DefaultGuessesPerNetwork,
		GuessesPerRoom:    transport.DefaultGuessesPerRoom,
	}
}

// DefaultOrigins returns the web origins that the protocol names (areyouai: transport).
func DefaultOrigins() []string {
	return []string{"http://localhost:3000", "http://127.0.0.1:3000", "https://areyouai.fun", "https://www.areyouai.fun"}
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	if o.Origins == nil {
		o.Origins = DefaultOrigins()
	}
	if o.Layers == nil {
		o.Layers = prompt.DefaultLayers()
	}
	if o.Limits == nil {
		l := DefaultLimits()
		o.Limits = &l
	}
	o.Sizes = o.Sizes.withDefaults()
	if o.KeepAlive <= 0 {
		o.KeepAlive = areyouai.KeepaliveInterval
	}
	if o.Reauth <= 0 {
		o.Reauth = areyouai.ReauthInterval
	}
	return o
}
