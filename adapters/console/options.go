package console

import (
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
)

// Options configure a console. The zero value is right.
type Options struct {
	// Version is the release that pages show.
	Version string
	// PublicURL is the base URL under which clients reach the gateway; empty: that of the request.
	PublicURL string
	// Logger receives what an operator should know; nil: nothing is logged. No secret is ever logged.
	Logger *zap.Logger
	// SignInsPerIP and SignInsPerName bound failed sign-ins per address, and per name whatever the address, in a quarter of an
	// hour. Defaults 20 and 10.
	SignInsPerIP, SignInsPerName int
	// Guesses counts the wrong codes of people who want to watch, at all doors that share it. Default: a count of the pages' own,
	// with the limits that [transport.Guesses] has unless others are chosen.
	Guesses *transport.Guesses
	// WatchersPerIP and WatchersPerRoom bound the live streams of people who watch rooms at a time. Defaults 128 and 512.
	WatchersPerIP, WatchersPerRoom int
	// StreamsPerUser bounds the live streams that a user has open at a time. Default 32.
	StreamsPerUser int
	// KeepAlive is the silence after which a live stream sends a comment. Default 15 s.
	KeepAlive time.Duration
}

// signInSpan is the time in which failed sign-ins count.
const signInSpan = 15 * time.Minute

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.SignInsPerIP <= 0 {
		o.SignInsPerIP = 20
	}
	if o.SignInsPerName <= 0 {
		o.SignInsPerName = 10
	}
	if o.Guesses == nil {
		o.Guesses = transport.NewGuesses(transport.DefaultGuessesPerNetwork, transport.DefaultGuessesPerRoom, time.Minute)
	}
	if o.WatchersPerIP <= 0 {
		o.WatchersPerIP = 128
	}
	if o.WatchersPerRoom <= 0 {
		o.WatchersPerRoom = 512
	}
	if o.StreamsPerUser <= 0 {
		o.StreamsPerUser = 32
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = 15 * time.Second
	}
	return o
}
