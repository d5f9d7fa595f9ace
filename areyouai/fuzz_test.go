package areyouai_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/sse"
)

// bodySeeds start the body decoders at every documented shape.
var bodySeeds = []string{
	``, `{}`, `null`, `[1]`, `{"name":" Ada "}`, `{"api_key":"ak_1"}`,
	`{"topic":"tea","tags":["a"],"max_turns":1,"ttl_seconds":9e9}`,
	`{"expected_turn":0,"ciphertext":"hi\n\ud83d\ude00","bundle_hash":"AB"}`,
	`{"turn_index":-0}`, `{"current":"OPEN","next":"ACTIVE"}`, `{"name":"\ud800"}`, `{"name":"a","name":"b"}`, `{"x":1e99999,"name":"a\u0085b"}`, `{"topic":"t","tags":[null]}`,
	`{"state":"start","ttl_ms":1}`, `{"state":" stop","ttl_ms":-1}`, `{"human_code":"hc_1"}`, `{"op":"join","human_code":"hc_1","viewer_token":""}`,
	`{"delivery_id":"dly_1","room_id":"r","type":"room.closed","reason":"x"}`, `{"url":"http://[::1]:9/x","secret":"s","key_id":"k","enabled":false}`,
	`{"name":"a","x":[-` + strings.Repeat("7", 5000) + `.5]}`,
}

// fuzzBody shows that a decoder either refuses with a 4xx or returns a value
// that passes valid, and that decoding its own JSON gives the same value.
func fuzzBody[T any](f *testing.F, decode func([]byte) (T, error), valid func(*testing.T, T)) {
	for _, s := range bodySeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := decode(body)
		if err != nil {
			status := areyouai.AsError(err).Status()
			require.True(t, status >= 400 && status < 500, "status %d", status)
			return
		}
		valid(t, got)
		again, err := decode([]byte(reply(t, got)))
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

func FuzzDecodeRegister(f *testing.F) {
	fuzzBody(f, areyouai.DecodeRegister, func(t *testing.T, r areyouai.RegisterRequest) {
		require.NotEmpty(t, strings.TrimSpace(r.Name))
		require.LessOrEqual(t, utf8.RuneCountInString(r.Name), areyouai.MaxNameChars)
		require.NotContains(t, r.Name, "\n")
	})
}

func FuzzDecodeLogin(f *testing.F) {
	fuzzBody(f, areyouai.DecodeLogin, func(t *testing.T, r areyouai.LoginRequest) {
		require.LessOrEqual(t, len(r.APIKey), areyouai.MaxCredentialBytes)
	})
}

func FuzzDecodeListing(f *testing.F) {
	fuzzBody(f, areyouai.DecodeListing, func(t *testing.T, r areyouai.ListingRequest) {
		require.NotNil(t, r.Tags)
		require.True(t, r.MaxTurns >= 1 && r.MaxTurns <= areyouai.MaxMaxTurns)
		require.True(t, r.TTLSeconds >= 1 && r.TTLSeconds <= areyouai.MaxTTLSeconds)
	})
}

func FuzzDecodeSend(f *testing.F) {
	fuzzBody(f, areyouai.DecodeSend, func(t *testing.T, r areyouai.SendRequest) {
		require.True(t, utf8.ValidString(r.Ciphertext))
		require.Equal(t, r.Ciphertext, strings.TrimSpace(r.Ciphertext))
		require.NotEmpty(t, r.Ciphertext)
		require.NotEmpty(t, r.BundleHash)
	})
}

func FuzzDecodeContextAck(f *testing.F) {
	fuzzBody(f, areyouai.DecodeContextAck, func(t *testing.T, r areyouai.ContextAckRequest) {
		require.GreaterOrEqual(t, r.TurnIndex, int64(0))
	})
}

func FuzzDecodeTransition(f *testing.F) {
	fuzzBody(f, areyouai.DecodeTransition, func(*testing.T, areyouai.TransitionRequest) {})
}

func FuzzDecodeTyping(f *testing.F) {
	fuzzBody(f, areyouai.DecodeTyping, func(t *testing.T, r areyouai.TypingRequest) {
		ttl, err := r.TTL()
		if err == nil {
			require.True(t, ttl >= areyouai.MinTypingTTL && ttl <= areyouai.MaxTypingTTL)
		}
	})
}

func FuzzDecodeTranscript(f *testing.F) {
	fuzzBody(f, areyouai.DecodeTranscript, func(t *testing.T, r areyouai.TranscriptRequest) {
		require.True(t, r.HumanCode != "" && len(r.HumanCode) <= areyouai.MaxCredentialBytes)
	})
}

func FuzzDecodeViewer(f *testing.F) {
	fuzzBody(f, areyouai.DecodeViewer, func(t *testing.T, r areyouai.ViewerRequest) {
		require.Contains(t, []areyouai.ViewerOp{areyouai.ViewerJoin, areyouai.ViewerHeartbeat, areyouai.ViewerLeave}, r.Op)
		require.LessOrEqual(t, max(len(r.HumanCode), len(r.ViewerToken)), areyouai.MaxCredentialBytes)
	})
}

func FuzzDecodeStreamAck(f *testing.F) {
	fuzzBody(f, areyouai.DecodeStreamAck, func(t *testing.T, r areyouai.StreamAckRequest) {
		require.True(t, r.DeliveryID != "" && len(r.DeliveryID) <= areyouai.MaxIDBytes)
	})
}

func FuzzDecodeWebhook(f *testing.F) {
	fuzzBody(f, areyouai.DecodeWebhook, func(t *testing.T, r areyouai.WebhookRequest) {
		require.NoError(t, areyouai.CheckWebhookURL(r.URL))
		require.NotEmpty(t, r.Secret)
		require.NotEmpty(t, r.KeyID)
		require.NotNil(t, r.Enabled)
	})
}

func FuzzDecodeWebhookPayload(f *testing.F) {
	fuzzBody(f, areyouai.DecodeWebhookPayload, func(t *testing.T, p areyouai.WebhookPayload) {
		require.NotEmpty(t, p.DeliveryID)
	})
}

func FuzzCheckWebhookURL(f *testing.F) {
	for _, s := range []string{"https://a.test/x", "http://[::1]:9/", "http://127.0.0.1", "https://u:p@a", "https://a?x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if areyouai.CheckWebhookURL(raw) != nil {
			return
		}
		u, err := url.Parse(raw)
		require.NoError(t, err)
		require.True(t, u.User == nil && u.RawQuery == "" && u.Fragment == "" && u.Hostname() != "")
	})
}

func FuzzParseHistoryQuery(f *testing.F) {
	for _, s := range []string{"", "since=5&limit=10", "since=-1", "limit=0", "limit=%2B9", "since=99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := areyouai.ParseQuery(query)
		if err != nil {
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
			return
		}
		got, err := areyouai.ParseHistoryQuery(q)
		if err != nil {
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
			return
		}
		require.GreaterOrEqual(t, got.Since, int64(0))
		require.True(t, got.Limit >= 1 && got.Limit <= areyouai.MaxHistoryLimit)
	})
}

func FuzzParseCursor(f *testing.F) {
	f.Add("", "")
	f.Add("7", "x")
	f.Add("", "-0")
	f.Fuzz(func(t *testing.T, since, last string) {
		got, err := areyouai.ParseCursor(since, last)
		require.GreaterOrEqual(t, got, int64(0))
		if err != nil {
			require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
		}
	})
}

// FuzzParseEventFrame reads any stream; an event that is accepted survives
// being written and read again.
func FuzzParseEventFrame(f *testing.F) {
	f.Add([]byte(areyouai.StreamPreamble + areyouai.StreamKeepalive))
	f.Add([]byte("id: 1\nevent: room.closed\ndata: {\"event_id\":1,\"type\":\"room.closed\",\"room_id\":\"r\",\"created_at\":\"2026-04-02T10:00:00+02:00\"}\n\n"))
	f.Add([]byte("data: {\"event_id\":2,\"type\":\"message.created\",\"message_id\":\"m\",\"turn\":0}\r\n\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := sse.NewReader(bytes.NewReader(stream), areyouai.MaxFrameBytes)
		for {
			fr, err := r.Next()
			if err != nil {
				return
			}
			event, err := areyouai.ParseEventFrame(fr)
			if err != nil || strings.ContainsAny(string(event.Type), "\r\n\x00") {
				continue
			}
			back, err := sse.NewReader(strings.NewReader(frame(t, event)), 0).Next()
			require.NoError(t, err)
			again, err := areyouai.ParseEventFrame(back)
			require.NoError(t, err)
			require.Equal(t, event, again)
		}
	})
}

// FuzzParseAgentFrame: an accepted frame survives being written and read again.
func FuzzParseAgentFrame(f *testing.F) {
	f.Add([]byte(areyouai.StreamPreamble + agentFrame(f, areyouai.NewReplayRequired("agt_a"))))
	f.Add([]byte(agentFrame(f, turnReady("dly_1", "room_1", 7))))
	f.Add([]byte(agentFrame(f, roomEnded("dly_2", "room_1", areyouai.FrameRoomPurged, areyouai.StatePurged, "x"))))
	f.Fuzz(func(t *testing.T, stream []byte) {
		fr, err := sse.NewReader(bytes.NewReader(stream), areyouai.MaxFrameBytes).Next()
		if err != nil {
			return
		}
		got, err := areyouai.ParseAgentFrame(fr)
		if err != nil || got == nil || strings.ContainsAny(got.Delivery(), "\r\n\x00") {
			return
		}
		again, err := areyouai.ParseAgentFrame(next(t, agentFrame(t, got)))
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

func FuzzParseTypingFrame(f *testing.F) {
	f.Add([]byte("event: agent.typing\ndata: {\"type\":\"agent.typing\",\"actor_id\":\"a\",\"state\":\"stop\"}\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		fr, err := sse.NewReader(bytes.NewReader(stream), areyouai.MaxFrameBytes).Next()
		if err != nil {
			return
		}
		got, known, err := areyouai.ParseTypingFrame(fr)
		if err != nil || !known {
			return
		}
		b, err := areyouai.AppendTypingFrame(nil, got)
		require.NoError(t, err)
		again, _, err := areyouai.ParseTypingFrame(next(t, string(b)))
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

func FuzzParseError(f *testing.F) {
	f.Add(409, []byte(`{"error":"turn_mismatch","status":409,"recoverable":true}`))
	f.Add(502, []byte(`<html>`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := areyouai.ParseError(status, body)
		require.NotEmpty(t, e.Code)
		require.Equal(t, status, e.Status())
	})
}

func FuzzParseBearer(f *testing.F) {
	f.Add("Bearer as_1")
	f.Add("Bearer  ")
	f.Fuzz(func(t *testing.T, header string) {
		token, ok := areyouai.ParseBearer(header)
		if ok {
			require.True(t, token != "" && len(token) <= areyouai.MaxCredentialBytes)
			require.Contains(t, header, "Bearer ")
		}
	})
}
