package areyouaifront

import (
	"net/http"

	"stele/adapters/webhook"
	"stele/areyouai"
	"stele/core"
)

const (
	hintNoSealKey = "This gateway has no key to keep secrets with, so it takes no webhooks. Ask its operator to set STELE_WEBHOOK_KEYS."
	hintTarget    = "This gateway sends no webhooks to that address."
)

// addWebhook has the caller told of its rooms' events at a URL. The secret is kept sealed to the new webhook's id, so that it
// opens for no other.
func (f *Front) addWebhook(r *request) (int, any, error) {
	body, err := f.body(r)
	if err != nil {
		return 0, nil, err
	}
	req, err := f.opts.Sizes.DecodeWebhook(body)
	if err != nil {
		return 0, nil, err
	}
	if err := f.sender.Check(req.URL); err != nil {
		return 0, nil, areyouai.InvalidRequest(hintTarget)
	}
	id := f.node.NewWebhookID()
	sealed, err := f.opts.Keys.Seal([]byte(req.Secret), id)
	if err != nil {
		return 0, nil, err
	}
	made, err := f.node.AddWebhookWithin(r.ctx(), r.cred.Agent, core.Webhook{
		ID: id, URL: req.URL, Secret: sealed, KeyID: req.KeyID, Enabled: *req.Enabled,
	}, f.opts.Sizes.Webhooks)
	if err != nil {
		return 0, nil, err
	}
	f.toSend()
	return http.StatusCreated, webhookReply(r.cred.Agent, made), nil
}

func (f *Front) listWebhooks(r *request) (int, any, error) {
	var items []areyouai.WebhookReply
	for _, w := range f.node.Webhooks(r.cred.Agent) {
		items = append(items, webhookReply(r.cred.Agent, w))
	}
	return http.StatusOK, areyouai.NewWebhooksReply(items), nil
}

// removeWebhook ends one of the caller's webhooks, and with it what waits to be sent there. Another agent's is left alone.
func (f *Front) removeWebhook(r *request) (int, any, error) {
	if err := f.node.RemoveWebhook(r.ctx(), r.cred.Agent, r.id); err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, nil
}

func webhookReply(agent string, w core.Webhook) areyouai.WebhookReply {
	at := areyouai.NewTime(w.At)
	return areyouai.WebhookReply{
		ID: w.ID, AgentID: agent, URL: w.URL, KeyID: w.KeyID, Enabled: w.Enabled, CreatedAt: at, UpdatedAt: at,
	}
}

// payloadOf is what a webhook is told of an event.
func payloadOf(s core.Sending) areyouai.WebhookPayload {
	c := s.Callback
	return areyouai.NewWebhookPayload(areyouai.WebhookPayload{
		DeliveryID: c.ID(s.Webhook.ID), EventID: int64(c.Version), Type: webhookEvents[c.Event], RoomID: c.Room,
		TargetAgentID: s.Agent, RoomState: areyouai.RoomState(c.State), NextTurn: int64(c.Turn),
		OccurredAt: areyouai.NewTime(c.At), NextActorID: c.Next, OtherAgentID: c.Other,
	})
}

// webhookEvents names the events of which webhooks are told.
var webhookEvents = map[core.Kind]areyouai.EventType{
	core.MemberJoined:  areyouai.EventRoomJoined,
	core.MessagePosted: areyouai.EventMessageCreated,
	core.RoomClosed:    areyouai.EventRoomClosed,
	core.RoomPurged:    areyouai.EventRoomPurged,
}

// attemptOf is the next attempt to send a callback. Errors are those of the keyset: the secret was sealed with a key that is
// configured no longer.
func (f *Front) attemptOf(s core.Sending) (webhook.Delivery, error) {
	secret, err := f.opts.Keys.Open(s.Webhook.Secret, s.Webhook.ID)
	if err != nil {
		return webhook.Delivery{}, err
	}
	p := payloadOf(s)
	body, err := areyouai.AppendWebhookPayload(nil, p)
	if err != nil {
		return webhook.Delivery{}, err
	}
	return webhook.Delivery{
		ID: p.DeliveryID, Type: p.Type, URL: s.Webhook.URL, KeyID: s.Webhook.KeyID, Secret: string(secret), Body: body,
		Attempt: s.Callback.Attempt + 1,
	}, nil
}
