package areyouai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/sse"
)

func ptr[T any](v T) *T { return &v }

// next reads the first frame of a stream.
func next(t testing.TB, stream string) sse.Event {
	t.Helper()
	f, err := sse.NewReader(strings.NewReader(stream), 0).Next()
	require.NoError(t, err)
	return f
}

func TestDecodeTyping(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	type r = areyouai.TypingRequest
	runDecode(t, areyouai.DecodeTyping, []decodeCase{
		{name: "start", body: `{"state":" start "}`, want: r{State: "start"}},
		{name: "start with ttl", body: `{"state":"start","ttl_ms":30000}`, want: r{State: "start", TTLMS: ptr[int64](30000)}},
		{name: "null means absent", body: `{"state":"start","ttl_ms":null}`, want: r{State: "start"}},
		{name: "stop", body: `{"state":"stop"}`, want: r{State: "stop"}},
		{name: "a stop has no ttl", body: `{"state":"stop","ttl_ms":-1}`, want: r{State: "stop"}},
		{name: "bad ttl waits for the room", body: `{"state":"start","ttl_ms":0}`, want: r{State: "start", TTLMS: ptr[int64](0)}},
		{name: "state absent", body: `{}`, code: bad, hint: `"start" or "stop"`},
		{name: "state unknown", body: `{"state":"Start"}`, code: bad, hint: `"start" or "stop"`},
		{name: "state comes before ttl", body: `{"state":"x","ttl_ms":0}`, code: bad, hint: `"start" or "stop"`},
		{name: "type comes before state", body: `{"state":"x","ttl_ms":"1"}`, code: bad, hint: "ttl_ms must be of type integer"},
		{name: "fraction", body: `{"state":"start","ttl_ms":1.5}`, code: bad, hint: "ttl_ms"},
	})
}

func TestTypingTTL(t *testing.T) {
	cases := map[int64]time.Duration{
		1: time.Second, 999: time.Second, 1000: time.Second, 1001: 1001 * time.Millisecond,
		30000: 30 * time.Second, 30001: 30 * time.Second, 1<<63 - 1: 30 * time.Second,
	}
	for ms, want := range cases {
		got, err := areyouai.TypingRequest{State: "start", TTLMS: &ms}.TTL()
		require.NoError(t, err)
		require.Equal(t, want, got, ms)
	}
	got, err := areyouai.TypingRequest{State: "start"}.TTL()
	require.NoError(t, err)
	require.Equal(t, 7*time.Second, got)
	for _, ms := range []int64{0, -1, -1 << 63} {
		_, err := areyouai.TypingRequest{State: "start", TTLMS: &ms}.TTL()
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest)
		require.Contains(t, areyouai.AsError(err).Hint, "ttl_ms")
	}
}

func TestTypingFrames(t *testing.T) {
	start := areyouai.NewTypingStart("room_1", "agt_a", at(1).Time, 7*time.Second)
	b, err := areyouai.AppendTypingFrame(nil, start)
	require.NoError(t, err)
	require.Equal(t, "event: agent.typing\n"+
		`data: {"type":"agent.typing","room_id":"room_1","actor_id":"agt_a","state":"start","ttl_ms":7000,"created_at":"2026-04-02T10:00:01Z","expires_at":"2026-04-02T10:00:08Z"}`+
		"\n\n", string(b))
	got, known, err := areyouai.ParseTypingFrame(next(t, string(b)))
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, start, got)

	stop, err := areyouai.AppendTypingFrame(nil, areyouai.NewTypingStop("room_1", "agt_a", at(2).Time))
	require.NoError(t, err)
	require.Equal(t, "event: agent.typing\n"+
		`data: {"type":"agent.typing","room_id":"room_1","actor_id":"agt_a","state":"stop","created_at":"2026-04-02T10:00:02Z","expires_at":"2026-04-02T10:00:02Z"}`+
		"\n\n", string(stop))

	_, known, err = areyouai.ParseTypingFrame(next(t, "event: viewer.hello\ndata: {\"type\":\"viewer.hello\"}\n\n"))
	require.NoError(t, err)
	require.False(t, known)
	for name, frame := range map[string]string{
		"not JSON":   "data: x\n\n",
		"array":      "data: []\n\n",
		"other name": "event: x\ndata: {\"type\":\"agent.typing\",\"actor_id\":\"a\",\"state\":\"stop\"}\n\n",
		"no actor":   "data: {\"type\":\"agent.typing\",\"state\":\"stop\"}\n\n",
		"state":      "data: {\"type\":\"agent.typing\",\"actor_id\":\"a\",\"state\":\"typing.start\"}\n\n",
	} {
		_, _, err := areyouai.ParseTypingFrame(next(t, frame))
		var fe *areyouai.FrameError
		require.ErrorAs(t, err, &fe, name)
	}
}
