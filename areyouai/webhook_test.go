package areyouai_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"stele/areyouai"
)

func TestDecodeWebhook(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	type r = areyouai.WebhookRequest
	runDecode(t, areyouai.DecodeWebhook, []decodeCase{
		{name: "defaults", body: `{"url":" https://a.test/x ","secret":" s "}`, want: r{URL: "https://a.test/x", Secret: "s", KeyID: "v1", Enabled: ptr(true)}},
		{name: "given", body: `{"url":"http://localhost:9/","secret":"s","key_id":" k2 ","enabled":false}`, want: r{URL: "http://localhost:9/", Secret: "s", KeyID: "k2", Enabled: ptr(false)}},
		{name: "null means absent", body: `{"url":"https://a.test","secret":"s","key_id":null,"enabled":null}`, want: r{URL: "https://a.test", Secret: "s", KeyID: "v1", Enabled: ptr(true)}},
		{name: "no url", body: `{"secret":"s"}`, code: bad, hint: "url"},
		{name: "http elsewhere", body: `{"url":"http://a.test","secret":"s"}`, code: bad, hint: "https"},
		{name: "no secret", body: `{"url":"https://a.test","secret":" "}`, code: bad, hint: "secret"},
		{name: "secret too long", body: `{"url":"https://a.test","secret":"` + strings.Repeat("s", 513) + `"}`, code: bad, hint: "512"},
		{name: "url too long", body: `{"url":"https://a.test/` + strings.Repeat("x", 2048) + `","secret":"s"}`, code: bad, hint: "2048"},
		{name: "key id no header", body: `{"url":"https://a.test","secret":"s","key_id":"a\r\nb"}`, code: bad, hint: "key_id"},
		{name: "key id not ASCII", body: `{"url":"https://a.test","secret":"s","key_id":"é"}`, code: bad, hint: "key_id"},
		{name: "key id too long", body: `{"url":"https://a.test","secret":"s","key_id":"` + strings.Repeat("k", 65) + `"}`, code: bad, hint: "64"},
		{name: "enabled as text", body: `{"url":"https://a.test","secret":"s","enabled":"yes"}`, code: bad, hint: "enabled"},
	})
}

func TestCheckWebhookURL(t *testing.T) {
	for _, good := range []string{
		"https://a.test", "HTTPS://A.test:8443/p/q", "https://10.0.0.1/", "https://[2001:db8::1]:9/x", "https://a.test/%3F",
		"http://localhost", "http://LOCALHOST:80/x", "http://127.0.0.1:9", "http://127.9.9.9/", "http://[::1]:9/", "http://[::ffff:127.0.0.1]/",
	} {
		require.NoError(t, areyouai.CheckWebhookURL(good), good)
	}
	for _, bad := range []string{
		"", "a.test", "/x", "//a.test/x", "https:", "https://", "https:a.test", "https://:443/", "ftp://a.test", "file:///etc/passwd",
		"http://a.test", "http://10.0.0.1", "http://localhost.a.test", "http://127.0.0.1.a.test", "http://2130706433", "http://127.1", "http://[::1%25lo]/",
		"https://u@a.test", "https://u:p@a.test", "https://@a.test", "https://a.test?x=1", "https://a.test/?", "https://a.test/#", "https://a.test#x",
		"https://a.test:0", "https://a.test:65536", "https://a.test:x", "https://a.test\n", "https://a b", "https://%zz",
	} {
		err := areyouai.CheckWebhookURL(bad)
		require.ErrorIs(t, err, areyouai.CodeInvalidRequest, bad)
		require.Equal(t, areyouai.HintWebhookURL, areyouai.AsError(err).Hint)
	}
}

func TestWebhookReplies(t *testing.T) {
	hook := areyouai.WebhookReply{ID: "whk_1", AgentID: "agt_a", URL: "https://a.test", KeyID: "v1", Enabled: true, CreatedAt: at(0), UpdatedAt: at(1)}
	active := areyouai.NewWebhookPayload(areyouai.WebhookPayload{
		DeliveryID: "whd_1", EventID: 5, Type: areyouai.EventMessageCreated, RoomID: "room_1", TargetAgentID: "agt_b",
		RoomState: areyouai.StateActive, NextTurn: 1, OccurredAt: at(1), NextActorID: "agt_b", OtherAgentID: "agt_a",
	})
	closed := active
	closed.Type, closed.RoomState, closed.OtherAgentID = areyouai.EventRoomClosed, areyouai.StateClosed, ""
	var b strings.Builder
	for _, v := range []any{
		hook, areyouai.NewWebhooksReply(nil), areyouai.NewWebhooksReply([]areyouai.WebhookReply{hook}),
	} {
		b.WriteString(reply(t, v))
	}
	for _, p := range []areyouai.WebhookPayload{active, areyouai.NewWebhookPayload(closed)} {
		body, err := areyouai.AppendWebhookPayload(nil, p)
		require.NoError(t, err)
		b.Write(append(body, '\n'))
		got, err := areyouai.DecodeWebhookPayload(body)
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	golden(t, "webhooks.golden", []byte(b.String()))

	events := map[areyouai.EventType]bool{"room.joined": true, "message.created": true, "room.closed": true, "room.purged": true, "room.created": false, "room.state_changed": false, "x": false}
	for typ, want := range events {
		require.Equal(t, want, areyouai.IsWebhookEvent(typ), typ)
	}
}

func TestDecodeWebhookPayload(t *testing.T) {
	bad := areyouai.CodeInvalidRequest
	runDecode(t, areyouai.DecodeWebhookPayload, []decodeCase{
		{name: "unknown type", body: `{"delivery_id":"d","room_id":"r","type":"x"}`, want: areyouai.WebhookPayload{DeliveryID: "d", RoomID: "r", Type: "x"}},
		{name: "no delivery", body: `{"room_id":"r","type":"x"}`, code: bad, hint: "delivery_id"},
		{name: "no room", body: `{"delivery_id":"d","type":"x"}`, code: bad, hint: "room_id"},
		{name: "no type", body: `{"delivery_id":"d","room_id":"r"}`, code: bad, hint: "type"},
	})
}

// TestWebhookVectors are the contract's own.
func TestWebhookVectors(t *testing.T) {
	for _, v := range []struct{ secret, timestamp, body, want string }{
		{"secret", "1712016000", `{"ok":true}`, "898abf673130ca8284e991fbb97fc4c5a08ec01c9603356cde380814fc319435"},
		{"whsec_test", "1764547200", `{"delivery_id":"whd_test","type":"room.joined"}`, "930b2e34f1d537e8f2cdc8c9523546b5c3ef30ae0b372410c19946f43a7d56ea"},
	} {
		got := areyouai.SignWebhook(v.secret, v.timestamp, []byte(v.body))
		require.Equal(t, "sha256="+v.want, got)
		require.True(t, areyouai.VerifyWebhook(v.secret, v.timestamp, got, []byte(v.body)))
		for _, forged := range []string{"", v.want, "sha256=", "sha1=" + v.want, got + "0", strings.ToUpper(got), "sha256=" + strings.Repeat("0", 64)} {
			require.False(t, areyouai.VerifyWebhook(v.secret, v.timestamp, forged, []byte(v.body)), forged)
		}
		require.False(t, areyouai.VerifyWebhook("other", v.timestamp, got, []byte(v.body)))
		require.False(t, areyouai.VerifyWebhook(v.secret, "1", got, []byte(v.body)))
		require.False(t, areyouai.VerifyWebhook(v.secret, v.timestamp, got, []byte(v.body+" ")))
	}
}

func TestWebhookHeaders(t *testing.T) {
	h := http.Header{}
	body := []byte(`{"ok":true}`)
	p := areyouai.WebhookPayload{DeliveryID: "whd_1", Type: areyouai.EventRoomJoined}
	areyouai.SetWebhookHeaders(h, "secret", "v1", p, body, time.Unix(1712016000, 999))
	require.Equal(t, http.Header{
		"Content-Type":           {"application/json"},
		"User-Agent":             {"areyouai-webhook-worker/1.0"},
		"X-Areyouai-Timestamp":   {"1712016000"},
		"X-Areyouai-Signature":   {"sha256=898abf673130ca8284e991fbb97fc4c5a08ec01c9603356cde380814fc319435"},
		"X-Areyouai-Key-Id":      {"v1"},
		"X-Areyouai-Event-Type":  {"room.joined"},
		"X-Areyouai-Delivery-Id": {"whd_1"},
	}, h)
}

func TestJudgeWebhook(t *testing.T) {
	for status, want := range map[int]areyouai.WebhookOutcome{
		200: areyouai.WebhookDelivered, 204: areyouai.WebhookDelivered, 299: areyouai.WebhookDelivered,
		0: areyouai.WebhookRetry, 100: areyouai.WebhookRetry, 302: areyouai.WebhookRetry, 408: areyouai.WebhookRetry,
		429: areyouai.WebhookRetry, 500: areyouai.WebhookRetry, 599: areyouai.WebhookRetry,
		400: areyouai.WebhookDead, 404: areyouai.WebhookDead, 410: areyouai.WebhookDead, 499: areyouai.WebhookDead,
	} {
		require.Equal(t, want, areyouai.JudgeWebhook(7, status), status)
		last := want
		if want == areyouai.WebhookRetry {
			last = areyouai.WebhookDead
		}
		require.Equal(t, last, areyouai.JudgeWebhook(8, status), status)
	}
}

func TestWebhookDelay(t *testing.T) {
	for n, want := range map[int]int{1: 5, 2: 10, 3: 20, 4: 40, 5: 80, 6: 160, 7: 300, 8: 300} {
		require.Equal(t, time.Duration(want)*time.Second, areyouai.WebhookDelay(n, 0), n)
		require.Equal(t, time.Duration(want)*time.Second*9/8, areyouai.WebhookDelay(n, 0.5), n)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n, r := rapid.Int().Draw(rt, "n"), rapid.Float64Range(0, 0.999).Draw(rt, "r")
		d := areyouai.WebhookDelay(n, r)
		require.True(t, d >= 5*time.Second && d < 375*time.Second, d)
	})
}
