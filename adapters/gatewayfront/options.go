package gatewayfront

import (
	"time"

	"go.uber.org/zap"

	"stele/adapters/transport"
)

// Options configure the front. The zero value is right.
type Options struct {
	// Logger receives what an operator should know; nil: nothing is logged.
	Logger *zap.Logger
	// Operator tells whether a bearer is that of somebody who may look into every room from everybody's place. It must
	// compare in constant time. Nil: there is no such bearer.
	Operator func(bearer string) bool
	// OpenStreams is how many streams one caller may have open at a time. Default 16; negative: any number.
	OpenStreams int
	// OpenPerIP is how many streams may be open from one network address. Default 256; negative: any number.
	OpenPerIP int
	// Guesses counts the codes for people that were wrong, at all doors that share it. Default: a count of this door's own,
	// with the limits that [transport.Guesses] has unless others are chosen.
	Guesses *transport.Guesses
	// Recheck is how often an open stream makes sure that its credential still holds. Default 10 s.
	Recheck time.Duration
	// KeepAlive is the silence after which a stream gets a comment. Default 15 s.
	KeepAlive time.Duration
	// ProgressTimeout is how long a client may take for a piece of a stream. Default 30 s.
	ProgressTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	for value, standard := range map[*int]int{&o.OpenStreams: 16, &o.OpenPerIP: 256} {
		if *value == 0 {
			*value = standard
		}
	}
	if o.Guesses == nil {
		o.Guesses = transport.NewGuesses(transport.DefaultGuessesPerNetwork, transport.DefaultGuessesPerRoom, time.Minute)
	}
	if o.Recheck <= 0 {
		o.Recheck = 10 * time.Second
	}
	return o
}
