package console_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// maxFirstLoad bounds all that a page loads, in bytes before compression.
const maxFirstLoad = 100_000

// scale weighs what a tab loads, live streams apart.
type scale struct {
	mu    sync.Mutex
	url   map[network.RequestID]string
	bytes map[network.RequestID]int64
}

func (s *scale) hear(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Type != network.ResourceTypeEventSource {
			s.url[e.RequestID] = e.Request.URL
		}
	case *network.EventDataReceived:
		s.bytes[e.RequestID] += e.DataLength
	}
}

// weighed are the sizes of what was loaded since the last time.
func (s *scale) weighed() (sum int64, by map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by = map[string]int64{}
	for id, url := range s.url {
		by[url] += s.bytes[id]
		sum += s.bytes[id]
	}
	clear(s.url)
	clear(s.bytes)
	return sum, by
}

// TestWeight: the first load of every page is small, also where much was said, and all of it comes from the gateway, which
// every tab checks (see [tab.hear]).
func TestWeight(t *testing.T) {
	f := newFair(t)
	sights := f.sights()
	// The most that a page of a room can get: many short messages of characters that grow when they are escaped, then large ones.
	for range 40 {
		f.party.adaSays(strings.Repeat(`"<'&>"`, 60))
	}
	for range 12 {
		f.party.cleoSays(strings.Repeat("'", 8000))
		f.pair.next(strings.Repeat("'", 8000))
		if state, err := f.pair.bert.State(t.Context(), f.pair.listing.RoomID); err != nil || state.State != "ACTIVE" {
			break
		}
	}
	many := map[string]any{}
	for i := range 3000 {
		many[fmt.Sprintf("box %d", i)] = i
	}
	_, err := f.party.cleo.Call(t.Context(), "emit_event", "inventory", many)
	require.NoError(t, err)
	b := f.tab
	b.open("/gateway/rooms/" + f.party.room)
	last := value[[]string](b, `[...document.querySelectorAll("#talk .at")].slice(-2).map((e) => e.getAttribute("href"))`)
	sights = append(sights, sight{name: "stele of a large message", path: last[0]}, sight{name: "stele of a large event", path: last[1]})

	scales := map[*tab]*scale{}
	for _, b := range []*tab{f.tab, f.stranger} {
		_, err = chromedp.Call(b.ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
		require.NoError(t, err)
		scales[b] = &scale{url: map[network.RequestID]string{}, bytes: map[network.RequestID]int64{}}
		require.NoError(t, chromedp.Listen(b.ctx, scales[b].hear))
	}
	for _, one := range sights {
		if then := one.then; then != nil {
			// The page that answers is the one that counts.
			one.then = func(b *tab) {
				b.frames(2)
				scales[b].weighed()
				then(b)
			}
		}
		b := f.show(one)
		b.frames(4)
		sum, by := scales[b].weighed()
		t.Logf("%6d bytes: %s", sum, one.name)
		require.Greater(t, sum, int64(5000), one.name)
		require.Less(t, sum, int64(maxFirstLoad), "%s: %v", one.name, by)
	}
}
