package core

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Bounds of listings, and what one gets that names no limits (areyouai: limits and validation in one place). No door lets
// more in.
const (
	// MaxListingTopicCharacters: a topic is the name of the room that is made for it.
	MaxListingTopicCharacters = MaxRoomNameCharacters
	// MaxListingTags and MaxListingTagCharacters are the most that a gateway can be told to take.
	MaxListingTags          = 1000
	MaxListingTagCharacters = 1000
	MaxListingTurns         = math.MaxInt32
	// MaxListingTTLSeconds is a hundred years.
	MaxListingTTLSeconds = 100 * 365 * 24 * 3600

	DefaultListingTags          = 64
	DefaultListingTagCharacters = 128
	DefaultListingTurns         = 20
	DefaultListingTTLSeconds    = 900
	// DefaultListingHits is ours: the protocol asks for a bounded answer without naming the bound.
	DefaultListingHits = 100
)

// ListingLimits bound the listings that are made through operations. A field of 0 or less is its default; one that is above
// what any listing may have is cut to that. A gateway with a door of its own for listings has the same there.
type ListingLimits struct {
	// TopicCharacters bounds a topic. Default MaxListingTopicCharacters.
	TopicCharacters int
	// Tags and TagCharacters bound the tags and each of them. Defaults DefaultListingTags and DefaultListingTagCharacters.
	Tags, TagCharacters int
	// Turns and TTLSeconds are what a listing gets that names none. Defaults DefaultListingTurns and
	// DefaultListingTTLSeconds.
	Turns, TTLSeconds int
	// Hits bounds the answer to a search. Default DefaultListingHits.
	Hits int
}

func (l ListingLimits) withDefaults() ListingLimits {
	for _, f := range []struct {
		value        *int
		preset, most int
	}{
		{&l.TopicCharacters, MaxListingTopicCharacters, MaxListingTopicCharacters},
		{&l.Tags, DefaultListingTags, MaxListingTags},
		{&l.TagCharacters, DefaultListingTagCharacters, MaxListingTagCharacters},
		{&l.Turns, DefaultListingTurns, MaxListingTurns},
		{&l.TTLSeconds, DefaultListingTTLSeconds, MaxListingTTLSeconds},
		{&l.Hits, DefaultListingHits, math.MaxInt},
	} {
		if *f.value <= 0 {
			*f.value = f.preset
		}
		*f.value = min(*f.value, f.most)
	}
	return l
}

// ListingLimits are the limits of listings on this node.
func (n *Node) ListingLimits() ListingLimits { return n.opts.Listings }

// Check refuses texts of a listing that are blank, of more than one line, or longer than the limits. Errors: *[InvalidError], *[TooLongError].
func (l ListingLimits) Check(topic string, tags []string) error {
	if strings.TrimSpace(topic) == "" {
		return &InvalidError{Field: "topic", Reason: "must not be blank"}
	}
	if err := firstError(checkCharacters("topic", topic, l.TopicCharacters), checkLine("topic", topic)); err != nil {
		return err
	}
	if len(tags) > l.Tags {
		return &InvalidError{Field: "tags", Reason: fmt.Sprintf("must be at most %d", l.Tags)}
	}
	for _, tag := range tags {
		if err := firstError(checkCharacters("tags", tag, l.TagCharacters), checkLine("tags", tag)); err != nil {
			return err
		}
	}
	return nil
}

// checkLine refuses what would break the line in which clients show a text, or steer a terminal (areyouai: topics and tags).
func checkLine(field, text string) error {
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' }) {
		return &InvalidError{Field: field, Reason: "must not contain line breaks or other control characters"}
	}
	return nil
}

// checkOffer refuses what no listing may have.
func checkOffer(topic string, tags []string) error {
	return ListingLimits{
		TopicCharacters: MaxListingTopicCharacters, Tags: MaxListingTags, TagCharacters: MaxListingTagCharacters,
	}.Check(topic, tags)
}

func checkLimit(field string, n, most int) error {
	if n < 1 || n > most {
		return &InvalidError{Field: field, Reason: fmt.Sprintf("must be from 1 to %d", most)}
	}
	return nil
}
