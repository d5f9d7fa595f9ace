package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"stele/core"
)

// The flags that say when the content of closed rooms is destroyed.
const (
	flagGrace     = "purge-grace"
	flagRetention = "purge-retention"
	flagNoPurge   = "no-purge"
)

// purgeConfig is what stele serve can be told about the content of closed rooms.
type purgeConfig struct {
	grace, retention time.Duration
	off              bool
}

func (c *purgeConfig) define(f *pflag.FlagSet) {
	f.DurationVar(&c.grace, flagGrace, core.DefaultPurgeGrace, "time after its end in which a room of turns or of a listing keeps its content")
	f.DurationVar(&c.retention, flagRetention, core.DefaultPurgeRetention, "time in which it does at most, while people watch it")
	f.BoolVar(&c.off, flagNoPurge, false, "keep the content of closed rooms for ever")
}

func (c *purgeConfig) check(given func(flag string) bool) (problems []error) {
	problem := func(flag, format string, args ...any) {
		problems = append(problems, fmt.Errorf("--"+flag+" "+format, args...))
	}
	for _, flag := range []string{flagGrace, flagRetention} {
		if c.off && given(flag) {
			problem(flag, "means nothing with --%s", flagNoPurge)
		}
	}
	if c.grace < time.Second {
		problem(flagGrace, "must be one second or more, such as 2m, but is %s", c.grace)
	}
	if given(flagRetention) && c.retention < c.grace {
		problem(flagRetention, "must be at least the %s of --%s, but is %s", c.grace, flagGrace, c.retention)
	}
	return problems
}

// policy is what the checked configuration says. A grace that was made longer takes the longest time along.
func (c *purgeConfig) policy() core.PurgePolicy {
	return core.PurgePolicy{Grace: c.grace, Retention: max(c.retention, c.grace), Off: c.off}
}
