package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func TestClientComesBack(t *testing.T) {
	t.Parallel()
	shows(t, "12-reconnect", "12-silent", "3-either")
	codes := []int{1000, 1001, 1002, 1003, 1008, 1011, 1013, 4000}
	url := scripted(t, func(p *peer) {
		switch n := p.n - 1; {
		case n < len(codes):
			p.send(helloText)
			_ = p.conn.Close(websocket.StatusCode(codes[n]), "go")
		case n == len(codes):
			p.send(`{"json":{"v":2,"kind":"error","code":"unauthorized","message":"no"}}`)
			_ = p.conn.Close(1008, "refused")
		case n == len(codes)+1:
			p.send(helloText)
			p.ignores()
		default:
			p.send(helloText)
			p.refuses()
		}
	})
	w := newWire()
	o := w.options("", false)
	o.PingInterval, o.PingTimeout = 50*time.Millisecond, time.Second
	c := begin(t, url, o)
	c.Start(t.Context())
	silent := false
	for range len(codes) + 2 {
		silent = errors.Is(<-w.down, edgeframes.ErrSilent) || silent
	}
	require.True(t, silent)
	require.NoError(t, c.Ready(within(t)))
	for method, code := range map[string]edgeframes.ErrorCode{
		"first": edgeframes.CodeMethodError, "second": edgeframes.CodeMethodError, "third": edgeframes.CodeUnauthorized,
	} {
		_, err := c.Call(within(t), method)
		var refused edgeframes.Error
		require.ErrorAs(t, err, &refused, method)
		require.Equal(t, code, refused.Code)
	}
}

// ignores answers nothing until the client gives up.
func (p *peer) ignores() {
	for {
		if _, err := p.recv(); err != nil {
			return
		}
	}
}

// refuses answers pings, and the calls of three methods with errors of either version.
func (p *peer) refuses() {
	for {
		x, err := p.recv()
		if err != nil {
			return
		}
		if x == pingText {
			p.send(pongText)
			continue
		}
		_, rest, _ := strings.Cut(x, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		v, code := "1", "method_error"
		switch {
		case strings.Contains(x, "second"):
			v = "2"
		case strings.Contains(x, "third"):
			v, code = "2", "unauthorized"
		}
		p.send(`{"json":{"v":` + v + `,"kind":"error","id":"` + id + `","code":"` + code + `","message":"no"}}`)
	}
}

func TestClientCloses(t *testing.T) {
	t.Parallel()
	shows(t, "12-close", "12-1000")
	ended, called := make(chan error, 4), make(chan struct{})
	url := scripted(t, func(p *peer) {
		p.send(helloText)
		for {
			x, err := p.recv()
			if err != nil {
				ended <- err
				return
			}
			if strings.Contains(x, `"kind":"call"`) {
				close(called)
			}
		}
	})
	c := begin(t, url, newWire().options("", false))
	c.Start(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(context.WithoutCancel(t.Context()), "for ever")
		failed <- err
	}()
	<-called
	c.Close()
	require.ErrorIs(t, <-failed, edgeframes.ErrClosed)
	var e websocket.CloseError
	require.ErrorAs(t, <-ended, &e)
	require.Equal(t, websocket.CloseError{Code: 1000, Reason: "client closed"}, e)
	_, err := c.Call(t.Context(), "after")
	require.ErrorIs(t, err, edgeframes.ErrClosed)
}

// delays is a clock that notes the delays between attempts, which are over at once. Longer ones, those of the heartbeat, never
// are.
type delays struct {
	mu   sync.Mutex
	seen []time.Duration
	full chan struct{}
	want int
}

func (d *delays) After(wait time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	if wait > 10*time.Second {
		return c
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.seen = append(d.seen, wait); len(d.seen) == d.want {
		close(d.full)
	}
	c <- time.Time{}
	return c
}

func TestClientBackoff(t *testing.T) {
	t.Parallel()
	shows(t, "12-backoff")
	url := scripted(t, func(p *peer) {
		if p.n == 8 {
			p.send(helloText)
		}
		_ = p.conn.Close(1011, "no")
	})
	for jitter, factor := range map[float64]float64{0: 0.5, 0.5: 0.75} {
		d := &delays{want: 7, full: make(chan struct{})}
		o := edgeframes.ClientOptions{Clock: d, Rand: func() float64 { return jitter }}
		c := begin(t, "ws://127.0.0.1:1/agents/a/b", o)
		c.Start(t.Context())
		<-d.full
		c.Close()
		for i, ms := range []float64{250, 500, 1000, 2000, 4000, 8000, 10_000} {
			require.Equal(t, time.Duration(ms*factor*float64(time.Millisecond)), d.seen[i])
		}
	}
	d := &delays{want: 10, full: make(chan struct{})}
	c := begin(t, url, edgeframes.ClientOptions{Clock: d, Rand: func() float64 { return 0 }})
	c.Start(t.Context())
	<-d.full
	c.Close()
	require.Equal(t, []time.Duration{5 * time.Second, 125 * time.Millisecond, 250 * time.Millisecond}, d.seen[6:9])
}

func TestClientTakes(t *testing.T) {
	t.Parallel()
	shows(t, "6-any-order", "11-snapshot")
	const at = `"at":"2026-01-02T03:04:05.678Z"}`
	item := func(seq int) string { return fmt.Sprintf(`{"role":"user","content":"%d","seq":%d,`, seq, seq) + at }
	log := func(how string, seq int) string {
		return `{"json":{"v":1,"kind":"messages","` + how + `":[` + item(seq) + `]},"meta":{"values":{"` + how + `.0.at":["Date"]},"v":1}}`
	}
	url := scripted(t, func(p *peer) {
		if _, err := p.recv(); err != nil {
			return
		}
		for _, x := range []string{
			`{"json":{"v":2,"kind":"event","seq":1,"type":"x","payload":1,` + at + `,"meta":{"values":{"at":["Date"]},"v":1}}`,
			log("snapshot", 1),
			`{"json":{"v":1,"kind":"state","snapshot":{"a":1,"b":1}}}`,
			`{"json":{"v":2,"kind":"attached","grants":["read","more"],"accepted":["state","messages","events"]}}`,
			helloText,
			log("appended", 2),
			`{"json":{"v":1,"kind":"state","patch":{"a":null}}}`,
			`{"json":{"v":1,"kind":"state","snapshot":{"c":1}}}`,
			log("snapshot", 3),
			log("appended", 4),
			`{"json":{"v":1,"kind":"state","patch":{"d":2}}}`,
		} {
			p.send(x)
		}
		p.ignores()
	})
	c := begin(t, url, newWire().options("token", false))
	c.Start(t.Context())
	require.NoError(t, c.Ready(within(t)))
	require.Equal(t, []string{"read", "more"}, c.Claims())
	for state := range c.State(within(t)) {
		if string(superjson.AppendJSON(nil, state)) == `{"c":1,"d":2}` {
			break
		}
		require.NoError(t, t.Context().Err())
	}
	for update, err := range c.Messages(within(t)) {
		require.NoError(t, err)
		require.True(t, update.Snapshot)
		require.Equal(t, []uint64{3, 4}, []uint64{update.Messages[0].Seq, update.Messages[1].Seq})
		break
	}
	require.EqualValues(t, 4, c.Cursor(edgeframes.StreamMessages))
	require.EqualValues(t, 1, c.Cursor(edgeframes.StreamEvents))
}
