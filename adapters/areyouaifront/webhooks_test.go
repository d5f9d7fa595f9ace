package areyouaifront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/adapters/webhook"
	"stele/areyouai"
	"stele/core"
	"stele/internal/seal"
)

const hookSecret = "whsec_between_the_two"

// receiver is an endpoint of webhooks that answers as it is told.
type receiver struct {
	*httptest.Server
	got chan received

	mu     sync.Mutex
	status func(areyouai.WebhookPayload) int
}

type received struct {
	areyouai.WebhookPayload
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{got: make(chan received, 1000), status: func(areyouai.WebhookPayload) int { return http.StatusNoContent }}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		p, err := areyouai.DecodeWebhookPayload(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		status := r.status(p)
		r.mu.Unlock()
		w.WriteHeader(status)
		r.got <- received{WebhookPayload: p, header: req.Header, body: body}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(fn func(areyouai.WebhookPayload) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = fn
}

func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case got := <-r.got:
		return got
	case <-time.After(20 * time.Second):
		require.Fail(t, "nothing was sent")
	}
	return received{}
}

func hookOptions(t *testing.T, keys string) areyouaifront.Options {
	t.Helper()
	o := unlimited()
	var err error
	o.Keys, err = seal.ParseKeyset(keys)
	require.NoError(t, err)
	o.Sender, err = webhook.NewSender(webhook.Options{AllowLoopback: true})
	require.NoError(t, err)
	t.Cleanup(o.Sender.Close)
	return o
}

const firstKey = "k1=sixteen characters or more"

// sending runs the gate's dispatcher until the test ends, or until stop is called.
func (g *gate) sending() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	front := g.front
	go func() {
		defer close(done)
		front.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	g.t.Cleanup(stop)
	return stop
}

func (g *gate) hook(p person, url string) areyouai.WebhookReply {
	g.t.Helper()
	body := fmt.Sprintf(`{"url":%q,"secret":%q}`, url, hookSecret)
	return as[areyouai.WebhookReply](g, 201, g.post("/v1/agent/webhooks", p.token, body))
}

func TestWebhookIsSent(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	g.sending()
	target := newReceiver(t)
	ada, bert := g.person("ada"), g.person("bert")
	made := g.hook(ada, target.URL)
	list := g.listing(ada, `{"topic":"tea"}`)
	require.Equal(t, 201, g.post("/v1/listings/"+list.ID+"/connect", bert.token, "").status)
	got := target.next(t)
	require.Equal(t, map[string]any{
		"delivery_id": got.DeliveryID, "event_id": 3.0, "type": "room.joined", "room_id": list.RoomID, "target_agent_id": ada.id,
		"room_state": "ACTIVE", "next_turn": 0.0, "reason": "room_joined", "occurred_at": g.clock.Now().Format(time.RFC3339),
		"next_actor_id": ada.id, "other_agent_id": bert.id,
	}, object(t, got.body))
	require.Equal(t, "areyouai-webhook-worker/1.0", got.header.Get("User-Agent"))
	require.Equal(t, "v1", got.header.Get("X-Areyouai-Key-Id"))
	require.Equal(t, "room.joined", got.header.Get("X-Areyouai-Event-Type"))
	require.Equal(t, got.DeliveryID, got.header.Get("X-Areyouai-Delivery-Id"))
	require.True(t, areyouai.VerifyWebhook(hookSecret, got.header.Get("X-Areyouai-Timestamp"), got.header.Get("X-Areyouai-Signature"), got.body))

	items := as[areyouai.WebhooksReply](g, 200, g.get("/v1/agent/webhooks", ada.token)).Items
	require.Equal(t, []areyouai.WebhookReply{made}, items)
	require.NotContains(t, g.get("/v1/agent/webhooks", ada.token).body, hookSecret)
	require.Equal(t, `{"items":[]}`+"\n", g.get("/v1/agent/webhooks", bert.token).body)
}

func object(t *testing.T, body []byte) (out map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(body, &out))
	return out
}

// TestWebhookOrder: while the receiver refuses one callback, what comes after it in the same room waits; 4xx ends it.
func TestWebhookOrder(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	g.sending()
	target := newReceiver(t)
	r := g.roomOf(`{"topic":"tea","ttl_seconds":1000000}`)
	g.hook(r.b, target.URL)
	target.answers(func(p areyouai.WebhookPayload) int {
		switch p.NextTurn {
		case 1:
			return http.StatusInternalServerError
		case 3:
			return http.StatusNotFound
		}
		return http.StatusNoContent
	})
	r.say(r.a, "one")
	first := target.next(t)
	r.say(r.b, "two")
	r.say(r.a, "three")
	for n := 2; n <= areyouai.WebhookMaxAttempts; n++ {
		again := g.nextAttempt(t, target)
		require.Equal(t, first.DeliveryID, again.DeliveryID, "attempt %d", n)
		require.Equal(t, first.body, again.body)
	}
	second := g.nextAttempt(t, target)
	require.Equal(t, int64(3), second.NextTurn, "the first is a dead letter after eight attempts")
	r.say(r.b, "four")
	r.say(r.a, "five")
	require.Equal(t, int64(5), g.nextAttempt(t, target).NextTurn, "404 makes a dead letter at once")
}

// nextAttempt lets time pass until something arrives: the outcome of the attempt before may not be written down yet.
func (g *gate) nextAttempt(t *testing.T, target *receiver) received {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		g.clock.Advance(areyouai.WebhookMaxBackoff)
		g.front.SendNow()
		select {
		case got := <-target.got:
			return got
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			require.Fail(t, "nothing was sent")
		}
	}
}

// TestWebhookSurvivesARestart: what was not delivered when the gateway ended goes out afterwards, with the same id, also
// after the key was rotated, and nothing goes out when no key opens the secret.
func TestWebhookSurvivesARestart(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	stop := g.sending()
	target := newReceiver(t)
	r := g.room()
	g.hook(r.b, target.URL)
	target.answers(func(areyouai.WebhookPayload) int { return http.StatusBadGateway })
	r.say(r.a, "one")
	first := target.next(t)
	stop()
	target.answers(func(areyouai.WebhookPayload) int { return http.StatusNoContent })
	g.clock.Advance(time.Minute)
	g.opts = hookOptions(t, "k2=another sixteen characters,"+firstKey)
	g.start("two")
	g.sending()
	require.Equal(t, first.DeliveryID, g.nextAttempt(t, target).DeliveryID)
	require.Empty(t, target.got)
}

func TestWebhookRefusals(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	ada, bert := g.person("ada"), g.person("bert")
	target := newReceiver(t)
	made := g.hook(ada, target.URL)
	for _, body := range []string{
		`{}`, `{"url":"https://example.org"}`, `{"secret":"s"}`, `{"url":"http://example.org","secret":"s"}`,
		`{"url":"https://u:p@example.org","secret":"s"}`, `{"url":"https://example.org/?q=1","secret":"s"}`, `nothing`,
	} {
		require.Equal(t, "invalid_request", g.post("/v1/agent/webhooks", ada.token, body).code(), body)
	}
	remove := func(p person, id string) answer {
		return g.do(ask{method: "DELETE", path: "/v1/agent/webhooks/" + id, token: p.token})
	}
	require.Equal(t, "not_found", remove(bert, made.ID).code())
	require.Equal(t, "not_found", remove(ada, "whk_none").code())
	require.Len(t, as[areyouai.WebhooksReply](g, 200, g.get("/v1/agent/webhooks", ada.token)).Items, 1)
	gone := remove(ada, made.ID)
	require.Equal(t, 204, gone.status)
	require.Empty(t, gone.body)
	require.Equal(t, "not_found", remove(ada, made.ID).code())
	require.Equal(t, 401, g.get("/v1/agent/webhooks", "").status)
	require.Equal(t, 401, g.do(ask{method: "PUT", path: "/v1/agent/webhooks"}).status, "the credential comes before the method here")
}

// TestNoKeyNoWebhooks: without a key to keep secrets with, none is taken, and the capabilities say so.
func TestNoKeyNoWebhooks(t *testing.T) {
	g := newGate(t, unlimited())
	ada := g.person("ada")
	got := g.post("/v1/agent/webhooks", ada.token, `{"url":"https://example.org","secret":"s"}`)
	require.Equal(t, 501, got.status)
	require.Contains(t, got.body, "STELE_WEBHOOK_KEYS")
	c := as[areyouai.Capabilities](g, 200, g.get("/v1/capabilities", ""))
	require.False(t, c.Features.EventsWebhook)
	require.Equal(t, `{"items":[]}`+"\n", g.get("/v1/agent/webhooks", ada.token).body)
}

// TestSecretsAreSealed: nothing in the log is the secret.
func TestSecretsAreSealed(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	ada := g.person("ada")
	g.hook(ada, "https://example.org/hook")
	for batch, err := range g.log.Tail(t.Context(), 0) {
		require.NoError(t, err)
		for _, rec := range batch {
			require.NotContains(t, string(rec.Body)+string(rec.Content), hookSecret)
			if rec.Kind == "webhook.added" {
				return
			}
		}
	}
}

// TestLockedSecretWaits: while no configured key opens a webhook's secret nothing is sent and no attempt is used up; with the
// key back it goes out.
func TestLockedSecretWaits(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	target := newReceiver(t)
	r := g.roomOf(`{"topic":"tea","ttl_seconds":1000000}`)
	g.hook(r.b, target.URL)
	r.say(r.a, "one")
	other := hookOptions(t, "k2=another sixteen characters")
	stop := g.runWith(other, "two")
	tries := g.attempts(2 * areyouai.WebhookMaxAttempts)
	stop()
	require.GreaterOrEqual(t, tries, 2*areyouai.WebhookMaxAttempts)
	require.Empty(t, target.got)
	g.runWith(hookOptions(t, firstKey), "three")
	require.Equal(t, int64(1), g.nextAttempt(t, target).NextTurn)
}

// runWith goes on with other options on the same log.
func (g *gate) runWith(o areyouaifront.Options, name string) (stop func()) {
	g.t.Helper()
	g.opts = o
	g.start(name)
	return g.sending()
}

// attempts lets time pass until the log has so many attempts.
func (g *gate) attempts(want int) (n int) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			g.clock.Advance(areyouai.WebhookMaxBackoff)
			g.front.SendNow()
			time.Sleep(5 * time.Millisecond)
		}
	}()
	for batch, err := range g.log.Tail(ctx, 0) {
		require.NoError(g.t, err)
		for _, rec := range batch {
			if rec.Kind == core.WebhookTried {
				n++
			}
		}
		if n >= want {
			return n
		}
	}
	return n
}
