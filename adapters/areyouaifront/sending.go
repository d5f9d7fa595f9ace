package areyouaifront

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"go.uber.org/zap"

	"stele/adapters/webhook"
	"stele/areyouai"
	"stele/core"
)

const (
	// maxSending is how many attempts run at a time, maxPerWebhook and maxPerAgent how many of them to one webhook and for
	// one agent, so that slow receivers leave room for the others.
	maxSending    = 32
	maxPerWebhook = 4
	maxPerAgent   = 8
	// lockedSending is the pause before a secret that no key opened is tried again: the operator may bring the key back.
	lockedSending = 5 * time.Minute
	// retrySending is the pause after the log could not take what an attempt needs.
	retrySending = 5 * time.Second
	// settleTime is how long the outcome of an attempt may take to be written down when the front ends meanwhile.
	settleTime = 5 * time.Second
)

// errand names what is being sent: of one room to one webhook only one callback at a time.
type errand struct{ webhook, room string }

// dispatcher sends callbacks: it looks for what is due, claims each before it is sent, and writes down what became of it.
// Everything that must outlive the process is in the log; this only knows what runs now.
type dispatcher struct {
	front *Front
	log   *zap.Logger
	done  chan struct{}

	mu      sync.Mutex
	running map[errand]struct{}
	// each counts them by webhook, agents by agent.
	each, agents map[string]int
}

// Run sends the webhooks' callbacks until ctx ends or the front drains, and returns when the attempts that run are over.
func (f *Front) Run(ctx context.Context) {
	if !f.opts.Keys.Configured() {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(f.life, cancel)
	defer stop()
	d := &dispatcher{
		front: f, log: f.log, done: make(chan struct{}, 1), running: map[errand]struct{}{}, each: map[string]int{},
		agents: map[string]int{},
	}
	d.run(ctx)
}

func (d *dispatcher) run(ctx context.Context) {
	var attempts sync.WaitGroup
	defer attempts.Wait()
	node := d.front.node
	for {
		due, next := node.DueCallbacks(maxSending, d.busy)
		began := false
		for _, s := range due {
			if d.begin(s) {
				began = true
				attempts.Go(func() { d.attempt(ctx, s) })
			}
		}
		if began && len(due) == maxSending && ctx.Err() == nil {
			// A webhook with many rooms may have taken the places in the list of others that could be sent now.
			continue
		}
		var alarm <-chan time.Time
		if !next.IsZero() {
			alarm = time.After(max(next.Sub(node.Now()), time.Millisecond))
		}
		select {
		case <-node.OutboxWake():
		case <-d.front.sendNow:
		case <-d.done:
		case <-alarm:
		case <-node.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// busy tells that a callback must wait for an attempt that runs.
func (d *dispatcher) busy(agent, webhook, room string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, running := d.running[errand{webhook, room}]
	return running || d.each[webhook] >= maxPerWebhook || d.agents[agent] >= maxPerAgent || len(d.running) >= maxSending
}

func (d *dispatcher) begin(s core.Sending) bool {
	if d.busy(s.Agent, s.Webhook.ID, s.Callback.Room) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[errand{s.Webhook.ID, s.Callback.Room}] = struct{}{}
	d.each[s.Webhook.ID]++
	d.agents[s.Agent]++
	return true
}

func (d *dispatcher) end(s core.Sending) {
	d.mu.Lock()
	delete(d.running, errand{s.Webhook.ID, s.Callback.Room})
	if d.each[s.Webhook.ID]--; d.each[s.Webhook.ID] == 0 {
		delete(d.each, s.Webhook.ID)
	}
	if d.agents[s.Agent]--; d.agents[s.Agent] == 0 {
		delete(d.agents, s.Agent)
	}
	d.mu.Unlock()
	select {
	case d.done <- struct{}{}:
	default:
	}
}

// attempt claims a callback, sends it, and settles it. It ends only when the outcome is written down, or cannot be.
func (d *dispatcher) attempt(ctx context.Context, s core.Sending) {
	defer d.end(s)
	mine, err := d.front.node.Claim(ctx, s)
	if err != nil {
		d.failed(ctx, "webhook attempt could not begin", s, err)
		return
	}
	if !mine {
		return
	}
	settled := d.send(ctx, s)
	d.front.metrics.attempted(settled)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := d.front.node.Settle(end, s, settled); err != nil {
		d.failed(ctx, "outcome of a webhook attempt was not written down; it is sent again", s, err)
	}
}

// failed tells the operator, and keeps the errand for a while, so that a log that takes no writes is not asked in a circle.
func (d *dispatcher) failed(ctx context.Context, what string, s core.Sending, err error) {
	if ctx.Err() != nil {
		return
	}
	d.log.Warn(what, zap.String("webhook", s.Webhook.ID), zap.String("room", s.Callback.Room), zap.Error(err))
	select {
	case <-time.After(retrySending):
	case <-ctx.Done():
	}
}

// send makes the attempt and judges it.
func (d *dispatcher) send(ctx context.Context, s core.Sending) core.WebhookSettledEvent {
	delivery, err := d.front.attemptOf(s)
	if err != nil {
		d.log.Error("webhook has a secret that no configured key opens", zap.String("webhook", s.Webhook.ID), zap.Error(err))
		return core.WebhookSettledEvent{
			Outcome: core.WebhookDeferred, Again: d.front.node.Now().Add(lockedSending), Why: "no key opens the secret", Uncounted: true,
		}
	}
	out := d.front.sender.Send(ctx, delivery)
	if ctx.Err() != nil && out.Kind != areyouai.WebhookDelivered {
		// The end of the program is no fault of the receiver's.
		return core.WebhookSettledEvent{Outcome: core.WebhookDeferred, Again: d.front.node.Now(), Why: "gateway ended", Uncounted: true}
	}
	return d.verdict(s, out)
}

// verdict is what becomes of the callback after an attempt.
func (d *dispatcher) verdict(s core.Sending, out webhook.Outcome) core.WebhookSettledEvent {
	n, e := s.Callback.Attempt+1, core.WebhookSettledEvent{Status: out.Status}
	if out.Err != nil {
		e.Why = out.Err.Error()
	}
	switch out.Kind {
	case areyouai.WebhookDelivered:
		e.Outcome = core.WebhookDelivered
	case areyouai.WebhookDead:
		e.Outcome = core.WebhookDead
		d.log.Warn("webhook callback was given up", zap.String("webhook", s.Webhook.ID), zap.String("agent", s.Agent),
			zap.String("room", s.Callback.Room), zap.Int("attempts", n), zap.Int("status", out.Status), zap.Error(out.Err))
	default:
		e.Outcome = core.WebhookDeferred
		e.Again = d.front.node.Now().Add(areyouai.WebhookDelay(n, rand.Float64()))
	}
	return e
}

// toSend has the dispatcher look again.
func (f *Front) toSend() {
	select {
	case f.sendNow <- struct{}{}:
	default:
	}
}
