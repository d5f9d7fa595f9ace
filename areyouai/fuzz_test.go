package areyouai_test

import (
	"bytes"
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
