package conformance

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWebhookRoutes(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const path = "/v1/agent/webhooks"
	const fields = "id string, agent_id string, url string, key_id string, enabled bool, created_at string, updated_at string"
	t.Run("create", func(t *testing.T) {
		shows(t, "9-create", "9-defaults", "9-required", "9-list", "9-many", "3.0-27", "3.0-28", "9-delete", "13-21")
		a := s.agent(t)
		require.Equal(t, object{"items": []any{}}, a.get(t, path).is(200).object())
		one := a.post(t, path, object{"url": " https://example.com/hook ", "secret": " the secret "}).has(201, fields)
		require.Equal(t, []any{a.id, "https://example.com/hook", "v1", true}, []any{one["agent_id"], one["url"], one["key_id"], one["enabled"]})
		require.Equal(t, instant(t, one["created_at"]), instant(t, one["updated_at"]))
		two := a.post(t, path, object{"url": "https://example.com/hook", "secret": "x", "key_id": "k9", "enabled": false}).has(201, fields)
		require.Equal(t, []any{"k9", false}, []any{two["key_id"], two["enabled"]})
		got := a.get(t, path).is(200)
		require.NotContains(t, got.body, "the secret")
		require.Equal(t, anys(two, one), got.object()["items"])
		for _, bad := range []any{
			nil, "", "[",
			object{},
			object{"url": "https://example.com/"},
			object{"secret": "x"},
			object{"url": "https://example.com/", "secret": " "},
			object{"url": " ", "secret": "x"},
			object{"url": 7, "secret": "x"},
		} {
			a.post(t, path, bad).refused("invalid_request")
		}
		for _, gone := range []object{one, two} {
			id := gone["id"].(string)
			s.agent(t).s.do(t, "DELETE", path+"/"+id, s.agent(t).session, nil).refused("not_found")
			deleted := s.do(t, "DELETE", path+"/"+id, a.session, nil).is(204)
			require.Empty(t, deleted.body)
			s.do(t, "DELETE", path+"/"+id, a.session, nil).refused("not_found")
		}
		require.Equal(t, []any{}, a.get(t, path).object()["items"])
	})
	t.Run("url", func(t *testing.T) {
		shows(t, "9-url", "14-30")
		a := s.agent(t)
		for _, good := range []string{"https://example.com", "https://example.com:8443/a/b", "http://localhost:9/x", "http://127.0.0.1:9/x", "http://[::1]:9/"} {
			a.post(t, path, object{"url": good, "secret": "x"}).is(201)
		}
		for _, bad := range []string{
			"http://example.com/", "ftp://example.com/", "example.com", "/path", "https://", "https://user@example.com/", "https://user:pass@example.com/",
			"https://example.com/?q=1", "https://example.com/?", "https://example.com/#f", "http://10.0.0.1/", "https://exa mple.com/",
		} {
			a.post(t, path, object{"url": bad, "secret": "x"}).refused("invalid_request")
		}
	})
}

func TestCallbacks(t *testing.T) {
	t.Parallel()
	s := shared(t)
	t.Run("vectors", func(t *testing.T) {
		shows(t, "9-vectors", "16-17")
		require.Equal(t, "898abf673130ca8284e991fbb97fc4c5a08ec01c9603356cde380814fc319435", sign("secret", "1712016000", `{"ok":true}`))
		require.Equal(t, "930b2e34f1d537e8f2cdc8c9523546b5c3ef30ae0b372410c19946f43a7d56ea",
			sign("whsec_test", "1764547200", `{"delivery_id":"whd_test","type":"room.joined"}`))
	})
	t.Run("requests", func(t *testing.T) {
		shows(t, "9-headers", "9-signature", "9-payload", "9-no-text", "9-events", "9-2xx", "3.4-webhook", "5-activated", "5-close", "5-max-turns", "6-effects", "5-new")
		a, b := receives(t), receives(t)
		r := s.agent(t).lists(t, object{"max_turns": 2})
		r.a.hook(t, a.url, hookSecret, object{"key_id": "k7"})
		peer := s.agent(t)
		peer.hook(t, b.url, hookSecret, nil)
		r.connects(t, peer)
		const fields = "delivery_id string, event_id int, type string, room_id string, target_agent_id string, room_state string, next_turn int, " +
			"reason string, occurred_at string"
		c := a.next(t)
		require.Equal(t, "POST", c.method)
		o := shape(t, c.payload(t), fields+", next_actor_id string, other_agent_id string")
		for name, want := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "areyouai-webhook-worker/1.0", "X-Areyouai-Key-Id": "k7",
			"X-Areyouai-Event-Type": "room.joined", "X-Areyouai-Delivery-Id": o["delivery_id"].(string),
		} {
			require.Equal(t, want, c.header.Get(name), name)
		}
		require.Regexp(t, `^whd_`, o["delivery_id"])
		require.Equal(t, []any{"room.joined", r.id, r.a.id, 0.0, r.a.id, peer.id, "room_joined"},
			[]any{o["type"], o["room_id"], o["target_agent_id"], o["next_turn"], o["next_actor_id"], o["other_agent_id"], o["reason"]})
		require.Contains(t, []any{"OPEN", "ACTIVE"}, o["room_state"])
		instant(t, o["occurred_at"])
		r.say(t, "the secret word")
		c = b.next(t)
		require.NotContains(t, c.body, "secret word")
		o = shape(t, c.payload(t), fields+", next_actor_id string, other_agent_id string")
		require.Equal(t, []any{"message.created", "ACTIVE", 1.0, peer.id, r.a.id, peer.id, 5.0},
			[]any{o["type"], o["room_state"], o["next_turn"], o["next_actor_id"], o["other_agent_id"], o["target_agent_id"], o["event_id"]})
		require.Equal(t, "v1", c.header.Get("X-Areyouai-Key-Id"))
		r.say(t, "the last")
		a.hears(t, "message.created")
		closed := shape(t, a.hears(t, "room.closed"), fields+", other_agent_id string")
		require.Equal(t, []any{"CLOSED", 2.0}, []any{closed["room_state"], closed["next_turn"]})
		a.silent(t)
		b.silent(t)
		q := r.a.lists(t, nil).connects(t, peer)
		a.hears(t, "room.joined")
		q.close(t, peer)
		a.hears(t, "room.closed")
		b.silent(t)
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		shows(t, "9-events", "5-ttl")
		a, b := receives(t), receives(t)
		owner, peer := s.agent(t), s.agent(t)
		r := owner.lists(t, object{"ttl_seconds": 5})
		peer.hook(t, b.url, hookSecret, nil)
		r.connects(t, peer)
		r.a.hook(t, a.url, hookSecret, nil)
		a.hears(t, "room.closed")
		b.hears(t, "room.closed")
	})
	t.Run("4xx", func(t *testing.T) {
		shows(t, "9-4xx", "9-ordered", "16-17")
		for _, status := range []int{400, 404, 410} {
			b := receives(t, status)
			r := s.room(t)
			r.b.hook(t, b.url, hookSecret, nil)
			r.say(t, "dead")
			first := b.hears(t, "message.created")
			r.close(t, r.a)
			second := b.hears(t, "room.closed")
			require.NotEqual(t, first["delivery_id"], second["delivery_id"])
			b.silent(t)
		}
	})
	t.Run("retries", func(t *testing.T) {
		t.Parallel()
		shows(t, "9-retry", "9-backoff", "9-ordered", "9-fresh", "16-17")
		for _, status := range []int{500, 408, 429, 302, 0, never} {
			t.Run(strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				shows(t, "9-retry", "9-backoff", "9-ordered", "9-fresh", "16-17")
				if status == http.StatusFound {
					shows(t, "14-30")
				}
				b := receives(t, status)
				r := s.room(t)
				r.b.hook(t, b.url, hookSecret, nil)
				r.say(t, "once more")
				first := b.next(t)
				r.close(t, r.a)
				again := b.next(t)
				require.Equal(t, first.body, again.body)
				require.Equal(t, first.header.Get("X-Areyouai-Delivery-Id"), again.header.Get("X-Areyouai-Delivery-Id"))
				require.NotEqual(t, first.header.Get("X-Areyouai-Timestamp"), again.header.Get("X-Areyouai-Timestamp"))
				waited := again.at.Sub(first.at)
				if status == never {
					waited -= 10 * time.Second
				}
				require.GreaterOrEqual(t, waited, 4900*time.Millisecond)
				require.LessOrEqual(t, waited, 6250*time.Millisecond+patience)
				b.hears(t, "room.closed")
				b.silent(t)
			})
		}
	})
	t.Run("disabled", func(t *testing.T) {
		shows(t, "9-disabled")
		off, on := receives(t), receives(t)
		r := s.room(t)
		r.b.hook(t, off.url, hookSecret, object{"enabled": false})
		r.b.hook(t, on.url, hookSecret, nil)
		r.say(t, "x")
		on.hears(t, "message.created")
		off.silent(t)
	})
	t.Run("foreign delete", func(t *testing.T) {
		t.Parallel()
		shows(t, "14-21", "9-delete", "9-retry")
		b := receives(t, 500)
		r := s.room(t)
		id := r.b.hook(t, b.url, hookSecret, nil)
		r.say(t, "queued")
		first := b.next(t)
		s.do(t, "DELETE", "/v1/agent/webhooks/"+id, r.a.session, nil).refused("not_found")
		require.Equal(t, first.body, b.next(t).body)
	})
	t.Run("own delete", func(t *testing.T) {
		shows(t, "9-delete")
		b, other := receives(t, 500), receives(t)
		r := s.room(t)
		id := r.b.hook(t, b.url, hookSecret, nil)
		r.say(t, "queued")
		b.next(t)
		s.do(t, "DELETE", "/v1/agent/webhooks/"+id, r.b.session, nil).is(204)
		r.b.hook(t, other.url, hookSecret, nil)
		r.close(t, r.a)
		other.hears(t, "room.closed")
		b.silent(t)
	})
	t.Run("not to private addresses", func(t *testing.T) {
		t.Parallel()
		shows(t, "14-30")
		closed := own(t, "--webhook-keys", "k1=0123456789abcdef")
		b := receives(t)
		closed.agent(t).post(t, "/v1/agent/webhooks", object{"url": b.url, "secret": "x"}).refused("invalid_request")
		a := closed.agent(t)
		for _, private := range []string{"https://10.0.0.1/", "https://169.254.169.254/", "https://192.168.1.1/", "https://[fd00::1]/", "https://127.0.0.1/", "https://0.0.0.0/"} {
			a.post(t, "/v1/agent/webhooks", object{"url": private, "secret": "x"}).refused("invalid_request")
		}
	})
	t.Run("rotation", func(t *testing.T) {
		t.Parallel()
		shows(t, "9-rotation", "9-sealed")
		own := own(t, "--webhook-keys", "old=0123456789abcdef", "--webhook-loopback", "all")
		b := receives(t)
		r := own.room(t)
		r.b.hook(t, b.url, hookSecret, nil)
		own.flags[1] = "new=fedcba9876543210,old=0123456789abcdef"
		own.restart(t, false)
		r.say(t, "signed with the secret that the old key sealed")
		b.hears(t, "message.created")
		c := receives(t)
		r.b.hook(t, c.url, hookSecret, nil)
		r.close(t, r.a)
		b.hears(t, "room.closed")
		c.hears(t, "room.closed")
	})
}
