package main

import (
	"errors"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"stele/adapters/edgefront"
)

// The flags of the edge door.
const (
	flagEdgeOrigins = "edge-origins"
	flagEdgeCreate  = "edge-create"
	flagEdgeRate    = "edge-create-rate"
)

// allOrigins lets pages of every origin in.
const allOrigins = "all"

// edgeConfig is what stele serve can be told about the edge door.
type edgeConfig struct {
	origins []string
	create  string
	rate    int
}

func (c *edgeConfig) define(f *pflag.FlagSet) {
	f.StringSliceVar(&c.origins, flagEdgeOrigins, nil, "web origins whose pages may use edge addresses beside the gateway's own, such as https://example.com or *.example.com, with commas between them; all = any page")
	f.StringVar(&c.create, flagEdgeCreate, string(edgefront.CreateAuthenticated), "who makes a room by opening an edge address for the first time: off, authenticated or anyone")
	f.IntVar(&c.rate, flagEdgeRate, edgefront.DefaultCreatesPerHour, "rooms that a caller may make so per hour; 0 = no limit")
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
	o := edgefront.Options{Create: edgefront.Create(c.create), CreatesPerHour: c.rate, AnyOrigin: c.anyOrigin()}
	if !o.AnyOrigin {
		o.Origins = c.origins
	}
	if c.rate == 0 {
		o.CreatesPerHour = -1
	}
	return o
}
