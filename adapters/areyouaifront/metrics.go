package areyouaifront

import (
	"context"
	"errors"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"stele/areyouai"
	"stele/core"
)

// metrics are the numbers of the door for [Options.Metrics] (areyouai: known defects, stream metrics). A nil one counts
// nothing, so that whoever calls need not ask. No label holds an id or anything else that a client chooses.
type metrics struct {
	deliveries *prometheus.CounterVec
	ackLatency prometheus.Histogram
	replays    prometheus.Counter
	recoveries prometheus.Counter
	streams    *prometheus.GaugeVec
	attempts   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	posts      *prometheus.CounterVec
}

// postAccepted is the result of a post that was no refusal. No code of the protocol is called so.
const postAccepted = "accepted"

// The outcomes of an attempt to send a callback. One is interrupted when the gateway ends meanwhile.
const (
	attemptDelivered   = "delivered"
	attemptRetry       = "retry"
	attemptDead        = "dead"
	attemptInterrupted = "interrupted"
)

// deliveryKinds are core's kinds of delivery in the protocol's words.
var deliveryKinds = map[core.DeliveryKind]string{
	core.TurnReady:     string(areyouai.FrameTurnReady),
	core.RoomWasClosed: string(areyouai.FrameRoomClosed),
	core.RoomWasPurged: string(areyouai.FrameRoomPurged),
}

// streamKinds are the routes that answer with a stream.
var streamKinds = map[string]string{
	areyouai.PathAgentStream:      "agent",
	areyouai.PathRoomEvents:       "events",
	areyouai.PathRoomViewerEvents: "viewer",
}

// newMetrics registers the metrics; nil for a nil registerer. Fronts of one registerer share them.
func newMetrics(reg prometheus.Registerer, log *zap.Logger) *metrics {
	if reg == nil {
		return nil
	}
	const prefix = "stele_areyouai_"
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return registered(reg, log, prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels))
	}
	m := &metrics{
		deliveries: counters("deliveries_emitted_total", "Deliveries written to agent streams, each time on each stream, by kind.", "kind"),
		replays:    counters("replay_required_total", "Agent streams whose cursor could not be resumed.").WithLabelValues(),
		recoveries: counters("recoveries_total", "Calls of actionable-rooms by agents.").WithLabelValues(),
		attempts:   counters("webhook_attempts_total", "Attempts to send a callback, by outcome.", "outcome"),
		posts:      counters("message_posts_total", "Requests to post a message, accepted or by the code of the refusal.", "result"),
		ackLatency: registered(reg, log, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: prefix + "delivery_ack_latency_seconds", Help: "Time from a delivery's making to its first ack.",
			Buckets: []float64{.005, .025, .1, .5, 1, 2.5, 5, 15, 60, 300, 900, 1800},
		})),
		streams: registered(reg, log, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: prefix + "open_streams", Help: "Streams that are open, by kind.",
		}, []string{"kind"})),
		durations: registered(reg, log, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: prefix + "request_duration_seconds", Help: "Time to answer a request, by the endpoint's name in the capabilities.",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"endpoint"})),
	}
	m.begin()
	return m
}

// begin shows what has not happened yet as 0 and not as missing, so that the first occurrence is seen as a rise.
func (m *metrics) begin() {
	for _, kind := range deliveryKinds {
		m.deliveries.WithLabelValues(kind)
	}
	for _, kind := range streamKinds {
		m.streams.WithLabelValues(kind)
	}
	for _, outcome := range []string{attemptDelivered, attemptRetry, attemptDead, attemptInterrupted} {
		m.attempts.WithLabelValues(outcome)
	}
	m.posts.WithLabelValues(postAccepted)
}

// registered registers a collector and returns it, or the one that another front registered before. A name that is taken by
// something else is no reason not to serve: the operator is told, and the metric is not shown.
func registered[C prometheus.Collector](reg prometheus.Registerer, log *zap.Logger, c C) C {
	err := reg.Register(c)
	if before := (prometheus.AlreadyRegisteredError{}); errors.As(err, &before) {
		if same, ok := before.ExistingCollector.(C); ok {
			return same
		}
	}
	if err != nil {
		log.Error("metric cannot be registered", zap.Error(err))
	}
	return c
}

// emitted counts deliveries that were written to a stream.
func (m *metrics) emitted(deliveries []core.Delivery) {
	if m == nil {
		return
	}
	for i := range deliveries {
		m.deliveries.WithLabelValues(deliveryKinds[deliveries[i].Kind]).Inc()
	}
}

func (m *metrics) replayRequired() {
	if m != nil {
		m.replays.Inc()
	}
}

func (m *metrics) recovery() {
	if m != nil {
		m.recoveries.Inc()
	}
}

// stream counts streams of a route in, or out when n is negative.
func (m *metrics) stream(template string, n float64) {
	if m != nil {
		m.streams.WithLabelValues(streamKinds[template]).Add(n)
	}
}

// attempted counts an attempt to send a callback.
func (m *metrics) attempted(e core.WebhookSettledEvent) {
	if m == nil {
		return
	}
	outcome := attemptRetry
	switch {
	case e.Uncounted:
		outcome = attemptInterrupted
	case e.Outcome == core.WebhookDelivered:
		outcome = attemptDelivered
	case e.Outcome == core.WebhookDead:
		outcome = attemptDead
	}
	m.attempts.WithLabelValues(outcome).Inc()
}

// acknowledge passes an ack on to the node and measures how long the delivery waited for it, on the node's clock. The
// repeat of an ack, and one of a delivery that had expired, is not measured.
func (f *Front) acknowledge(ctx context.Context, agent, delivery string) error {
	if f.metrics == nil || f.node.Acknowledged(agent, delivery) {
		return f.node.Acknowledge(ctx, agent, delivery)
	}
	now := f.node.Now()
	if err := f.node.Acknowledge(ctx, agent, delivery); err != nil {
		return err
	}
	if made, ok := core.DeliveryMadeAt(agent, delivery); ok && f.node.Acknowledged(agent, delivery) {
		// Another node's clock may be ahead of this one's.
		f.metrics.ackLatency.Observe(max(now.Sub(made), 0).Seconds())
	}
	return nil
}

// measured times a route of the capabilities and counts what became of posts. A stream is not timed: it lasts as long as its
// client likes.
func (f *Front) measured(r route, serve echo.HandlerFunc) echo.HandlerFunc {
	if f.metrics == nil {
		return serve
	}
	name, isPost := endpointName(r), r.path == areyouai.PathRoomMessages
	if _, stream := streamKinds[r.path]; stream || name == "" {
		return serve
	}
	duration := f.metrics.durations.WithLabelValues(name)
	return func(c echo.Context) error {
		began := time.Now()
		err := serve(c)
		duration.Observe(time.Since(began).Seconds())
		if isPost {
			f.metrics.posts.WithLabelValues(postResult(c, err)).Inc()
		}
		return err
	}
}

// postResult tells what became of a post. Whoever went away before it could read the answer was accepted all the same.
func postResult(c echo.Context, err error) string {
	if err == nil || c.Response().Committed {
		return postAccepted
	}
	return string(wireError(err).Code)
}

// endpointName is what the capabilities call a route, "" for one that is not in them.
func endpointName(r route) string {
	for _, e := range areyouai.NewCapabilities().Endpoints {
		if e.Method == r.method && e.Path == r.path {
			return e.Name
		}
	}
	return ""
}
