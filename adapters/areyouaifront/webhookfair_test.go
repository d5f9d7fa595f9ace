package areyouaifront_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlowWebhookLeavesRoom: a webhook that answers nothing, with more rooms due than attempts run at a time, does not hold
// up those that answer.
func TestSlowWebhookLeavesRoom(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	end := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-end
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(end) })
	quick := newReceiver(t)
	ada, bert, cara := g.person("ada"), g.person("bert"), g.person("cara")
	for range 6 {
		g.hook(ada, slow.URL)
	}
	g.hook(cara, quick.URL)
	connect := func(owner person) {
		list := g.listing(owner, `{"topic":"tea"}`)
		require.Equal(t, 201, g.post("/v1/listings/"+list.ID+"/connect", bert.token, "").status)
	}
	for range 40 {
		connect(ada)
	}
	connect(cara)
	g.sending()
	// Half of what an attempt at the slow one takes.
	select {
	case <-quick.got:
	case <-time.After(5 * time.Second):
		require.Fail(t, "the quick one was held up")
	}
}
