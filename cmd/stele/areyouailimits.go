package main

import (
	"time"

	"github.com/spf13/pflag"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

// The flags of sizes and lives that are checked against others.
const (
	flagMessage   = "areyouai-message-chars"
	flagBody      = "areyouai-body-bytes"
	flagTTL       = "areyouai-default-ttl"
	flagTyping    = "areyouai-typing"
	flagTypingMin = "areyouai-typing-min"
	flagTypingMax = "areyouai-typing-max"
	flagRoomToken = "areyouai-room-token-life"
	flagSlide     = "areyouai-room-token-slide"
	flagHumanCode = "areyouai-human-code-life"
)

// Bounds of what may be said: above them memory is at risk, and a life longer than a human one is a slip.
const (
	maxBody = 16 << 20
	maxMany = 1000
	maxLife = 100 * 365 * 24 * time.Hour
	maxPage = 1000
	// minClaim is longer than an attempt to reach a webhook and the writing down of its outcome can take.
	minClaim = 2 * areyouai.WebhookTimeout
)

// sizesConfig is what stele serve can be told about the sizes of areyouai requests and answers, and about how long things
// live that only this protocol has.
type sizesConfig struct {
	sizes areyouaifront.Sizes
	lives core.Lives
	// turns and ttl are what a listing gets that names none.
	turns int
	ttl   time.Duration
}

// bound is a flag with the least and the most that it may be.
type bound[T int | time.Duration] struct {
	flag, usage string
	value       *T
	least, most T
}

func (c *sizesConfig) numbers() []bound[int] {
	s := &c.sizes
	return []bound[int]{
		{"areyouai-name-chars", "characters of an areyouai agent's name", &s.NameChars, 1, core.MaxNameCharacters},
		{"areyouai-topic-chars", "characters of an areyouai listing's topic", &s.TopicChars, 1, core.MaxRoomNameCharacters},
		{"areyouai-tags", "tags of an areyouai listing", &s.Tags, 1, core.MaxListingTags},
		{"areyouai-tag-chars", "characters of an areyouai listing's tag", &s.TagChars, 1, core.MaxListingTagCharacters},
		{flagMessage, "characters of an areyouai message", &s.MessageChars, 1, areyouaifront.MaxMessageChars},
		{flagBody, "bytes of an areyouai request's body", &s.BodyBytes, 1, maxBody},
		{"areyouai-history-page", "events of the longest page of an areyouai room's history", &s.HistoryPage, 1, maxPage},
		{"areyouai-search-hits", "hits in the answer to an areyouai search", &s.SearchHits, 1, maxPage},
		{"areyouai-webhooks", "webhooks of an areyouai agent", &s.Webhooks, 1, maxMany},
		{"areyouai-default-turns", "turns of an areyouai room whose listing names none", &c.turns, 1, areyouai.MaxMaxTurns},
	}
}

func (c *sizesConfig) durations() []bound[time.Duration] {
	s, l := &c.sizes, &c.lives
	const long = time.Hour
	return []bound[time.Duration]{
		{flagTTL, "time to live of an areyouai room whose listing names none", &c.ttl, time.Second, maxLife},
		{flagTyping, "how long an areyouai agent is shown to write that names no ttl_ms", &s.TypingDefault, time.Millisecond, long},
		{flagTypingMin, "least ttl_ms of an areyouai agent that writes", &s.TypingMin, time.Millisecond, long},
		{flagTypingMax, "longest ttl_ms of an areyouai agent that writes", &s.TypingMax, time.Millisecond, long},
		{"areyouai-session-life", "life of an areyouai session token", &l.Session, time.Second, maxLife},
		{flagRoomToken, "life of an areyouai room token", &l.RoomToken, 2 * time.Second, maxLife},
		{flagSlide, "rest of its life at which an areyouai room token that is used gets a whole one", &l.RoomTokenSlide, time.Second, maxLife},
		{flagHumanCode, "life of an areyouai human code", &l.HumanCode, time.Second, maxLife},
		{"areyouai-viewer-life", "how long a viewer counts that is not heard of", &l.Viewer, time.Second, maxLife},
		{"areyouai-delivery-life", "how long a delivery of an agent stream can be received", &l.Delivery, time.Second, maxLife},
		{"areyouai-webhook-claim", "time after which an attempt to reach a webhook that was never settled is taken over", &l.Claim, minClaim, maxLife},
	}
}

func (c *sizesConfig) define(f *pflag.FlagSet) {
	*c = defaultSizesConfig()
	for _, b := range c.numbers() {
		f.IntVar(b.value, b.flag, *b.value, b.usage)
	}
	for _, b := range c.durations() {
		f.DurationVar(b.value, b.flag, *b.value, b.usage)
	}
}

func defaultSizesConfig() sizesConfig {
	sizes := areyouaifront.DefaultSizes()
	return sizesConfig{
		sizes: sizes, lives: core.DefaultLives(), turns: int(sizes.DefaultTurns),
		ttl: time.Duration(sizes.DefaultTTLSeconds) * time.Second,
	}
}

// check finds what is wrong with the sizes and lives. What was not given makes room for what was.
func (c *sizesConfig) check(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	for _, b := range c.numbers() {
		check(b, problem)
	}
	for _, b := range c.durations() {
		check(b, problem)
	}
	if c.ttl%time.Second != 0 {
		problem(flagTTL, "must be whole seconds, but is %s", c.ttl)
	}
	c.checkBody(given, problem)
	c.checkTyping(given, problem)
	switch half := c.lives.RoomToken / 2; {
	case !given(flagSlide):
		c.lives.RoomTokenSlide = min(c.lives.RoomTokenSlide, half)
	case c.lives.RoomTokenSlide > half:
		problem(flagSlide, "must be at most %s, half of --%s, but is %s", half, flagRoomToken, c.lives.RoomTokenSlide)
	}
}

func check[T int | time.Duration](b bound[T], problem func(flag, format string, args ...any)) {
	if *b.value < b.least || *b.value > b.most {
		problem(b.flag, "must be from %v to %v, but is %v", b.least, b.most, *b.value)
	}
}

// checkBody makes sure that the longest message fits a body, however a client writes it.
func (c *sizesConfig) checkBody(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	switch need := c.sizes.LongestMessage(); {
	case !given(flagBody):
		c.sizes.BodyBytes = max(c.sizes.BodyBytes, need)
	case c.sizes.BodyBytes < need:
		problem(flagBody, "must be at least %d, which a message of the %d characters of --%s may need, but is %d",
			need, c.sizes.MessageChars, flagMessage, c.sizes.BodyBytes)
	}
}

func (c *sizesConfig) checkTyping(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	s := &c.sizes
	for flag, life := range map[string]*time.Duration{flagTyping: &s.TypingDefault, flagTypingMin: &s.TypingMin, flagTypingMax: &s.TypingMax} {
		if *life%time.Millisecond != 0 {
			problem(flag, "must be whole milliseconds, but is %s", *life)
		}
		if !given(flag) {
			*life = 0
		}
	}
	s.Limits = s.WithDefaults()
	if s.TypingMin > s.TypingMax {
		problem(flagTypingMin, "must be at most the %s of --%s, but is %s", s.TypingMax, flagTypingMax, s.TypingMin)
	} else if s.TypingDefault < s.TypingMin || s.TypingDefault > s.TypingMax {
		problem(flagTyping, "must be from the %s of --%s to the %s of --%s, but is %s", s.TypingMin, flagTypingMin,
			s.TypingMax, flagTypingMax, s.TypingDefault)
	}
}

// listings is what the checked configuration says about listings, for those that do not come through areyouai's own door.
func (c *sizesConfig) listings() core.ListingLimits {
	return core.ListingLimits{
		TopicCharacters: c.sizes.TopicChars, Tags: c.sizes.Tags, TagCharacters: c.sizes.TagChars, Turns: c.turns,
		TTLSeconds: int(c.ttl / time.Second), Hits: c.sizes.SearchHits,
	}
}

// areyouai is what the checked configuration says about the front's sizes.
func (c *sizesConfig) areyouai() areyouaifront.Sizes {
	s := c.sizes
	s.DefaultTurns, s.DefaultTTLSeconds = int64(c.turns), int64(c.ttl/time.Second)
	return s
}
