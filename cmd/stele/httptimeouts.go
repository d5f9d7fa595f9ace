package main

import (
	"time"

	"github.com/spf13/pflag"

	"stele/adapters"
)

// timeoutsConfig is what stele serve can be told about how long it waits for its clients. No timeout ends a stream.
type timeoutsConfig struct{ header, body, reply, idle time.Duration }

func (c *timeoutsConfig) bounds() []bound[time.Duration] {
	const least, most = 10 * time.Millisecond, time.Hour
	return []bound[time.Duration]{
		{"header-timeout", "how long the header of a request may take to arrive", &c.header, least, most},
		{"body-timeout", "how long the body of a request may take to arrive after its header", &c.body, least, most},
		{"reply-timeout", "how long a client may take for each 64 KiB of an answer that is no stream", &c.reply, least, most},
		{"idle-timeout", "how long a connection is kept that waits for its next request", &c.idle, least, most},
	}
}

func defaultTimeouts() timeoutsConfig {
	return timeoutsConfig{
		header: adapters.DefaultHeaderTimeout, body: adapters.DefaultBodyTimeout, reply: adapters.DefaultReplyTimeout,
		idle: adapters.DefaultIdleTimeout,
	}
}

func (c *timeoutsConfig) define(f *pflag.FlagSet) {
	*c = defaultTimeouts()
	for _, b := range c.bounds() {
		f.DurationVar(b.value, b.flag, *b.value, b.usage)
	}
}

func (c *timeoutsConfig) check(problem func(flag, format string, args ...any)) {
	for _, b := range c.bounds() {
		check(b, problem)
	}
}
