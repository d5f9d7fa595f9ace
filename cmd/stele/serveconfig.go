package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"stele/adapters/areyouaifront"
	"stele/core"
)

// defaultData is the data folder of every command that has one.
const defaultData = "./stele-data"

// The flags whose values are checked.
const (
	flagListen    = "listen"
	flagData      = "data"
	flagToken     = "registration-token"
	flagPublicURL = "public-url"
	flagLogLevel  = "log-level"
	flagMaxFile   = "max-attachment"
	flagEvents    = "retain-events"
	flagAge       = "retain-age"
)

// serveConfig is what stele serve can be told.
type serveConfig struct {
	listen, data, publicURL, token, logLevel string
	maxAttachment                            int64
	retainEvents                             int
	retainAge                                time.Duration
	limits                                   areyouaifront.Limits
	areyouai                                 areyouaiConfig
	webhooks                                 webhookConfig
	purge                                    purgeConfig
	timeouts                                 timeoutsConfig
	edge                                     edgeConfig
	metrics                                  metricsConfig
	proxies                                  proxyConfig
}

// limit is one of the areyouai limits as a flag.
type limit struct {
	flag, usage string
	value       *int
}

func (c *serveConfig) limitFlags() []limit {
	l := &c.limits
	return []limit{
		{"areyouai-account-rate", "areyouai registrations and logins per address and minute", &l.AccountsPerIP},
		{"areyouai-ip-rate", "areyouai message posts per address and minute", &l.PostsPerIP},
		{"areyouai-agent-rate", "areyouai messages per agent and minute", &l.MessagesPerAgent},
		{"areyouai-room-rate", "areyouai messages per room and minute", &l.MessagesPerRoom},
		{"areyouai-open-ip-rate", "areyouai event streams opened per address and minute", &l.OpensPerIP},
		{"areyouai-open-rate", "areyouai event streams opened per agent, room and minute", &l.OpensPerMember},
		{"areyouai-streams", "areyouai event streams open at a time per agent and room", &l.OpenStreams},
		{"areyouai-agent-streams", "areyouai agent streams open at a time per agent", &l.OpenAgentStreams},
		{"areyouai-viewer-streams", "areyouai viewer streams open at a time per room", &l.OpenViewerStreams},
		{"areyouai-ip-streams", "areyouai agent and viewer streams open at a time per address", &l.OpenPerIP},
		{"areyouai-guess-ip-rate", "wrong human codes per address and minute, at all doors together", &l.GuessesPerIP},
		{"areyouai-guess-room-rate", "wrong human codes per room and minute, at all doors together", &l.GuessesPerRoom},
	}
}

// define adds the flags, with what the configuration holds as defaults.
func (c *serveConfig) define(f *pflag.FlagSet) {
	f.StringVar(&c.listen, flagListen, "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	f.StringVar(&c.data, flagData, defaultData, "folder for the log and its snapshots, made if missing")
	f.StringVar(&c.token, flagToken, "", "a token with which agents may register, beside those made before")
	f.StringVar(&c.publicURL, flagPublicURL, "", "base URL under which clients reach the gateway (default http:// and the address)")
	f.StringVar(&c.logLevel, flagLogLevel, "info", "least severe log entry to write: debug, info, warn or error")
	f.Int64Var(&c.maxAttachment, flagMaxFile, 20<<20, "bytes of the largest file that may be attached to a message")
	f.IntVar(&c.retainEvents, flagEvents, core.DefaultRetainEvents, "newest events of its rooms that an agent may read again after a pause")
	f.DurationVar(&c.retainAge, flagAge, core.DefaultRetainAge, "age up to which an agent may read events again after a pause")
	c.areyouai.define(f)
	c.webhooks.define(f)
	c.purge.define(f)
	c.timeouts.define(f)
	c.edge.define(f)
	c.metrics.define(f)
	c.proxies.define(f)
	for _, l := range c.limitFlags() {
		f.IntVar(l.value, l.flag, *l.value, l.usage+"; 0 = no limit")
	}
}

// check finds all that is wrong with a configuration, so that nobody has to start once for each mistake. Given tells
// whether a flag was set, by itself or by its variable. No value of a secret is in the error.
func (c *serveConfig) check(given func(flag string) bool) error {
	var problems []error
	problem := func(flag, format string, args ...any) {
		problems = append(problems, fmt.Errorf("--"+flag+" "+format, args...))
	}
	if err := checkAddress(c.listen); err != nil {
		problems = append(problems, err)
	}
	if c.data == "" {
		problem(flagData, "must not be empty")
	}
	switch {
	case c.token == "" && given(flagToken):
		problem(flagToken, "must not be empty; leave it out to give none")
	case c.token != strings.TrimSpace(c.token):
		problem(flagToken, "must not begin or end with white space")
	}
	if c.publicURL != "" && !isBaseURL(c.publicURL) {
		problem(flagPublicURL, "must be an absolute http or https URL without user, query and fragment, but is %q", c.publicURL)
	}
	problems = append(problems, c.checkAreyouai(given)...)
	problems = append(problems, c.webhooks.check(given)...)
	problems = append(problems, c.purge.check(given)...)
	c.timeouts.check(problem)
	c.edge.check(given, problem)
	c.metrics.check(given, problem)
	c.proxies.check(problem)
	if _, err := parseLevel(c.logLevel); err != nil {
		problem(flagLogLevel, "%w", err)
	}
	if c.maxAttachment < 1 {
		problem(flagMaxFile, "must be 1 or more, but is %d", c.maxAttachment)
	}
	if c.retainEvents < 1 {
		problem(flagEvents, "must be 1 or more, but is %d", c.retainEvents)
	}
	if c.retainAge < time.Second {
		problem(flagAge, "must be one second or more, such as 36h, but is %s", c.retainAge)
	}
	for _, l := range c.limitFlags() {
		if *l.value < 0 {
			problem(l.flag, "must be 0 or more, but is %d", *l.value)
		}
	}
	if problems == nil {
		return nil
	}
	return fmt.Errorf("the configuration cannot be used:\n%w", errors.Join(problems...))
}

// checkAddress refuses what would be no address, or, being empty, would be all of the machine's.
func checkAddress(listen string) error {
	if strings.TrimSpace(listen) == "" {
		return errors.New("--" + flagListen + " must not be empty")
	}
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return fmt.Errorf("--%s must be host:port: %w", flagListen, err)
	}
	return nil
}

func isBaseURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(s, "?#'\"`$\\ ")
}
