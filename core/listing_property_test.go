package core_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/core"
	"stele/core/memlog"
)

// TestOffersProperty: whatever happens to rooms with listings, exactly the listings that are found can be connected to, and a
// start from the log alone finds the same.
func TestOffersProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := memlog.NewStore(memlog.Options{})
		n := openNode(t, store.Open(), core.Options{})
		ada := register(t, n, "ada")
		rooms, ids := []string{}, map[string]bool{}
		add := func(room, listing string) {
			rooms = append(rooms, room)
			ids[listing] = true
		}
		room := func() string { return rapid.SampledFrom(rooms).Draw(rt, "room") }
		duel, err := n.CreateListing(t.Context(), core.NewListing{Owner: member(ada), Topic: "duel", MaxTurns: 3, TTLSeconds: 900}, nil)
		require.NoError(t, err)
		add(duel.Room, duel.Listing)
		rooms = append(rooms, ownedRoom(t, n, ada, register(t, n, "bob")))
		guests := 0
		rt.Repeat(map[string]func(*rapid.T){
			"publish": func(*rapid.T) {
				p, err := n.PublishListing(t.Context(), room(), core.PublishListing{Actor: ada.ID, Topic: rapid.SampledFrom([]string{"", "tea"}).Draw(rt, "topic")}, nil)
				if err == nil {
					ids[p.Listing.ID] = true
				}
			},
			"withdraw": func(*rapid.T) {
				_, _ = n.WithdrawListing(t.Context(), room(), core.WithdrawListing{Actor: ada.ID}, nil)
			},
			"archive": func(*rapid.T) {
				archived := rapid.Bool().Draw(rt, "archived")
				require.NoError(t, n.ChangeRoom(t.Context(), room(), core.ChangeRoom{Actor: ada.ID, Archived: &archived}, nil))
			},
			"connect": func(*rapid.T) {
				listing := rapid.SampledFrom(sortedKeys(ids)).Draw(rt, "listing")
				offered := slices.Contains(found(n, ""), listing)
				guests++
				guest := register(t, n, "guest-"+string(rune('a'+guests%26))+string(rune('a'+guests/26%26)))
				made, err := join(t, n, listing, guest)
				require.Equal(t, offered, err == nil, "%v", err)
				if err == nil {
					require.True(t, n.IsMember(guest.ID, made.Room))
				}
			},
			"close": func(*rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") == 0 {
					_, _, _ = n.CloseRoom(t.Context(), room(), core.CloseRoom{Actor: ada.ID}, nil)
				}
			},
		})
		fresh := openNode(t, store.Open(), core.Options{NodeID: "other"})
		require.NoError(t, fresh.CatchUp(t.Context()))
		require.Equal(t, n.Listings("", 100), fresh.Listings("", 100))
		for _, id := range rooms {
			var live, folded core.Room
			require.NoError(t, n.ViewRoom(t.Context(), id, func(r *core.Room) { live = *r.Clone() }))
			require.NoError(t, fresh.ViewRoom(t.Context(), id, func(r *core.Room) { folded = *r.Clone() }))
			require.Equal(t, live.Offer(), folded.Offer())
		}
	})
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
