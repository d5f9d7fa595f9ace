package areyouaifront_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
)

func TestDefaultSizes(t *testing.T) {
	require.Equal(t, areyouaifront.Sizes{
		Limits: areyouai.Limits{
			NameChars: 256, TopicChars: 1024, Tags: 64, TagChars: 128, MessageChars: 8192, BodyBytes: 256 << 10,
			DefaultTurns: 20, DefaultTTLSeconds: 900, HistoryPage: 200,
			TypingDefault: 7 * time.Second, TypingMin: time.Second, TypingMax: 30 * time.Second,
		},
		SearchHits: 100, Webhooks: 64,
	}, areyouaifront.DefaultSizes())
}

// TestListingLimitsAreTheProtocols: what other doors say of listings has the bounds that the protocol's own door has.
func TestListingLimitsAreTheProtocols(t *testing.T) {
	require.Equal(t, []int{areyouai.MaxTopicChars, areyouai.MaxTags, areyouai.MaxTagChars, areyouai.DefaultMaxTurns, areyouai.DefaultTTLSeconds},
		[]int{
			core.MaxListingTopicCharacters, core.DefaultListingTags, core.DefaultListingTagCharacters, core.DefaultListingTurns,
			core.DefaultListingTTLSeconds,
		})
	require.Equal(t, []int{areyouai.MaxMaxTurns, areyouai.MaxTTLSeconds}, []int{core.MaxListingTurns, core.MaxListingTTLSeconds})
	require.Equal(t, core.DefaultListingHits, areyouaifront.DefaultSizes().SearchHits)
	large := areyouaifront.Sizes{Limits: areyouai.Limits{Tags: core.MaxListingTags + 1, TagChars: core.MaxListingTagCharacters + 1}}
	g := newGate(t, areyouaifront.Options{Sizes: large})
	p := g.person("ada")
	refused := g.post("/v1/listings", p.token, `{"topic":"t","tags":["`+strings.Repeat("x", core.MaxListingTagCharacters+1)+`"]}`)
	require.Equal(t, 400, refused.status, refused.body)
}

// TestSizesShowAtTheWire: each size that was chosen is the one that holds, and the one that is told.
func TestSizesShowAtTheWire(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	named := func(g *gate, n int) answer {
		return g.post("/v1/agent/register", "", fmt.Sprintf(`{"name":%q}`, long(n)))
	}
	offer := func(g *gate, p person, body string) answer { return g.post("/v1/listings", p.token, body) }
	refused := func(t *testing.T, a answer, hint string) {
		t.Helper()
		require.Equal(t, "invalid_request", a.code(), a.body)
		require.Contains(t, a.body, hint)
	}
	for name, tc := range map[string]struct {
		limits areyouai.Limits
		check  func(t *testing.T, g *gate)
	}{
		"name": {areyouai.Limits{NameChars: 5}, func(t *testing.T, g *gate) {
			require.Equal(t, 201, named(g, 5).status)
			refused(t, named(g, 6), "limited to 5 characters")
		}},
		"name above what the gateway takes": {areyouai.Limits{NameChars: 9999}, func(t *testing.T, g *gate) {
			require.Equal(t, 201, named(g, core.MaxNameCharacters).status)
			refused(t, named(g, core.MaxNameCharacters+1), "limited to 256 characters")
		}},
		"topic": {areyouai.Limits{TopicChars: 7}, func(t *testing.T, g *gate) {
			p := g.person("Ada")
			require.Equal(t, 201, offer(g, p, fmt.Sprintf(`{"topic":%q}`, long(7))).status)
			refused(t, offer(g, p, fmt.Sprintf(`{"topic":%q}`, long(8))), "limited to 7 characters")
		}},
		"topic above what the gateway takes": {areyouai.Limits{TopicChars: 9999}, func(t *testing.T, g *gate) {
			refused(t, offer(g, g.person("Ada"), fmt.Sprintf(`{"topic":%q}`, long(1025))), "limited to 1024 characters")
		}},
		"tags": {areyouai.Limits{Tags: 2, TagChars: 3}, func(t *testing.T, g *gate) {
			p := g.person("Ada")
			require.Equal(t, 201, offer(g, p, `{"topic":"t","tags":["abc","d"]}`).status)
			refused(t, offer(g, p, `{"topic":"t","tags":["a","b","c"]}`), "limited to 2 entries")
			refused(t, offer(g, p, `{"topic":"t","tags":["abcd"]}`), "limited to 3 characters")
		}},
		"more tags": {areyouai.Limits{Tags: 100, TagChars: 200}, func(t *testing.T, g *gate) {
			tags := strings.Repeat(`"t",`, 99) + fmt.Sprintf("%q", long(200))
			l := g.listing(g.person("Ada"), `{"topic":"t","tags":[`+tags+`]}`)
			require.Len(t, l.Tags, 100)
		}},
		"turns and time": {areyouai.Limits{DefaultTurns: 3, DefaultTTLSeconds: 45}, func(t *testing.T, g *gate) {
			p := g.person("Ada")
			l := g.listing(p, `{"topic":"t"}`)
			require.EqualValues(t, 3, l.MaxTurns)
			require.EqualValues(t, 45, l.TTLSeconds)
			l = g.listing(p, `{"topic":"t","max_turns":50,"ttl_seconds":60}`)
			require.EqualValues(t, 50, l.MaxTurns)
			require.EqualValues(t, 60, l.TTLSeconds)
			text := g.get("/skill.md", "").body
			require.Contains(t, text, "(default 3)")
			require.Contains(t, text, "(default 45)")
		}},
		"history page": {areyouai.Limits{HistoryPage: 2}, func(t *testing.T, g *gate) {
			r := g.room()
			for query, want := range map[string]int{"": 2, "?limit=200": 2, "?limit=2": 2, "?limit=1": 1} {
				page := as[areyouai.HistoryReply](g, 200, g.get(r.path("/events/history"+query), r.a.token))
				require.Len(t, page.Items, want, query)
			}
		}},
		"longer history page": {areyouai.Limits{HistoryPage: 300}, func(t *testing.T, g *gate) {
			r := g.openRoom(g.person("Ada"))
			r.postAlone(310, 0)
			page := as[areyouai.HistoryReply](g, 200, g.get(r.path("/events/history?limit=999"), r.a.token))
			require.Len(t, page.Items, 300)
		}},
		"typing": {areyouai.Limits{TypingDefault: 3 * time.Second, TypingMin: 2 * time.Second, TypingMax: 4 * time.Second}, func(t *testing.T, g *gate) {
			w := g.watchedRoom()
			for body, want := range map[string]int64{`{"state":"start"}`: 3000, `{"state":"start","ttl_ms":1}`: 2000, `{"state":"start","ttl_ms":99999}`: 4000} {
				got := as[areyouai.TypingStartReply](g, 200, w.type_(w.a, body))
				require.Equal(t, want, got.TTLMS)
				require.Equal(t, g.clock.Now().Add(time.Duration(want)*time.Millisecond), got.ExpiresAt.Time)
			}
			refused(t, w.type_(w.a, `{"state":"start","ttl_ms":0}`), "Leave it out for 3000; values are kept within 2000 and 4000.")
		}},
		"body": {areyouai.Limits{MessageChars: 100, BodyBytes: 6000}, func(t *testing.T, g *gate) {
			fits := fmt.Sprintf(`{"name":"n","x":%q}`, strings.Repeat("x", 6000-len(`{"name":"n","x":""}`)))
			require.Equal(t, 201, g.post("/v1/agent/register", "", fits).status)
			tooLarge(t, g.post("/v1/agent/register", "", fits+" "), 100, "6000 bytes")
		}},
		"larger body": {areyouai.Limits{BodyBytes: 1 << 20}, func(t *testing.T, g *gate) {
			fits := fmt.Sprintf(`{"name":"n","x":%q}`, strings.Repeat("x", 1<<20-len(`{"name":"n","x":""}`)))
			require.Equal(t, 201, g.post("/v1/agent/register", "", fits).status)
			tooLarge(t, g.post("/v1/agent/register", "", fits+" "), 8192, "1024 KiB")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := unlimited()
			o.Sizes.Limits = tc.limits
			tc.check(t, newGate(t, o))
		})
	}
}

// tooLarge is the refusal of what is too long, with the limits that hold.
func tooLarge(t *testing.T, a answer, chars int, body string) {
	t.Helper()
	require.Equal(t, "payload_too_large", a.code(), a.body)
	require.Contains(t, a.body, fmt.Sprintf(`"max_chars":%d`, chars))
	require.Contains(t, a.body, fmt.Sprintf("within %d characters", chars))
	require.Contains(t, a.body, "within "+body)
}

// TestMessageLimit: lower and higher than the protocol's, in rooms of turns and others, and as the playbook tells.
func TestMessageLimit(t *testing.T) {
	for _, tc := range []struct {
		given, holds int
		body         string
	}{
		{given: 10, holds: 10, body: "256 KiB"},
		{given: 30_000, holds: 30_000, body: "364096 bytes"},
		{given: 1 << 30, holds: areyouaifront.MaxMessageChars, body: "772 KiB"},
	} {
		t.Run(fmt.Sprint(tc.given), func(t *testing.T) {
			o := unlimited()
			o.Sizes.MessageChars = tc.given
			g := newGate(t, o)
			r := g.room()
			// The longest characters, written as the longest escapes that a client may choose.
			longest := strings.Repeat(`\ud83d\ude00`, tc.holds)
			c := r.context(r.a)
			post := func(text string) answer {
				return r.post(r.a, fmt.Sprintf(`{"expected_turn":%d,"bundle_hash":%q,"ciphertext":"%s"}`, c.NextTurn, c.BundleHash, text))
			}
			tooLarge(t, post(longest+"x"), tc.holds, tc.body)
			require.Equal(t, 201, post(longest).status)
			require.True(t, strings.Contains(r.context(r.b).PromptBundleText, strings.Repeat("😀", tc.holds)), "the newest message is whole")
			require.Contains(t, g.get("/skill.md", "").body, fmt.Sprintf("at most %d characters", tc.holds))

			open := g.openRoom(r.a)
			open.b = r.b
			tooLarge(t, open.post(r.a, open.message(r.a, strings.Repeat("x", tc.holds+1))), tc.holds, tc.body)
			open.say(r.a, strings.Repeat("x", tc.holds))
		})
	}
}

// TestOtherDoorsKeepTheirLimit: what is configured here changes nothing for a post that names no limit.
func TestOtherDoorsKeepTheirLimit(t *testing.T) {
	o := unlimited()
	o.Sizes.MessageChars = 10
	g := newGate(t, o)
	r := g.room()
	post := func(n int) error {
		_, _, err := g.node.PostMessage(t.Context(), r.id, core.PostMessage{Sender: r.a.id, Text: strings.Repeat("é", n)}, nil)
		return err
	}
	var tooLong *core.TooLongError
	require.ErrorAs(t, post(core.MaxTurnsMessage+1), &tooLong)
	require.Equal(t, core.MaxTurnsMessage, tooLong.Max)
	require.NoError(t, post(core.MaxTurnsMessage))
}

func TestSearchHits(t *testing.T) {
	o := unlimited()
	o.Sizes.SearchHits = 2
	g := newGate(t, o)
	ada := g.person("Ada")
	for range 3 {
		g.listing(ada, `{"topic":"t"}`)
	}
	require.Len(t, as[areyouai.SearchReply](g, 200, g.get("/v1/listings/search", "")).Items, 2)
}

func TestWebhooksPerAgent(t *testing.T) {
	for _, most := range []int{2, 70} {
		o := hookOptions(t, firstKey)
		o.Sizes.Webhooks = most
		g := newGate(t, o)
		ada, bob := g.person("Ada"), g.person("Bob")
		var first areyouai.WebhookReply
		for i := range most {
			if made := g.hook(ada, "https://example.org/"); i == 0 {
				first = made
			}
		}
		more := `{"url":"https://example.org/","secret":"s"}`
		require.Contains(t, g.post("/v1/agent/webhooks", ada.token, more).body, fmt.Sprintf("there are %d webhooks already", most))
		g.hook(bob, "https://example.org/")
		require.Equal(t, 204, g.do(ask{method: "DELETE", path: "/v1/agent/webhooks/" + first.ID, token: ada.token}).status)
		g.hook(ada, "https://example.org/")
	}
}
