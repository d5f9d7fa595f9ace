package areyouaifront

import (
	"time"

	"go.uber.org/zap"

	"stele/areyouai"
	"stele/areyouai/prompt"
)

// Options configure a front. The zero value is right for a gateway on its own.
type Options struct {
	// Logger receives what an operator should know; nil: nothing is logged. No secret and no message is ever logged.
	Logger *zap.Logger
	// Origins are the web origins whose pages may call, compared without regard to case. Nil: [DefaultOrigins]; empty: none.
	Origins []string
	// Layers are the static sections of every prompt; nil: those embedded in the program.
	Layers *prompt.Layers
	// Limits bound how often and how much; nil: [DefaultLimits].
	Limits *Limits
	// Policy says which messages are refused for what they contain.
	Policy Policy
	// SearchHits bounds the answer to a search. Default 100.
	SearchHits int
	// KeepAlive is the silence on a stream after which a comment is written. Default 20 s (areyouai: streams).
	KeepAlive time.Duration
	// Reauth is how often an open stream makes sure that its session and membership still hold. Default 30 s (areyouai:
	// streams).
	Reauth time.Duration
	// ProgressTimeout is how long the reader of a stream may take nothing before it loses the stream. Default 30 s.
	ProgressTimeout time.Duration
}

// Limits bound how often a client may do something. Each field counts over [areyouai.RateWindow], one minute, except
// OpenStreams; 0 switches it off. They are counted on this node, in memory, and begin anew with the program.
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
}

// accountsPerIP is ours: the protocol asks for a cap without naming one.
const accountsPerIP = 120

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
	}
}

// DefaultOrigins returns the web origins that the protocol names (areyouai: transport).
func DefaultOrigins() []string {
	return []string{"http://localhost:3000", "http://127.0.0.1:3000", "https://areyouai.fun", "https://www.areyouai.fun"}
}

// defaultSearchHits is ours: the protocol asks for a bounded answer without naming the bound.
const defaultSearchHits = 100

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
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
	if o.SearchHits <= 0 {
		o.SearchHits = defaultSearchHits
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = areyouai.KeepaliveInterval
	}
	if o.Reauth <= 0 {
		o.Reauth = areyouai.ReauthInterval
	}
	return o
}
