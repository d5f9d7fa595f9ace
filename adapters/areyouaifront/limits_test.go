package areyouaifront_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

func TestDefaultLimits(t *testing.T) {
	require.Equal(t, areyouaifront.Limits{
		AccountsPerIP: 120, PostsPerIP: 120, MessagesPerAgent: 30, MessagesPerRoom: 60, OpensPerIP: 120, OpensPerMember: 30, OpenStreams: 5,
		OpenAgentStreams: 8, OpenViewerStreams: 64, OpenPerIP: 512, GuessesPerIP: 60, GuessesPerRoom: 600,
	}, areyouaifront.DefaultLimits())
}

func TestAccountsPerAddress(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{AccountsPerIP: 4}})
	g.person("p")
	require.Equal(t, 400, g.post("/v1/agent/register", "", "{}").status)
	require.Equal(t, 401, g.post("/v1/agent/login", "", `{"api_key":"guess"}`).status)
	require.Equal(t, "rate_limited", g.post("/v1/agent/login", "", `{"api_key":"guess"}`).code())
	require.Equal(t, "rate_limited", g.post("/v1/agent/register", "", `{"name":"p"}`).code())
	g.clock.Advance(time.Minute)
	g.person("p")
}

// TestOnlyAcceptedMessagesCount: refused posts use up nothing, in rooms of the agent's all together, and the count slides.
func TestOnlyAcceptedMessagesCount(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{MessagesPerAgent: 2}})
	r := g.room()
	for range 5 {
		require.Equal(t, "stale_bundle_hash", r.post(r.a, r.message(r.a, "x", staleOnly)).code())
		require.Equal(t, "turn_mismatch", r.post(r.b, r.message(r.b, "x")).code())
	}
	r.talk(2)
	g.clock.Advance(30 * time.Second)
	l := g.listing(r.a, `{"topic":"t"}`)
	require.Equal(t, 201, g.post("/v1/listings/"+l.ID+"/connect", r.b.token, "").status)
	second := room{g: g, id: l.RoomID, a: r.a, b: r.b}
	second.talk(2)
	require.Equal(t, "rate_limited", second.post(r.a, second.message(r.a, "x")).code())
	g.clock.Advance(30 * time.Second)
	r.say(r.a, "the first one left the minute")
	require.Equal(t, "rate_limited", second.post(r.a, second.message(r.a, "x")).code())
	g.clock.Advance(30 * time.Second)
	second.say(r.a, "and the second")
}

// TestAgentsRateHoldsAcrossRooms: posts of one agent in many rooms at once are counted together.
func TestAgentsRateHoldsAcrossRooms(t *testing.T) {
	const rooms, allowed = 12, 5
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{MessagesPerAgent: allowed}})
	ada, bob := g.person("Ada"), g.person("Bob")
	var posts []ask
	for range rooms {
		l := g.listing(ada, `{"topic":"t"}`)
		require.Equal(t, 201, g.post("/v1/listings/"+l.ID+"/connect", bob.token, "").status)
		r := room{g: g, id: l.RoomID, a: ada, b: bob}
		posts = append(posts, ask{method: "POST", path: r.path("/messages"), token: ada.token, body: r.message(ada, "x")})
	}
	count := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, a := range posts {
		wg.Go(func() {
			got, err := g.try(a)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				count[fmt.Sprint(got.status, got.code())]++
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[string]int{"201": allowed, "429rate_limited": rooms - allowed}, count)
}

// TestOpenStreamsAreCountedWhileTheyLive: the sixth is refused however long the others have been open, and a place is
// free as soon as one ends.
func TestOpenStreamsAreCountedWhileTheyLive(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{OpenStreams: 5}})
	r := g.room()
	var open []*eventStream
	for range 5 {
		open = append(open, g.openStream(r.path("/events"), r.a.token, nil))
	}
	g.clock.Advance(10 * time.Minute)
	require.Equal(t, "rate_limited", g.get(r.path("/events"), r.a.token).code())
	open = append(open, g.openStream(r.path("/events"), r.b.token, nil))
	open[0].close()
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 5 }, patience, time.Millisecond)
	open = append(open, g.openStream(r.path("/events"), r.a.token, nil))
	for _, s := range open {
		s.close()
	}
	require.Eventually(t, func() bool { return g.front.OpenStreams() == 0 }, patience, time.Millisecond)
}

func TestStreamOpensAreCounted(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{OpensPerMember: 2, OpensPerIP: 6}})
	r := g.room()
	stranger := g.person("stranger")
	require.Equal(t, 403, g.get(r.path("/events"), stranger.token).status)
	require.Equal(t, 401, g.get(r.path("/events"), "").status)
	for range 2 {
		g.openStream(r.path("/events"), r.a.token, nil).close()
	}
	require.Equal(t, "rate_limited", g.get(r.path("/events"), r.a.token).code())
	g.openStream(r.path("/events"), r.b.token, nil).close()
	require.Equal(t, "rate_limited", g.get(r.path("/events"), "").code(), "the address, before the credential")
	g.clock.Advance(time.Minute)
	g.openStream(r.path("/events"), r.a.token, nil).close()
}

// TestZeroSwitchesOff: with limits of 0 nothing is counted.
func TestZeroSwitchesOff(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":1000}`)
	for range 200 {
		require.Equal(t, 401, g.post(r.path("/messages"), "", "").status)
	}
	r.talk(70)
	require.EqualValues(t, 70, as[areyouai.RoomReply](g, 200, g.get(r.path("/state"), r.a.token)).TurnIndex)
}
