package areyouai

import (
	"fmt"
	"time"
)

// Limits are the sizes and defaults of input that a server may choose. The
// package's own Decode functions have [DefaultLimits]; the methods of the same
// names have these. A field of 0 or less is its default, see
// [Limits.WithDefaults]; the methods want them all filled in.
// Source: contract, "Limits and validation".
type Limits struct {
	// NameChars bounds an agent's name in code points. Default MaxNameChars;
	// clients may expect 128.
	NameChars int
	// TopicChars bounds a listing's topic in code points. Default
	// MaxTopicChars; clients may expect 512.
	TopicChars int
	// Tags and TagChars bound a listing's tags, and each of them in code
	// points. Defaults MaxTags and MaxTagChars.
	Tags, TagChars int
	// MessageChars bounds a trimmed message in code points. Default
	// MaxMessageChars, which clients rely on.
	MessageChars int
	// BodyBytes bounds every request body. Default MaxBodyBytes, or more where
	// the longest message needs it, see [Limits.LongestMessage].
	BodyBytes int
	// DefaultTurns and DefaultTTLSeconds are what a listing gets that names
	// none. Defaults DefaultMaxTurns and DefaultTTLSeconds.
	DefaultTurns, DefaultTTLSeconds int64
	// HistoryPage is the size of a page whose limit is absent or above it.
	// Default MaxHistoryLimit.
	HistoryPage int
	// TypingDefault is how long a start without ttl_ms is shown, TypingMin and
	// TypingMax are the bounds of one that names it, whole milliseconds.
	// Defaults DefaultTypingTTL, MinTypingTTL and MaxTypingTTL, as far as those
	// of the three that are given leave room.
	TypingDefault, TypingMin, TypingMax time.Duration
}

// DefaultLimits returns the limits of the contract.
func DefaultLimits() Limits { return Limits{}.WithDefaults() }

// WithDefaults fills in what is 0 or less.
func (l Limits) WithDefaults() Limits {
	fill(&l.NameChars, MaxNameChars)
	fill(&l.TopicChars, MaxTopicChars)
	fill(&l.Tags, MaxTags)
	fill(&l.TagChars, MaxTagChars)
	fill(&l.MessageChars, MaxMessageChars)
	fill(&l.BodyBytes, max(MaxBodyBytes, l.LongestMessage()))
	fill(&l.DefaultTurns, DefaultMaxTurns)
	fill(&l.DefaultTTLSeconds, DefaultTTLSeconds)
	fill(&l.HistoryPage, MaxHistoryLimit)
	fill(&l.TypingMax, max(MaxTypingTTL, l.TypingMin, l.TypingDefault))
	fill(&l.TypingMin, min(MinTypingTTL, l.TypingMax))
	fill(&l.TypingDefault, min(max(DefaultTypingTTL, l.TypingMin), l.TypingMax))
	return l
}

func fill[T int | int64 | time.Duration](v *T, preset T) {
	if *v <= 0 {
		*v = preset
	}
}

// LongestMessage is how many bytes the body of a message of MessageChars may
// need: each character may be a \u escape pair of 12 bytes, and the other
// fields have some room.
func (l Limits) LongestMessage() int { return 12*l.MessageChars + 4<<10 }

// PayloadTooLarge returns the 413, which tells the limits.
func (l Limits) PayloadTooLarge() *Error {
	e := NewError(CodePayloadTooLarge)
	e.MaxChars = l.MessageChars
	e.Hint = fmt.Sprintf("Keep a message within %d characters after trimming and a request body within %s.",
		l.MessageChars, bytesInWords(l.BodyBytes))
	return e
}

func bytesInWords(n int) string {
	if n%(1<<10) == 0 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// TypingTTL returns how long a start is shown: TypingDefault when the request
// named nothing, else its own within TypingMin and TypingMax. Zero and less are
// invalid_request, the last check of a start.
func (l Limits) TypingTTL(r TypingRequest) (time.Duration, error) {
	if r.TTLMS == nil {
		return l.TypingDefault, nil
	}
	least, most := l.TypingMin.Milliseconds(), l.TypingMax.Milliseconds()
	if *r.TTLMS <= 0 {
		return 0, InvalidRequest(fmt.Sprintf("Field ttl_ms must be above 0. Leave it out for %d; values are kept within %d and %d.",
			l.TypingDefault.Milliseconds(), least, most))
	}
	// Clamped as a number of milliseconds: a large one overflows a Duration.
	return time.Duration(min(max(*r.TTLMS, least), most)) * time.Millisecond, nil
}

// CheckSize returns payload_too_large for a message of more than MessageChars.
func (l Limits) CheckSize(r SendRequest) error {
	if r.Chars() > l.MessageChars {
		return l.PayloadTooLarge()
	}
	return nil
}
