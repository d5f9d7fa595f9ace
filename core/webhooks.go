package core

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Prefixes of webhooks and their callbacks.
const (
	WebhookPrefix  = "whk_"
	CallbackPrefix = "whd_"
)

// MaxWebhooks is how many webhooks an agent may have unless its door says otherwise.
const MaxWebhooks = 64

// ErrNoWebhook: the agent has no webhook with that id.
var ErrNoWebhook = errors.New("no such webhook")

// addWebhook gives the agent one more webhook. The log holds its sealed secret, so what is added is final.
type addWebhook struct {
	hook Webhook
	// most is how many the agent may have, itself included.
	most int
}

func (c addWebhook) decide(a *AgentState, env Env) ([]Payload, Webhook, error) {
	if a.Ended {
		return nil, Webhook{}, ErrNoAgent
	}
	if len(a.Webhooks) >= c.most {
		return nil, Webhook{}, full("url", "webhooks", c.most)
	}
	c.hook.At = env.Now
	return []Payload{&WebhookAddedEvent{Webhook: c.hook}}, c.hook, nil
}

type removeWebhook struct{ id string }

func (c removeWebhook) decide(a *AgentState, _ Env) ([]Payload, struct{}, error) {
	if _, ok := a.Webhooks[c.id]; !ok {
		return nil, struct{}{}, ErrNoWebhook
	}
	return []Payload{&WebhookRemovedEvent{ID: c.id}}, struct{}{}, nil
}

// NewWebhookID makes the id of a webhook to be, to which its secret is sealed.
func (n *Node) NewWebhookID() string { return n.ids.New(WebhookPrefix, n.now()) }

// AddWebhook has an agent told of its rooms' events at an address. Errors: [ErrNoAgent], *[InvalidError] when it has
// MaxWebhooks.
func (n *Node) AddWebhook(ctx context.Context, agent string, hook Webhook) (Webhook, error) {
	return n.AddWebhookWithin(ctx, agent, hook, MaxWebhooks)
}

// AddWebhookWithin is AddWebhook with another bound: it is refused when the agent has most webhooks. Those that an agent
// has stay when a bound becomes lower.
func (n *Node) AddWebhookWithin(ctx context.Context, agent string, hook Webhook, most int) (Webhook, error) {
	c := n.agentCell(agent)
	defer c.unpin()
	made, _, err := propose(ctx, c, addWebhook{hook: hook, most: most}, nil)
	return made, err
}

// RemoveWebhook ends a webhook of the agent with all that waits to be sent to it. Errors: [ErrNoWebhook], also for another
// agent's.
func (n *Node) RemoveWebhook(ctx context.Context, agent, id string) error {
	c := n.agentCell(agent)
	defer c.unpin()
	_, _, err := propose(ctx, c, removeWebhook{id}, nil)
	return err
}

// Webhooks lists an agent's webhooks, newest first.
func (n *Node) Webhooks(agent string) []Webhook {
	n.index.mu.RLock()
	defer n.index.mu.RUnlock()
	entry := n.index.s.Agents[agent]
	if entry == nil {
		return nil
	}
	out := make([]Webhook, 0, len(entry.State.Webhooks))
	for _, w := range entry.State.Webhooks {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Webhook) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return out
}
