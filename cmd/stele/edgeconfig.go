package main

import (
	"errors"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"stele/adapters/edgefront"
	"stele/edgeframes"
)

// The flags of the edge door.
const (
	flagEdgeOrigins = "edge-origins"
	flagEdgeCreate  = "edge-create"
	flagEdgeRate    = "edge-create-rate"
	flagEdgeStreams = "edge-ip-streams"
	flagEdgeGrace   = "edge-attach-grace"
)

// allOrigins lets pages of every origin in.
const allOrigins = "all"

// longestGrace bounds how long a silent client is waited for: until then nobody knows whether it may be here.
const longestGrace = time.Minute

// edgeConfig is what stele serve can be told about the edge door.
type edgeConfig struct {
	origins []string
	create  string
	rate    int
	streams int
	grace   time.Duration
}

func (c *edgeConfig) define(f *pflag.FlagSet) {
	f.StringSliceVar(&c.origins, flagEdgeOrigins, nil, "web origins whose pages may use edge addresses beside the gateway's own, such as https://example.com or *.example.com, with commas between them; all = any page")
	f.StringVar(&c.create, flagEdgeCreate, string(edgefront.CreateAuthenticated), "who makes a room by opening an edge address for the first time: off, authenticated or anyone")
	f.IntVar(&c.rate, flagEdgeRate, edgefront.DefaultCreatesPerHour, "rooms that a caller may make so per hour; 0 = no limit")
	f.IntVar(&c.streams, flagEdgeStreams, edgefront.DefaultStrangersPerNetwork, "edge sockets and event streams open at a time per address, of clients that are no members of their rooms; 0 = no limit")
	f.DurationVar(&c.grace, flagEdgeGrace, edgeframes.AttachGrace, "how long an edge socket may be silent before it is served as one without a token; clients that send no token wait so long")
}

// check finds all that is wrong with the configuration of the door.
func (c *edgeConfig) check(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	if !c.anyOrigin() {
		for _, origin := range c.origins {
			if err := checkOriginPattern(origin); err != nil {
				problem(flagEdgeOrigins, "must be origins such as https://example.com or hosts such as *.example.com, or all, but one is %q: %w", origin, err)
			}
		}
	}
	switch edgefront.Create(c.create) {
	case edgefront.CreateOff, edgefront.CreateAuthenticated, edgefront.CreateAnyone:
	default:
		if c.create != "" || given(flagEdgeCreate) {
			problem(flagEdgeCreate, "must be off, authenticated or anyone, but is %q", c.create)
		}
	}
	if c.rate < 0 {
		problem(flagEdgeRate, "must be 0 or more, but is %d", c.rate)
	}
	if c.streams < 0 {
		problem(flagEdgeStreams, "must be 0 or more, but is %d", c.streams)
	}
	if (c.grace != 0 || given(flagEdgeGrace)) && (c.grace < time.Millisecond || c.grace > longestGrace) {
		problem(flagEdgeGrace, "must be 1ms to %s, but is %s", longestGrace, c.grace)
	}
}

func (c *edgeConfig) anyOrigin() bool { return len(c.origins) == 1 && c.origins[0] == allOrigins }

// checkOriginPattern knows what the front matches with what a browser sends: a host, or scheme and host, in which * stands
// for any part of a name.
func checkOriginPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return err
	}
	if strings.Contains(pattern, "://") {
		return checkOrigin(strings.ReplaceAll(pattern, "*", "any"))
	}
	if pattern == "" || pattern == allOrigins || strings.ContainsAny(pattern, "/?#@ ") {
		return errors.New("it is no host")
	}
	return nil
}

// options is what the checked configuration says about the edge front.
func (c *edgeConfig) options() edgefront.Options {
	o := edgefront.Options{
		Create: edgefront.Create(c.create), CreatesPerHour: c.rate, AnyOrigin: c.anyOrigin(), AttachGrace: c.grace,
		StrangersPerNetwork: c.streams,
	}
	if !o.AnyOrigin {
		o.Origins = c.origins
	}
	if c.rate == 0 {
		o.CreatesPerHour = -1
	}
	if c.streams == 0 {
		o.StrangersPerNetwork = -1
	}
	return o
}
