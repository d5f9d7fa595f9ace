package main

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/core"
)

// configured is what the flags of stele serve say, and what is wrong with them.
func configured(t *testing.T, args ...string) (serveConfig, error) {
	t.Helper()
	c := serveConfig{limits: areyouaifront.DefaultLimits()}
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	c.define(f)
	require.NoError(t, f.Parse(slices.Clone(args)))
	return c, c.check(f.Changed)
}

func TestSizesAndLivesByDefault(t *testing.T) {
	c, err := configured(t)
	require.NoError(t, err)
	require.Equal(t, areyouaifront.DefaultSizes(), c.areyouaiOptions().Sizes)
	require.Equal(t, core.DefaultLives(), c.areyouai.sizes.lives)
	require.Equal(t, core.PurgePolicy{Grace: 24 * time.Hour, Retention: 48 * time.Hour}, c.purge.policy())
	require.Equal(t, timeoutsConfig{header: 5 * time.Second, body: 15 * time.Second, reply: 30 * time.Second, idle: time.Minute}, c.timeouts)
}

// TestSizesAndLivesOfTheFlags: no flag is forgotten on its way, and what was not given makes room for what was.
func TestSizesAndLivesOfTheFlags(t *testing.T) {
	sizes := func(edit func(*areyouaifront.Sizes)) areyouaifront.Sizes {
		s := areyouaifront.DefaultSizes()
		edit(&s)
		return s
	}
	for flag, tc := range map[string]struct {
		value string
		sizes func(*areyouaifront.Sizes)
		lives func(*core.Lives)
	}{
		"areyouai-name-chars":       {value: "128", sizes: func(s *areyouaifront.Sizes) { s.NameChars = 128 }},
		"areyouai-topic-chars":      {value: "512", sizes: func(s *areyouaifront.Sizes) { s.TopicChars = 512 }},
		"areyouai-tags":             {value: "5", sizes: func(s *areyouaifront.Sizes) { s.Tags = 5 }},
		"areyouai-tag-chars":        {value: "6", sizes: func(s *areyouaifront.Sizes) { s.TagChars = 6 }},
		"areyouai-message-chars":    {value: "65536", sizes: func(s *areyouaifront.Sizes) { s.MessageChars, s.BodyBytes = 65536, 12*65536+4096 }},
		"areyouai-body-bytes":       {value: "150000", sizes: func(s *areyouaifront.Sizes) { s.BodyBytes = 150000 }},
		"areyouai-history-page":     {value: "50", sizes: func(s *areyouaifront.Sizes) { s.HistoryPage = 50 }},
		"areyouai-search-hits":      {value: "10", sizes: func(s *areyouaifront.Sizes) { s.SearchHits = 10 }},
		"areyouai-webhooks":         {value: "3", sizes: func(s *areyouaifront.Sizes) { s.Webhooks = 3 }},
		"areyouai-default-turns":    {value: "8", sizes: func(s *areyouaifront.Sizes) { s.DefaultTurns = 8 }},
		"areyouai-default-ttl":      {value: "1h", sizes: func(s *areyouaifront.Sizes) { s.DefaultTTLSeconds = 3600 }},
		"areyouai-typing":           {value: "40s", sizes: func(s *areyouaifront.Sizes) { s.TypingDefault, s.TypingMax = 40*time.Second, 40*time.Second }},
		"areyouai-typing-min":       {value: "9s", sizes: func(s *areyouaifront.Sizes) { s.TypingMin, s.TypingDefault = 9*time.Second, 9*time.Second }},
		"areyouai-typing-max":       {value: "5s", sizes: func(s *areyouaifront.Sizes) { s.TypingMax, s.TypingDefault = 5*time.Second, 5*time.Second }},
		"areyouai-session-life":     {value: "1h", lives: func(l *core.Lives) { l.Session = time.Hour }},
		"areyouai-room-token-life":  {value: "1m", lives: func(l *core.Lives) { l.RoomToken, l.RoomTokenSlide = time.Minute, 30*time.Second }},
		"areyouai-room-token-slide": {value: "90s", lives: func(l *core.Lives) { l.RoomTokenSlide = 90 * time.Second }},
		"areyouai-human-code-life":  {value: "72h", lives: func(l *core.Lives) { l.HumanCode = 72 * time.Hour }},
		"areyouai-viewer-life":      {value: "20s", lives: func(l *core.Lives) { l.Viewer = 20 * time.Second }},
		"areyouai-delivery-life":    {value: "10m", lives: func(l *core.Lives) { l.Delivery = 10 * time.Minute }},
		"areyouai-webhook-claim":    {value: "2m", lives: func(l *core.Lives) { l.Claim = 2 * time.Minute }},
	} {
		t.Run(flag, func(t *testing.T) {
			c, err := configured(t, "--"+flag, tc.value)
			require.NoError(t, err)
			want, lives := areyouaifront.DefaultSizes(), core.DefaultLives()
			if tc.sizes != nil {
				want = sizes(tc.sizes)
			} else {
				tc.lives(&lives)
			}
			require.Equal(t, want, c.areyouaiOptions().Sizes)
			require.Equal(t, lives, c.areyouai.sizes.lives)
		})
	}
}

// TestListingsOfTheFlags: listings have the same limits whatever door they come through.
func TestListingsOfTheFlags(t *testing.T) {
	c, err := configured(t, "--areyouai-topic-chars", "512", "--areyouai-tags", "5", "--areyouai-tag-chars", "6",
		"--areyouai-default-turns", "8", "--areyouai-default-ttl", "1h", "--areyouai-search-hits", "10")
	require.NoError(t, err)
	require.Equal(t, core.ListingLimits{TopicCharacters: 512, Tags: 5, TagCharacters: 6, Turns: 8, TTLSeconds: 3600, Hits: 10},
		c.areyouai.sizes.listings())
}

func TestSizesAndLivesThatCannotBe(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--areyouai-default-ttl", "1500ms"}, "--areyouai-default-ttl must be whole seconds, but is 1.5s"},
		{[]string{"--areyouai-typing", "1500500us"}, "--areyouai-typing must be whole milliseconds"},
		{[]string{"--areyouai-typing-min", "5s", "--areyouai-typing-max", "4s"}, "--areyouai-typing-min must be at most the 4s of --areyouai-typing-max, but is 5s"},
		{[]string{"--areyouai-typing", "5s", "--areyouai-typing-max", "4s"}, "--areyouai-typing must be from the 1s of --areyouai-typing-min to the 4s of --areyouai-typing-max, but is 5s"},
		{[]string{"--areyouai-room-token-slide", "3m"}, "--areyouai-room-token-slide must be at most 2m30s, half of --areyouai-room-token-life, but is 3m0s"},
		{[]string{"--areyouai-body-bytes", "100000"}, "--areyouai-body-bytes must be at least 102400, which a message of the 8192 characters of --areyouai-message-chars may need"},
		{[]string{"--areyouai-body-bytes", "16777217"}, "--areyouai-body-bytes must be from 1 to 16777216, but is 16777217"},
		{[]string{"--areyouai-message-chars", "65537"}, "--areyouai-message-chars must be from 1 to 65536, but is 65537"},
		{[]string{"--areyouai-webhook-claim", "19s"}, "--areyouai-webhook-claim must be from 20s"},
	} {
		_, err := configured(t, tc.args...)
		require.ErrorContains(t, err, tc.want)
	}
	outside(t, func(c *serveConfig) []bound[int] { return c.areyouai.sizes.numbers() })
	outside(t, func(c *serveConfig) []bound[time.Duration] { return c.areyouai.sizes.durations() })
	outside(t, func(c *serveConfig) []bound[time.Duration] { return c.timeouts.bounds() })
}

// outside: every flag of a table is refused below its least and above its most, and taken at both.
func outside[T int | time.Duration](t *testing.T, table func(*serveConfig) []bound[T]) {
	t.Helper()
	var c serveConfig
	for _, b := range table(&c) {
		for _, value := range []T{b.least - 1, b.most + 1} {
			_, err := configured(t, fmt.Sprintf("--%s=%v", b.flag, value))
			require.ErrorContains(t, err, fmt.Sprintf("--%s must be from %v to %v", b.flag, b.least, b.most))
		}
		for _, value := range []T{b.least, b.most} {
			if _, err := configured(t, fmt.Sprintf("--%s=%v", b.flag, value)); err != nil {
				require.NotContains(t, err.Error(), "--"+b.flag+" must be from "+fmt.Sprint(b.least)+" to "+fmt.Sprint(b.most))
			}
		}
	}
}

// TestGraceFollowsTheHumanCode: unless it was chosen itself.
func TestGraceFollowsTheHumanCode(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want core.PurgePolicy
	}{
		{[]string{"--areyouai-human-code-life", "72h"}, core.PurgePolicy{Grace: 72 * time.Hour, Retention: 72 * time.Hour}},
		{[]string{"--areyouai-human-code-life", "1h"}, core.PurgePolicy{Grace: time.Hour, Retention: 48 * time.Hour}},
		{[]string{"--areyouai-human-code-life", "72h", "--purge-grace", "2m"}, core.PurgePolicy{Grace: 2 * time.Minute, Retention: 48 * time.Hour}},
	} {
		c, err := configured(t, tc.args...)
		require.NoError(t, err)
		require.Equal(t, tc.want, c.purge.policy())
	}
	_, err := configured(t, "--areyouai-human-code-life", "72h", "--purge-retention", "48h")
	require.ErrorContains(t, err, "--purge-retention must be at least the 72h0m0s of --purge-grace")
}
