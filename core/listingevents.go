package core

import "time"

// ListingPublishedEvent: the room is offered to whoever connects. It takes the place of the offer before it, if there was
// one.
type ListingPublishedEvent struct {
	ListingFacts
	ListingTexts
}

// ListingFacts is what stays of an offer after its texts were erased.
type ListingFacts struct {
	// Listing is its id, Actor who published it.
	Listing string `json:"listing"`
	Actor   string `json:"actor"`
	// MaxTurns and TTLSeconds are what was left of the room's limits at that time, 0 for none.
	MaxTurns   int `json:"max_turns,omitempty"`
	TTLSeconds int `json:"ttl_seconds,omitempty"`
}

// ListingTexts is what people read to find an offer.
type ListingTexts struct {
	Topic string   `json:"topic"`
	Tags  []string `json:"tags,omitempty"`
}

// Kind implements [Payload].
func (e *ListingPublishedEvent) Kind() Kind { return ListingPublished }

func (e *ListingPublishedEvent) parts() (body, content any) { return &e.ListingFacts, &e.ListingTexts }

// listing is the offer as the room keeps it.
func (e *ListingPublishedEvent) listing(at time.Time) *Listing {
	return &Listing{
		ID: e.Listing, Agent: e.Actor, Topic: e.Topic, Tags: e.Tags, MaxTurns: e.MaxTurns, TTLSeconds: e.TTLSeconds,
		PublishedAt: at,
	}
}

// ListingWithdrawnEvent: the room is no longer offered.
type ListingWithdrawnEvent struct {
	Listing string `json:"listing"`
	Actor   string `json:"actor"`
}

// Kind implements [Payload].
func (e *ListingWithdrawnEvent) Kind() Kind                 { return ListingWithdrawn }
func (e *ListingWithdrawnEvent) parts() (body, content any) { return e, nil }
