package agentswitch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	agentswitch "stele/switch"
)

// hostile is a network and a server that do their worst and lose nothing: it
// has events 1 to last, and every open ends, one way or another, after some.
type hostile struct {
	mu   sync.Mutex
	plan []misfortune
	last int
	errs []string
}

// misfortune is how one open goes.
type misfortune struct {
	kind   string
	events int
}

var misfortunes = []string{"refuse", "vanish", "end", "evict", "cut", "reset", "garble", "gap", "expire"}

func (h *hostile) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		return answer(r, 200, agentswitch.ContentTypeJSON, strings.NewReader(`{"ok":true,"rooms":[],"cursor":0}`)), nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil || r.URL.Query().Get("start_from") != r.Header.Get("Last-Event-ID") {
		h.errs = append(h.errs, "resumed at "+r.URL.RawQuery)
	}
	next := misfortune{kind: "stay", events: h.last}
	if len(h.plan) > 0 {
		next, h.plan = h.plan[0], h.plan[1:]
	}
	return h.play(r, next, from)
}

func (h *hostile) play(r *http.Request, m misfortune, from int) (*http.Response, error) {
	switch m.kind {
	case "refuse":
		return answer(r, 503, "text/plain", strings.NewReader("later")), nil
	case "vanish":
		return nil, errors.New("no route to host")
	}
	var sent bytes.Buffer
	sent.Write(agentswitch.AppendConnectionStateFrame(nil, agentswitch.ConnectionState{ConnectionID: "c-1", Cursor: uint64(from)}))
	if m.kind == "gap" { // all of it is still there: both numbers are the cursor
		sent.Write(agentswitch.AppendGapFrame(nil, agentswitch.GapExpiredAtOpen(uint64(from))))
	}
	to := min(from+m.events, h.last)
	for i := from + 1; i <= to; i++ {
		sent.WriteString(messageFrame(strconv.Itoa(i), fmt.Sprint("m", i)))
	}
	switch m.kind {
	case "evict":
		sent.Write(agentswitch.AppendEvictedFrame(nil, agentswitch.Evicted{Reason: agentswitch.ReasonHeartbeatLapsed}))
	case "cut":
		sent.WriteString(messageFrame(strconv.Itoa(to+1), "cut")[:25])
	case "garble": // a control frame, since a garbled event is lost by the rules
		sent.WriteString("event: gap\ndata: {nonsense\n\n")
	case "expire": // says nothing new, and must not take the cursor back
		sent.Write(agentswitch.AppendGapFrame(nil, agentswitch.GapExpired(0, 0)))
	}
	var body io.Reader = &sent
	switch m.kind {
	case "reset":
		body = io.MultiReader(&sent, failing{})
	case "stay":
		body = io.MultiReader(&sent, until{r.Context()})
	}
	return answer(r, 200, agentswitch.ContentTypeStream, body), nil
}

func answer(r *http.Request, status int, contentType string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body), Request: r, ContentLength: -1}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

type until struct{ ctx context.Context }

func (u until) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

// instantClock stands still and sleeps without time, but for beats.
type instantClock struct{ now time.Time }

func (c instantClock) Now() time.Time { return c.now }

func (instantClock) Sleep(ctx context.Context, d time.Duration) error {
	if d == agentswitch.HeartbeatInterval {
		<-ctx.Done()
	}
	return ctx.Err()
}

// Gapless, Ordered and Once, from the client's side: whatever the network does,
// each event is yielded exactly once and in order.
func TestEveryEventComesOnceThroughAHostileNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &hostile{last: rapid.IntRange(1, 60).Draw(t, "events")}
		for range rapid.IntRange(0, 12).Draw(t, "misfortunes") {
			h.plan = append(h.plan, misfortune{
				kind: rapid.SampledFrom(misfortunes).Draw(t, "kind"), events: rapid.IntRange(0, 25).Draw(t, "before it"),
			})
		}
		client, err := agentswitch.NewClient(agentswitch.Options{
			BaseURL: "http://h", AgentID: "a-1", APIKey: "k", HTTPClient: &http.Client{Transport: h}, Clock: instantClock{time.Unix(1790000000, 0)},
			Rand: func() float64 { return 0.75 },
		})
		require.NoError(t, err)
		want := 1
		for frame := range client.Events(context.Background(), agentswitch.StreamOptions{ConnectionID: "c-1", After: ptr(uint64(0))}) {
			event, ok := frame.(agentswitch.Event)
			if !ok {
				continue
			}
			require.Equal(t, uint64(want), event.Sequence)
			require.Equal(t, fmt.Sprint("m", want), event.Payload.(agentswitch.Message).Body)
			if want == h.last {
				break
			}
			want++
		}
		require.Equal(t, h.last, want)
		require.Empty(t, h.errs)
	})
}
