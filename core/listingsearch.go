package core

import (
	"slices"
	"strings"
	"time"
)

// Listings returns rooms with a listing that can be connected to, newest listing first, at most limit, whose topic or a tag
// contains q without regard to case.
func (n *Node) Listings(q string, limit int) []Summary { return n.index.listings(q, n.now(), limit) }

// ListingRoom finds the room of a listing.
func (n *Node) ListingRoom(listing string) (string, bool) { return n.index.listingRoom(listing) }

func (x *index) listingRoom(listing string) (string, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	room, ok := x.byListing[listing]
	return room, ok
}

// listings returns rooms with a listing that can be connected to, newest listing first, at most limit, whose topic or a tag
// contains q without regard to case.
func (x *index) listings(q string, now time.Time, limit int) []Summary {
	q = strings.ToLower(strings.TrimSpace(q))
	x.mu.RLock()
	var out []Summary
	for _, r := range x.s.Rooms {
		if r.offered(now) && r.Listing.matches(q) {
			out = append(out, *r)
		}
	}
	x.mu.RUnlock()
	slices.SortFunc(out, func(a, b Summary) int {
		if c := b.ListedAt().Compare(a.ListedAt()); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out[:min(len(out), limit)]
}

// offered tells whether the room's listing can be connected to.
func (s *Summary) offered(now time.Time) bool {
	if s.Listing == nil || s.Archived || !s.TTLAt.IsZero() && now.After(s.TTLAt) {
		return false
	}
	if s.Floor == FloorTurns {
		return s.State == StateOpen && !s.Connected
	}
	return s.State == StateActive
}

// ListedAt is since when the listing stands that the room has.
func (s *Summary) ListedAt() time.Time {
	if s.Listing != nil && !s.Listing.PublishedAt.IsZero() {
		return s.Listing.PublishedAt
	}
	return s.CreatedAt
}

func (l *Listing) matches(q string) bool {
	return q == "" || strings.Contains(strings.ToLower(l.Topic), q) ||
		slices.ContainsFunc(l.Tags, func(t string) bool { return strings.Contains(strings.ToLower(t), q) })
}
