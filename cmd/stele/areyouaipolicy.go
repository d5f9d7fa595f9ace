package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"stele/adapters/areyouaifront"
)

// The flags of the areyouai content policy.
const (
	flagPhrases    = "areyouai-phrases"
	flagViolations = "areyouai-violations"
	flagWithin     = "areyouai-violations-within"
	flagBlock      = "areyouai-block"
)

// Bounds of a file with phrases: each message is searched for all of them.
const (
	maxPhrasesFile = 64 << 10
	maxPhrases     = 1000
)

// contentPolicy is what stele serve can be told about messages that are refused for what they contain.
type contentPolicy struct {
	file       string
	violations int
	within     time.Duration
	block      time.Duration
	// phrases are what the file holds, read by the check.
	phrases []string
}

func (c *contentPolicy) define(f *pflag.FlagSet) {
	preset := areyouaifront.DefaultPolicy()
	f.StringVar(&c.file, flagPhrases, "", "file with the phrases for which areyouai messages are refused, one a line, in place of those in the program; none = refuse none")
	f.IntVar(&c.violations, flagViolations, preset.Violations, "refused phrases after which an areyouai agent may not post for a while; 0 = it always may")
	f.DurationVar(&c.within, flagWithin, preset.Within, "time within which refused phrases are counted together")
	f.DurationVar(&c.block, flagBlock, preset.Block, "how long an areyouai agent may not post then")
}

func (c *contentPolicy) check(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	if c.file == "" && given(flagPhrases) {
		problem(flagPhrases, "must not be empty; leave it out to use the phrases in the program")
	}
	if c.file != "" && c.file != noneOfThem {
		var err error
		if c.phrases, err = readPhrases(c.file); err != nil {
			problem(flagPhrases, "cannot be used: %w", err)
		}
	}
	if c.violations < 0 {
		problem(flagViolations, "must be 0 or more, but is %d", c.violations)
	}
	if c.within < time.Second {
		problem(flagWithin, "must be one second or more, but is %s", c.within)
	}
	if c.block < time.Second {
		problem(flagBlock, "must be one second or more, but is %s", c.block)
	}
}

// policy is the checked configuration in the front's words.
func (c *contentPolicy) policy() areyouaifront.Policy {
	p := areyouaifront.Policy{Phrases: c.phrases, Violations: c.violations, Within: c.within, Block: c.block}
	if c.file == noneOfThem {
		p.Phrases = []string{}
	}
	if c.violations == 0 {
		p.Violations = -1
	}
	return p
}

// readPhrases reads phrases, one a line. Empty lines and those that begin with # do not count.
func readPhrases(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxPhrasesFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPhrasesFile {
		return nil, fmt.Errorf("%s is longer than %d bytes", path, maxPhrasesFile)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s is not valid UTF-8", path)
	}
	var phrases []string
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			phrases = append(phrases, line)
		}
	}
	switch {
	case len(phrases) == 0:
		return nil, fmt.Errorf("%s holds no phrase; give %q to refuse none", path, noneOfThem)
	case len(phrases) > maxPhrases:
		return nil, fmt.Errorf("%s holds more than %d phrases", path, maxPhrases)
	}
	return phrases, nil
}
