package areyouai_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
)

func TestDefaultLimits(t *testing.T) {
	require.Equal(t, areyouai.Limits{
		NameChars: 256, TopicChars: 1024, Tags: 64, TagChars: 128, MessageChars: 8192, BodyBytes: 256 << 10,
		DefaultTurns: 20, DefaultTTLSeconds: 900, HistoryPage: 200,
		TypingDefault: 7 * time.Second, TypingMin: time.Second, TypingMax: 30 * time.Second,
	}, areyouai.DefaultLimits())
	require.Equal(t, areyouai.NewError(areyouai.CodePayloadTooLarge), areyouai.DefaultLimits().PayloadTooLarge(),
		"the standard hint names the default limits")
}

// TestDefaultsLeaveRoom: what is filled in fits what was given, and a legal message fits a body.
func TestDefaultsLeaveRoom(t *testing.T) {
	const s = time.Second
	for _, tc := range []struct{ given, want [3]time.Duration }{
		{[3]time.Duration{0, 40 * s, 0}, [3]time.Duration{40 * s, 40 * s, 40 * s}},
		{[3]time.Duration{0, 0, s / 2}, [3]time.Duration{s / 2, s / 2, s / 2}},
		{[3]time.Duration{60 * s, 0, 0}, [3]time.Duration{60 * s, s, 60 * s}},
		{[3]time.Duration{0, 2 * s, 4 * s}, [3]time.Duration{4 * s, 2 * s, 4 * s}},
	} {
		l := areyouai.Limits{TypingDefault: tc.given[0], TypingMin: tc.given[1], TypingMax: tc.given[2]}.WithDefaults()
		require.Equal(t, tc.want, [3]time.Duration{l.TypingDefault, l.TypingMin, l.TypingMax}, "%v", tc.given)
	}
	for _, chars := range []int{1, 8192, 30_000, 1 << 20} {
		l := areyouai.Limits{MessageChars: chars}.WithDefaults()
		body := fmt.Sprintf(`{"expected_turn":9007199254740991,"bundle_hash":"%064d","ciphertext":"%s"}`, 0, strings.Repeat(`\ud83d\ude00`, chars))
		data, err := l.ReadBody(strings.NewReader(body))
		require.NoError(t, err)
		req, err := l.DecodeSend(data)
		require.NoError(t, err)
		require.Equal(t, chars, req.Chars())
		require.NoError(t, l.CheckSize(req))
		req.Ciphertext += "x"
		require.Equal(t, l.PayloadTooLarge(), l.CheckSize(req))
	}
}

// TestLimitsHold: whatever was chosen, exactly that much is taken.
func TestLimitsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) int { return rapid.IntRange(1, 50).Draw(t, name) }
		l := areyouai.Limits{
			NameChars: some("name"), TopicChars: some("topic"), Tags: some("tags"), TagChars: some("tag"),
			HistoryPage: some("page"), DefaultTurns: int64(some("turns")), DefaultTTLSeconds: int64(some("ttl")),
			BodyBytes: rapid.IntRange(10_000, 20_000).Draw(t, "body"), MessageChars: some("message"),
		}.WithDefaults()
		text := func(n int) string { return strings.Repeat("é", n) }
		taken := func(ok bool, err error) {
			t.Helper()
			if ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
		}
		n := some("n")
		_, err := l.DecodeRegister(fmt.Appendf(nil, `{"name":%q}`, text(n)))
		taken(n <= l.NameChars, err)
		listing, err := l.DecodeListing(fmt.Appendf(nil, `{"topic":%q}`, text(n)))
		taken(n <= l.TopicChars, err)
		if err == nil {
			require.Equal(t, [2]int64{l.DefaultTurns, l.DefaultTTLSeconds}, [2]int64{listing.MaxTurns, listing.TTLSeconds})
		}
		_, err = l.DecodeListing(fmt.Appendf(nil, `{"topic":"t","tags":[%s"x"]}`, strings.Repeat(`"x",`, n-1)))
		taken(n <= l.Tags, err)
		_, err = l.DecodeListing(fmt.Appendf(nil, `{"topic":"t","tags":[%q]}`, text(n)))
		taken(n <= l.TagChars, err)
		q, err := l.ParseHistoryQuery(url.Values{"limit": {fmt.Sprint(n)}})
		require.NoError(t, err)
		require.Equal(t, min(n, l.HistoryPage), q.Limit)
		q, err = l.ParseHistoryQuery(nil)
		require.NoError(t, err)
		require.Equal(t, l.HistoryPage, q.Limit)

		body := []byte(`{"name":"n"}`)
		body = append(body, bytes.Repeat([]byte(" "), l.BodyBytes-len(body))...)
		_, err = l.ReadBody(bytes.NewReader(body))
		require.NoError(t, err)
		_, err = l.ReadBody(bytes.NewReader(append(body, ' ')))
		require.Equal(t, l.PayloadTooLarge(), err)
		require.Equal(t, l.PayloadTooLarge(), l.DrainBody(bytes.NewReader(append(body, ' '))))
	})
}

// TestEveryDecoderKnowsTheBodyLimit: each takes a body up to it, larger than the default one, and none beyond.
func TestEveryDecoderKnowsTheBodyLimit(t *testing.T) {
	l := areyouai.Limits{BodyBytes: 2 * areyouai.MaxBodyBytes}.WithDefaults()
	for name, tc := range map[string]struct {
		body   string
		decode func([]byte) error
	}{
		"register":   {`{"name":"n"}`, func(b []byte) error { _, err := l.DecodeRegister(b); return err }},
		"login":      {`{"api_key":"k"}`, func(b []byte) error { _, err := l.DecodeLogin(b); return err }},
		"listing":    {`{"topic":"t"}`, func(b []byte) error { _, err := l.DecodeListing(b); return err }},
		"ack":        {`{"turn_index":0}`, func(b []byte) error { _, err := l.DecodeContextAck(b); return err }},
		"send":       {`{"expected_turn":0,"bundle_hash":"h","ciphertext":"c"}`, func(b []byte) error { _, err := l.DecodeSend(b); return err }},
		"typing":     {`{"state":"stop"}`, func(b []byte) error { _, err := l.DecodeTyping(b); return err }},
		"transcript": {`{"human_code":"c"}`, func(b []byte) error { _, err := l.DecodeTranscript(b); return err }},
		"viewer":     {`{"op":"join","human_code":"c"}`, func(b []byte) error { _, err := l.DecodeViewer(b); return err }},
		"stream ack": {`{"delivery_id":"d"}`, func(b []byte) error { _, err := l.DecodeStreamAck(b); return err }},
		"webhook":    {`{"url":"https://h/","secret":"s"}`, func(b []byte) error { _, err := l.DecodeWebhook(b); return err }},
		"transition": {`{"from":"OPEN","to":"ACTIVE"}`, func(b []byte) error { _, err := l.DecodeTransition(b); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			full := []byte(tc.body + strings.Repeat(" ", l.BodyBytes-len(tc.body)))
			require.NoError(t, tc.decode(full))
			require.Equal(t, l.PayloadTooLarge(), tc.decode(append(full, ' ')))
		})
	}
}

func TestTypingTTLOfTheLimits(t *testing.T) {
	l := areyouai.Limits{TypingDefault: 3 * time.Second, TypingMin: 2 * time.Second, TypingMax: 4 * time.Second}
	ms := func(n int64) areyouai.TypingRequest { return areyouai.TypingRequest{TTLMS: &n} }
	for want, req := range map[time.Duration]areyouai.TypingRequest{
		3 * time.Second: {}, 2 * time.Second: ms(1), 4 * time.Second: ms(1 << 62), 2500 * time.Millisecond: ms(2500),
	} {
		got, err := l.TypingTTL(req)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := l.TypingTTL(ms(0))
	require.ErrorContains(t, err, "Leave it out for 3000; values are kept within 2000 and 4000.")
}
