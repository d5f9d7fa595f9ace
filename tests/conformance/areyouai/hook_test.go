package conformance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/testclock"
)

const hookSecret = "whsec_test"

// hook adds a webhook and returns its id.
func (a *agent) hook(t *testing.T, url, secret string, more object) string {
	t.Helper()
	body := object{"url": url, "secret": secret}
	for k, v := range more {
		body[k] = v
	}
	return text(t, a.post(t, "/v1/agent/webhooks", body).is(201).object(), "id")
}

// sign is the signature of a body at a time, as a receiver computes it.
func sign(secret, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "." + body))
	return hex.EncodeToString(mac.Sum(nil))
}

// never is no answer until whoever calls gives up.
const never = -1

// call is a request that a receiver got.
type call struct {
	method string
	header http.Header
	body   string
	at     time.Time
}

// payload takes the body apart.
func (c call) payload(t *testing.T) object {
	t.Helper()
	return parse(t, c.body).(object)
}

// receiver is somebody whom webhooks tell.
type receiver struct {
	url   string
	calls chan call

	mu sync.Mutex
	// answers are the statuses of the next calls, 0 for none but the end of the connection, never for none at all; behind them every call is answered with 204.
	answers []int
}

func receives(t *testing.T, answers ...int) *receiver {
	t.Helper()
	r := &receiver{calls: make(chan call, 1024), answers: answers}
	web := httptest.NewServer(r)
	t.Cleanup(web.Close)
	r.url = web.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	status := http.StatusNoContent
	if len(r.answers) > 0 {
		status, r.answers = r.answers[0], r.answers[1:]
	}
	r.mu.Unlock()
	if status >= 300 && status < 400 {
		w.Header().Set("Location", "http://"+req.Host+"/elsewhere")
	}
	switch status {
	case 0:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	case never:
	default:
		w.WriteHeader(status)
	}
	r.calls <- call{method: req.Method, header: req.Header, body: string(body), at: time.Now()}
	if status == never {
		<-req.Context().Done()
	}
}

// next is the next call, which must be signed.
func (r *receiver) next(t *testing.T) call {
	t.Helper()
	select {
	case c := <-r.calls:
		timestamp := c.header.Get("X-Areyouai-Timestamp")
		require.Equal(t, "sha256="+sign(hookSecret, timestamp, c.body), c.header.Get("X-Areyouai-Signature"))
		seconds, err := strconv.ParseInt(timestamp, 10, 64)
		require.NoError(t, err)
		require.Positive(t, seconds)
		return c
	case <-time.After(3 * patience):
		require.Fail(t, "no call came")
		return call{}
	}
}

// hears is the payload of the next call, which must be of a type.
func (r *receiver) hears(t *testing.T, kind string) object {
	t.Helper()
	c := r.next(t)
	o := c.payload(t)
	require.Equal(t, kind, o["type"], c.body)
	require.Equal(t, strings.ReplaceAll(kind, ".", "_"), o["reason"])
	return o
}

// silent expects no further call for a moment.
func (r *receiver) silent(t *testing.T) {
	t.Helper()
	select {
	case c := <-r.calls:
		require.Fail(t, "a call came", c.body)
	case <-time.After(300 * time.Millisecond):
	}
}

// after is the next call, for which the clock is moved on. When an attempt is judged nothing tells, so the clock goes in
// small steps, and after each the gateway has a reason to look for what is due.
func (r *receiver) after(t *testing.T, s *server, c *testclock.Clock) call {
	t.Helper()
	nobody := s.agent(t)
	for began := time.Now(); len(r.calls) == 0 && time.Since(began) < 3*patience; {
		c.Advance(20 * time.Second)
		id := nobody.hook(t, "http://127.0.0.1:9/", "x", nil)
		s.do(t, "DELETE", "/v1/agent/webhooks/"+id, nobody.session, nil).is(204)
	}
	return r.next(t)
}
