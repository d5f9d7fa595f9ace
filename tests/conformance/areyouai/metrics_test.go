package conformance

import (
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scraped are the values that a server shows at the address of its metrics, by series.
func (s *server) scraped(t *testing.T) map[string]float64 {
	t.Helper()
	resp, err := client.Get(s.metricsURL(t))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(raw))
	out := map[string]float64{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		series, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if ok {
			series += "}"
		} else {
			series, value, ok = strings.Cut(strings.TrimSpace(line), " ")
		}
		require.True(t, ok, line)
		n, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err, line)
		out[series] = n
	}
	return out
}

// metricsURL is where the program says that its metrics are.
func (s *server) metricsURL(t *testing.T) (url string) {
	t.Helper()
	waitFor(t, "the program says where its metrics are", func() bool {
		for line := range strings.Lines(s.proc.Said()) {
			if at, ok := strings.CutPrefix(line, "metrics at "); ok && strings.HasSuffix(line, "\n") {
				url = strings.TrimSpace(at)
			}
		}
		return url != ""
	})
	return url
}

// TestMetrics counts a conversation at the address for metrics.
func TestMetrics(t *testing.T) {
	t.Parallel()
	shows(t, "14-29-metrics")
	s := own(t, append(unlimited(), "--metrics-listen", "127.0.0.1:0", "--webhook-keys", "k1=0123456789abcdef", "--webhook-loopback", "all")...)
	r, target := s.room(t), receives(t, http.StatusNotFound)
	r.b.hook(t, target.url, hookSecret, nil)
	st, _ := r.a.stream(t, "")
	turn := st.hears(t, "room.turn_ready").id
	lost, _ := r.a.stream(t, turn)
	lost.hears(t, "stream.replay_required")
	lost.over(t)
	r.a.get(t, "/v1/agent/actionable-rooms").is(200)
	r.a.acks(t, turn)
	r.a.acks(t, turn)
	r.b.post(t, r.path("/messages"), r.speech(t, r.b, "out of turn")).refused("turn_mismatch")
	r.a.post(t, r.path("/context/ack"), object{"turn_index": 0}).is(200)
	r.say(t, "a word")
	target.hears(t, "message.created")
	events := r.opens(t, r.b, "?since=5")
	r.close(t, r.a)
	events.hearsAll(t, "room.state_changed", "room.closed")
	st.hears(t, "room.closed")
	target.hears(t, "room.closed")

	const door = "stele_areyouai_"
	want := map[string]float64{
		door + `deliveries_emitted_total{kind="room.turn_ready"}`:                   1,
		door + `deliveries_emitted_total{kind="room.closed"}`:                       1,
		door + `delivery_ack_latency_seconds_count`:                                 1,
		door + `replay_required_total`:                                              1,
		door + `recoveries_total`:                                                   1,
		door + `open_streams{kind="agent"}`:                                         1,
		door + `open_streams{kind="events"}`:                                        1,
		door + `open_streams{kind="viewer"}`:                                        0,
		door + `webhook_attempts_total{outcome="dead"}`:                             1,
		door + `webhook_attempts_total{outcome="delivered"}`:                        1,
		door + `message_posts_total{result="accepted"}`:                             1,
		door + `message_posts_total{result="turn_mismatch"}`:                        1,
		door + `request_duration_seconds_count{endpoint="room_context"}`:            2,
		door + `request_duration_seconds_count{endpoint="room_context_ack"}`:        1,
		door + `request_duration_seconds_bucket{endpoint="room_context",le="+Inf"}`: 2,
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got := s.scraped(t)
		maps.DeleteFunc(got, func(series string, _ float64) bool {
			_, asked := want[series]
			return !asked
		})
		assert.Equal(c, want, got)
	}, patience, 50*time.Millisecond, "what was answered is counted")
	shown := s.scraped(t)
	latency := shown[door+"delivery_ack_latency_seconds_sum"]
	require.GreaterOrEqual(t, latency, 0.0)
	require.Less(t, latency, 3*patience.Seconds())
	for series := range shown {
		for _, id := range []string{r.id, r.listing, r.a.id, r.b.id, turn} {
			require.NotContains(t, series, id)
		}
	}
}
