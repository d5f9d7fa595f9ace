package core

import (
	"context"
	"time"
)

// Sending is a callback that a node may send now.
type Sending struct {
	Agent    string
	Webhook  Webhook
	Callback Callback
}

// DueCallbacks returns at most limit callbacks that are to be sent now, and the time at which the next one will be, zero if none
// waits. What busy says is left out: the caller looks again when it is so no longer. Of the callbacks of one room to one webhook only the oldest is ever among them.
func (n *Node) DueCallbacks(limit int, busy func(agent, webhook, room string) bool) (due []Sending, next time.Time) {
	now := n.now()
	x := n.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, o := range x.s.Outboxes {
		hook := x.s.Agents[o.Agent].State.Webhooks[id]
		waiting, at := o.due(now)
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
		for _, callback := range waiting {
			if busy(o.Agent, id, callback.Room) {
				continue
			}
			if len(due) == limit {
				return due, next
			}
			due = append(due, Sending{Agent: o.Agent, Webhook: hook, Callback: *callback})
		}
	}
	return due, next
}

// OutboxWake has one slot: it holds a signal when callbacks may have become due that were not before.
func (n *Node) OutboxWake() <-chan struct{} { return n.outboxWake }

// claimCallback is an attempt about to begin. It rests on what the claimer saw: the attempt's number decides between two.
type claimCallback struct {
	webhook  string
	callback Callback
}

func (c claimCallback) decide(a *AgentState, env Env) ([]Payload, bool, error) {
	if _, ok := a.Webhooks[c.webhook]; !ok || a.attempted(c.webhook, c.callback.Position) != c.callback.Attempt {
		return nil, false, nil
	}
	return []Payload{&WebhookTriedEvent{
		Webhook: c.webhook, Position: c.callback.Position, Attempt: c.callback.Attempt + 1, Until: env.Now.Add(env.Lives.Claim),
	}}, true, nil
}

// Claim begins an attempt to send a callback; false: it is another's, or settled, or the webhook is gone.
func (n *Node) Claim(ctx context.Context, s Sending) (bool, error) {
	c := n.agentCell(s.Agent)
	defer c.unpin()
	mine, _, err := propose(ctx, c, claimCallback{webhook: s.Webhook.ID, callback: s.Callback}, nil)
	if err != nil || !mine || n.index.claimed(s) {
		return mine, err
	}
	// It was settled by somebody else between the look at the outbox and the claim.
	return false, n.Settle(ctx, s, WebhookSettledEvent{Outcome: WebhookDelivered})
}

// claimed tells whether the callback waits and its newest attempt is the one that was just claimed.
func (x *index) claimed(s Sending) (ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.eachCallback(s.Webhook.ID, s.Callback.Position, func(o *outbox, i int) { ok = o.List[i].Attempt == s.Callback.Attempt+1 })
	return ok
}

// settleCallback ends the attempt that was claimed.
type settleCallback struct {
	WebhookSettledEvent
	attempt int
}

func (c settleCallback) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if _, ok := a.Webhooks[c.Webhook]; !ok || a.attempted(c.Webhook, c.Position) != c.attempt {
		return nil, struct{}{}, nil
	}
	e := c.WebhookSettledEvent
	return []Payload{&e}, struct{}{}, nil
}

// Settle records what became of the attempt that Claim began. For WebhookDeferred, again is when the next may begin. An
// attempt that somebody else took over meanwhile, or whose webhook is gone, is not recorded.
func (n *Node) Settle(ctx context.Context, s Sending, e WebhookSettledEvent) error {
	c := n.agentCell(s.Agent)
	defer c.unpin()
	e.Webhook, e.Position = s.Webhook.ID, s.Callback.Position
	_, _, err := propose(ctx, c, settleCallback{WebhookSettledEvent: e, attempt: s.Callback.Attempt + 1}, nil)
	return err
}

// attempted is the number of the newest attempt at a callback that is not settled.
func (a *AgentState) attempted(webhook string, p Position) int {
	return a.Attempts[webhook][p]
}

// applyWebhook folds the agent's webhooks and the attempts at their callbacks.
func (a *AgentState) applyWebhook(rec *Recorded) {
	switch e := rec.Payload.(type) {
	case *WebhookAddedEvent:
		set(&a.Webhooks, e.ID, e.Webhook)
	case *WebhookRemovedEvent:
		delete(a.Webhooks, e.ID)
		delete(a.Attempts, e.ID)
	case *WebhookTriedEvent:
		a.setAttempt(e.Webhook, e.Position, e.Attempt)
	case *WebhookSettledEvent:
		switch {
		case e.Outcome != WebhookDeferred:
			a.setAttempt(e.Webhook, e.Position, 0)
		case e.Uncounted:
			a.setAttempt(e.Webhook, e.Position, a.attempted(e.Webhook, e.Position)-1)
		}
	}
}

// setAttempt copies what it changes: a state that was handed out shares the rest.
func (a *AgentState) setAttempt(webhook string, p Position, attempt int) {
	copied := map[Position]int{}
	for at, n := range a.Attempts[webhook] {
		copied[at] = n
	}
	if attempt == 0 {
		delete(copied, p)
	} else {
		copied[p] = attempt
	}
	if len(copied) == 0 {
		delete(a.Attempts, webhook)
		return
	}
	set(&a.Attempts, webhook, copied)
}
