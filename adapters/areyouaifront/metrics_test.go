package areyouaifront_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
)

// measuredTime are the lines whose values depend on how fast the machine is.
var measuredTime = regexp.MustCompile(`(?m)^stele_areyouai_request_duration_seconds_(bucket|sum)\{.*\n`)

// exposition is what Prometheus reads, without measured times.
func exposition(t *testing.T, reg *prometheus.Registry) string {
	t.Helper()
	rec := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{}).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, rec.Code)
	return measuredTime.ReplaceAllString(rec.Body.String(), "")
}

// counts waits until a line is shown: a client may have its answer a moment before it is counted.
func counts(t *testing.T, reg *prometheus.Registry, line string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains("\n"+exposition(t, reg), "\n"+line+"\n") }, patience, 5*time.Millisecond,
		"%s is not in\n%s", line, exposition(t, reg))
}

// TestMetricsOfAConversation holds everything that is shown after a conversation against a golden file.
func TestMetricsOfAConversation(t *testing.T) {
	reg := prometheus.NewRegistry()
	o := hookOptions(t, firstKey)
	o.Metrics = reg
	g := newGate(t, o)
	r := g.roomOf(`{"topic":"tea"}`)
	own := wakeUps(t, g, r, reg)
	refusals(g, r)
	callbacks(t, g, r, own, reg)

	events := g.openStream(r.path("/events"), r.a.token, nil)
	counts(t, reg, `stele_areyouai_open_streams{kind="events"} 1`)
	r.close(r.b)
	r.post(r.a, `{"expected_turn":3,"ciphertext":"x","bundle_hash":"x"}`)
	counts(t, reg, `stele_areyouai_deliveries_emitted_total{kind="room.closed"} 1`)
	events.close()
	counts(t, reg, `stele_areyouai_open_streams{kind="events"} 0`)

	const file = "testdata/metrics.golden"
	if *update {
		counts(t, reg, `stele_areyouai_message_posts_total{result="gone"} 1`)
		require.NoError(t, os.WriteFile(file, []byte(exposition(t, reg)), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	for began := time.Now(); exposition(t, reg) != string(want) && time.Since(began) < patience; {
		time.Sleep(5 * time.Millisecond)
	}
	require.Equal(t, string(want), exposition(t, reg))
}

// wakeUps has A hear of its turn, acknowledge it after three seconds, lose its place, and recover. A's first stream stays.
func wakeUps(t *testing.T, g *gate, r room, reg *prometheus.Registry) *eventStream {
	t.Helper()
	s, _ := g.openAgentStream(r.a, "")
	turn := s.turn()
	lost, hello := g.openAgentStream(r.a, turn.DeliveryID)
	require.Equal(t, areyouai.ResumeReplayRequired, hello.ResumeStatus)
	_, ok := lost.frame().(areyouai.StreamReplayRequired)
	require.True(t, ok)
	require.Nil(t, lost.frame())
	counts(t, reg, "stele_areyouai_replay_required_total 1")
	require.Equal(t, 200, g.get("/v1/agent/actionable-rooms", r.a.token).status)
	g.clock.Advance(3 * time.Second)
	for range 2 {
		// The repeat is no other latency.
		g.ackDelivery(r.a, turn.DeliveryID)
	}
	require.Equal(t, 404, g.post("/v1/agent/stream/ack", r.b.token, `{"delivery_id":"`+turn.DeliveryID+`"}`).status)
	counts(t, reg, `stele_areyouai_open_streams{kind="agent"} 1`)
	return s
}

// refusals are posts that are refused: for what is in them, and for who sends them.
func refusals(g *gate, r room) {
	g.t.Helper()
	stale := r.message(r.a, "x", func(m *areyouai.SendRequest) { m.BundleHash = strings.Repeat("0", 64) })
	require.Equal(g.t, "stale_bundle_hash", r.post(r.a, stale).code())
	require.Equal(g.t, "turn_mismatch", r.post(r.b, r.message(r.b, "x")).code())
	require.Equal(g.t, "invalid_request", r.post(r.a, "{").code())
	require.Equal(g.t, "payload_too_large", r.post(r.a, r.message(r.a, strings.Repeat("x", 8193))).code())
	require.Equal(g.t, 200, g.post(r.path("/context/ack"), r.a.token, `{"turn_index":0}`).status)
	require.Equal(g.t, "unauthorized", r.post(person{token: "as_none"}, "{}").code())
}

// callbacks has three messages told to B: one at the second attempt, one at once, and one never.
func callbacks(t *testing.T, g *gate, r room, own *eventStream, reg *prometheus.Registry) {
	t.Helper()
	stop := g.sending()
	target := newReceiver(t)
	g.hook(r.b, target.URL)
	target.answers(func(areyouai.WebhookPayload) int { return http.StatusInternalServerError })
	r.talk(1)
	target.next(t)
	counts(t, reg, `stele_areyouai_webhook_attempts_total{outcome="retry"} 1`)
	target.answers(func(areyouai.WebhookPayload) int { return http.StatusNoContent })
	g.clock.Advance(10 * time.Second)
	g.front.SendNow()
	target.next(t)
	counts(t, reg, `stele_areyouai_webhook_attempts_total{outcome="delivered"} 1`)
	target.answers(func(areyouai.WebhookPayload) int { return http.StatusNotFound })
	r.talk(1)
	// Read, so that the wake-up is not withdrawn before it was written.
	own.turn()
	r.talk(1)
	target.next(t)
	counts(t, reg, `stele_areyouai_webhook_attempts_total{outcome="dead"} 1`)
	stop()
}

// TestMetricsOfAnInterruptedAttempt: the end of the gateway is no outcome of the receiver's.
func TestMetricsOfAnInterruptedAttempt(t *testing.T) {
	reg := prometheus.NewRegistry()
	o := hookOptions(t, firstKey)
	o.Metrics = reg
	g := newGate(t, o)
	asked, hold := make(chan struct{}), make(chan struct{})
	target := newReceiver(t)
	target.answers(func(areyouai.WebhookPayload) int {
		close(asked)
		<-hold
		return http.StatusNoContent
	})
	stop := g.sending()
	r := g.room()
	g.hook(r.b, target.URL)
	r.talk(1)
	<-asked
	stop()
	close(hold)
	counts(t, reg, `stele_areyouai_webhook_attempts_total{outcome="interrupted"} 1`)
	counts(t, reg, `stele_areyouai_webhook_attempts_total{outcome="retry"} 0`)
}

// TestFrontsShareMetrics: what two fronts of one registerer do is counted together.
func TestFrontsShareMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	g := newGate(t, areyouaifront.Options{Metrics: reg})
	p := g.person("Ada")
	for _, door := range []*gate{g, g.beside("two")} {
		require.Equal(t, 200, door.get("/v1/agent/actionable-rooms", p.token).status)
	}
	counts(t, reg, "stele_areyouai_recoveries_total 2")
	counts(t, reg, `stele_areyouai_request_duration_seconds_count{endpoint="agent_actionable_rooms"} 2`)
}

// TestStreamKindsAreCounted: each kind of stream is counted while it is open, and no longer.
func TestStreamKindsAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	g := newGate(t, areyouaifront.Options{Metrics: reg})
	p := g.person("Ada")
	l := g.listing(p, `{"topic":"tea"}`)
	code := `{"op":"join","human_code":"` + l.HumanCode + `"}`
	viewer := as[areyouai.ViewerJoinReply](g, 201, g.post("/v1/rooms/"+l.RoomID+"/viewers", "", code)).ViewerToken
	for kind, at := range map[string]struct{ path, token string }{
		"agent":  {"/v1/agent/stream", p.token},
		"events": {"/v1/rooms/" + l.RoomID + "/events", p.token},
		"viewer": {"/v1/rooms/" + l.RoomID + "/viewer-events", viewer},
	} {
		line := `stele_areyouai_open_streams{kind="` + kind + `"} `
		counts(t, reg, line+"0")
		s := g.openStream(at.path, at.token, nil)
		counts(t, reg, line+"1")
		s.close()
		counts(t, reg, line+"0")
	}
}

// TestMetricsNeverStopADoor: a name that something else has taken is told to the operator and costs only that metric.
func TestMetricsNeverStopADoor(t *testing.T) {
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "stele_areyouai_recoveries_total", Help: "Another's."}))
	g := newGate(t, areyouaifront.Options{})
	front := areyouaifront.New(g.node, areyouaifront.Options{Metrics: reg})
	defer front.Drain()
	rec := httptest.NewRecorder()
	front.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/v1/mode", nil))
	require.Equal(t, http.StatusOK, rec.Code)
	counts(t, reg, `stele_areyouai_request_duration_seconds_count{endpoint="mode"} 1`)
	counts(t, reg, "stele_areyouai_recoveries_total 0")
}
