package conformance

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestClientCalls(t *testing.T) {
	t.Parallel()
	shows(t, "12-stub", "12-buffer", "7-client", "12-late")
	r := shared(t).room(t)
	r.say(t, r.a, "before")
	w := newWire()
	c := begin(t, behind(t, r.s).url+r.at, w.options(r.a.key, false))
	require.Empty(t, c.Claims())
	buffered := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "getRoomState")
		buffered <- err
	}()
	c.Start(t.Context())
	require.NoError(t, <-buffered)
	require.Equal(t, 0, w.place(`"kind":"attach"`))
	require.Less(t, w.place(`"kind":"hello"`), w.place(`"kind":"call"`))
	require.Equal(t, []string{"read", "rpc"}, c.Claims())
	_, err := c.Call(t.Context(), "shout")
	var refused edgeframes.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, edgeframes.CodeMethodNotFound, refused.Code)
	sent, err := edgeframes.CallAs[map[string]string](t.Context(), c, "postMessage", "by the client")
	require.NoError(t, err)
	require.NotEmpty(t, sent["event_id"])
	// Listeners that come late.
	for state := range c.State(within(t)) {
		id, _ := state.Get("id")
		require.Equal(t, superjson.String(r.id), id)
		break
	}
	for update, err := range c.Messages(within(t)) {
		require.NoError(t, err)
		require.True(t, update.Snapshot)
		require.Len(t, update.Messages, 2)
		break
	}
	events := c.Events(within(t), 0)
	r.emit(t, r.b, "fresh")
	for e, err := range events {
		require.NoError(t, err)
		require.Equal(t, "fresh", e.Type)
		break
	}
	plain := begin(t, "ws"+strings.TrimPrefix(r.s.url, "http")+r.at, edgeframes.ClientOptions{})
	plain.Start(t.Context())
	require.NoError(t, plain.Ready(within(t)))
	require.Empty(t, plain.Claims())
}

func TestClientLinkDown(t *testing.T) {
	t.Parallel()
	shows(t, "12-rejects", "7-client", "6-again")
	r := shared(t).room(t)
	w, p := newWire(), behind(t, r.s)
	c := begin(t, p.url+r.at, w.options(r.a.key, false))
	c.Start(t.Context())
	require.NoError(t, c.Ready(within(t)))
	p.cut(true)
	require.Error(t, <-w.down)
	require.Empty(t, c.Claims())
	// A call that waits for a link fails with the next attempt.
	_, err := c.Call(within(t), "postMessage", "never sent")
	require.ErrorIs(t, err, edgeframes.ErrLinkDown)
	p.cut(false)
	require.NoError(t, c.Ready(within(t)))
	require.Equal(t, []string{"read", "rpc"}, c.Claims())
	_, err = c.Call(within(t), "getRoomState")
	require.NoError(t, err)
	require.Empty(t, w.with("sent", "never sent"))
	attaches := w.with("sent", `"kind":"attach"`)
	require.GreaterOrEqual(t, len(attaches), 2)
	for _, x := range attaches {
		require.Equal(t, attaches[0], x)
	}
}

func TestClientResumes(t *testing.T) {
	t.Parallel()
	shows(t, "8-first", "8-resume", "6-again")
	r := shared(t).room(t)
	r.say(t, r.b, "round 0")
	w, p := newWire(), behind(t, r.s)
	c := begin(t, p.url+r.at, w.options(r.a.key, true))
	next, stop := iter.Pull2(c.Events(within(t), 0))
	defer stop()
	c.Start(t.Context())
	require.NoError(t, c.Ready(within(t)))
	const rounds, start = 8, 4
	seq := uint64(0)
	for round := 1; round <= rounds; round++ {
		r.say(t, r.b, fmt.Sprint("round ", round))
		if round%2 == 0 {
			p.cut(false)
		}
		r.emit(t, r.b, "round")
		for seq < uint64(start+2*round) {
			e, err, ok := next()
			require.True(t, ok)
			require.NoError(t, err)
			seq++
			require.Equal(t, seq, e.Seq)
		}
		p.cut(false)
		require.Error(t, <-w.down)
	}
	for update, err := range c.Messages(within(t)) {
		require.NoError(t, err)
		if len(update.Messages) == rounds+1 {
			for i, m := range update.Messages {
				require.Equal(t, []any{uint64(i + 1), fmt.Sprint("round ", i)}, []any{m.Seq, m.Content})
			}
			break
		}
	}
	// The last cut may be noticed after all that.
	last := fmt.Sprintf(`"cursors":{"messages":%d,"events":%d}`, rounds+1, start+2*rounds)
	require.Eventually(t, func() bool { return len(w.with("sent", last)) > 0 }, patience, 10*time.Millisecond)
	attaches := w.with("sent", `"kind":"attach"`)
	require.NotContains(t, attaches[0], "cursors")
	require.Greater(t, len(attaches), rounds)
	require.Len(t, w.with("received", `"kind":"messages","snapshot"`), 1)
}
