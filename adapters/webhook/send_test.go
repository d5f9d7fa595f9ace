package webhook_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/webhook"
	"stele/areyouai"
)

// The golden request has the second signature vector of the protocol in it.
func TestTheBytesOfARequest(t *testing.T) {
	got := make(chan string, 1)
	address := listen(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		var text strings.Builder
		for !strings.HasSuffix(text.String(), "\r\n\r\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			text.WriteString(line)
		}
		body := make([]byte, 47)
		_, _ = io.ReadFull(r, body)
		got <- text.String() + string(body)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	})
	s := newSender(t, webhook.Options{AllowLoopback: true, Now: func() time.Time { return time.Unix(1764547200, 999_999_999) }})
	out := s.Send(t.Context(), to("http://"+address+"/hook"))
	require.Equal(t, webhook.Outcome{Kind: areyouai.WebhookDelivered, Status: http.StatusNoContent}, out)

	golden, err := os.ReadFile("testdata/request.txt")
	require.NoError(t, err)
	want := strings.ReplaceAll(strings.TrimSuffix(string(golden), "\n"), "HOST", address)
	require.Equal(t, want, strings.ReplaceAll(<-got, "\r\n", "\n"))
}

func TestEveryAttemptIsSignedWithItsOwnTime(t *testing.T) {
	type seen struct{ timestamp, signature, id string }
	requests := make(chan seen, 2)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := r.Header
		if !areyouai.VerifyWebhook("whsec_test", h.Get("X-Areyouai-Timestamp"), h.Get("X-Areyouai-Signature"), body) {
			w.WriteHeader(http.StatusUnauthorized)
		}
		requests <- seen{h.Get("X-Areyouai-Timestamp"), h.Get("X-Areyouai-Signature"), h.Get("X-Areyouai-Delivery-Id")}
	})
	now := time.Unix(1764547200, 0)
	s := newSender(t, webhook.Options{AllowLoopback: true, Now: func() time.Time { now = now.Add(time.Minute); return now }})
	for attempt := 1; attempt <= 2; attempt++ {
		d := to(server.URL)
		d.Attempt = attempt
		require.Equal(t, areyouai.WebhookDelivered, s.Send(t.Context(), d).Kind)
	}
	first, second := <-requests, <-requests
	require.Equal(t, "1764547260", first.timestamp)
	require.Equal(t, "1764547320", second.timestamp)
	require.NotEqual(t, first.signature, second.signature)
	require.Equal(t, first.id, second.id)
}

func TestTheStatusDecides(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.WriteHeader(status)
	})
	s := local(t)
	for want, statuses := range map[areyouai.WebhookOutcome][]int{
		areyouai.WebhookDelivered: {200, 201, 202, 204, 206, 299},
		areyouai.WebhookDead:      {400, 401, 403, 404, 405, 409, 410, 413, 422, 425, 426, 451, 499},
		areyouai.WebhookRetry:     {300, 301, 302, 303, 304, 307, 308, 399, 408, 429, 500, 501, 502, 503, 504, 599, 600, 999},
	} {
		for _, status := range statuses {
			for attempt := range 10 {
				d := to(server.URL + "/" + strconv.Itoa(status))
				d.Attempt = attempt
				expected := want
				if want == areyouai.WebhookRetry && attempt >= 8 {
					expected = areyouai.WebhookDead
				}
				require.Equal(t, webhook.Outcome{Kind: expected, Status: status}, s.Send(t.Context(), d), "%d, attempt %d", status, attempt)
			}
		}
	}
}

func TestNoAnswerIsARetryUntilTheLastAttempt(t *testing.T) {
	address := listen(t, func(net.Conn) {})
	s := local(t)
	d := to("http://" + address + "/")
	for d.Attempt = 1; d.Attempt <= 8; d.Attempt++ {
		out := s.Send(t.Context(), d)
		require.Error(t, out.Err)
		require.Zero(t, out.Status)
		require.Equal(t, d.Attempt == 8, out.Kind == areyouai.WebhookDead)
		require.Equal(t, d.Attempt != 8, out.Kind == areyouai.WebhookRetry)
	}
}

// A shutdown is not the endpoint's fault, so it must not cost the last attempt.
func TestTheEndOfTheContextCountsForNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	server := serve(t, func(http.ResponseWriter, *http.Request) {
		cancel()
		<-release
	})
	defer close(release)
	d := to(server.URL)
	d.Attempt = 8
	out := local(t).Send(ctx, d)
	require.Equal(t, areyouai.WebhookRetry, out.Kind)
	require.ErrorIs(t, out.Err, context.Canceled)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var hits atomic.Int64
	inside := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for _, location := range []string{inside.URL + "/latest/meta-data", "http://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "/again"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/again" {
					hits.Add(1)
				}
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			})
			out := local(t).Send(t.Context(), to(server.URL))
			require.Equal(t, webhook.Outcome{Kind: areyouai.WebhookRetry, Status: status}, out)
		}
	}
	require.Zero(t, hits.Load())
}

func TestNoStoredValueCanAddAHeader(t *testing.T) {
	var hits atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	s := local(t)
	for _, value := range []string{"", "a\r\nX-Other: b", "a\nb", "a\x00", "a b", "a\t", "ä", "\x7f", strings.Repeat("a", 1025)} {
		for _, change := range []func(*webhook.Delivery){
			func(d *webhook.Delivery) { d.ID = value },
			func(d *webhook.Delivery) { d.KeyID = value },
			func(d *webhook.Delivery) { d.Type = areyouai.EventType(value) },
		} {
			d := to(server.URL)
			change(&d)
			out := s.Send(t.Context(), d)
			require.Equal(t, areyouai.WebhookDead, out.Kind, "%q", value)
			require.ErrorIs(t, out.Err, webhook.ErrDelivery)
		}
	}
	require.Zero(t, hits.Load())
}

func TestADeliveryShowsNoSecret(t *testing.T) {
	d := to("https://example.com/private-path")
	d.Body = []byte("the payload")
	var text strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		_, _ = fmt.Fprintf(&text, verb+verb, d, []webhook.Delivery{d})
	}
	encoded, err := json.Marshal(&d)
	require.NoError(t, err)
	text.Write(encoded)
	require.Contains(t, text.String(), "whd_test")
	for _, secret := range []string{"whsec_test", "private-path", "the payload", fmt.Sprintf("%x", "whsec_test")} {
		require.NotContains(t, text.String(), secret)
	}
}
