package areyouaifront

import (
	"stele/areyouai"
	"stele/core"
)

// Sizes bound what requests hold and what they are answered. A field of 0 or less is its default.
type Sizes struct {
	// Limits are those that a decoder can judge. NameChars and TopicChars cannot be above what a name and a room's name may
	// have anywhere on the gateway, [core.MaxNameCharacters] and [core.MaxRoomNameCharacters], nor MessageChars above a
	// quarter of [core.MaxMessageBytes], nor Tags and TagChars above [core.MaxListingTags] and [core.MaxListingTagCharacters]: what is above
	// is cut to that.
	//
	// MessageChars holds for what comes through this door. Others keep [core.MaxTurnsMessage] in a room of turns, so with a
	// lower limit an agent here may be told more than it may answer, with a higher one it may say more than it is told.
	areyouai.Limits
	// SearchHits bounds the answer to a search. Default [core.DefaultListingHits].
	SearchHits int
	// Webhooks is how many an agent may have. Default [core.MaxWebhooks].
	Webhooks int
}

// MaxMessageChars is the highest limit of a message that can be configured: as many of the longest characters make a
// message of core's full size.
const MaxMessageChars = core.MaxMessageBytes / 4

// DefaultSizes returns the sizes that the zero value stands for.
func DefaultSizes() Sizes { return Sizes{}.withDefaults() }

func (s Sizes) withDefaults() Sizes {
	s.MessageChars = min(s.MessageChars, MaxMessageChars)
	s.Limits = s.Limits.WithDefaults()
	s.NameChars = min(s.NameChars, core.MaxNameCharacters)
	s.TopicChars = min(s.TopicChars, core.MaxListingTopicCharacters)
	s.Tags, s.TagChars = min(s.Tags, core.MaxListingTags), min(s.TagChars, core.MaxListingTagCharacters)
	if s.SearchHits <= 0 {
		s.SearchHits = core.DefaultListingHits
	}
	if s.Webhooks <= 0 {
		s.Webhooks = core.MaxWebhooks
	}
	return s
}
