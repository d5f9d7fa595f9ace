package edgeframes_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/edgeframes"
	"stele/edgeframes/superjson"
)

func str(s string) superjson.Value { return superjson.String(s) }

func msg(seq uint64) edgeframes.Message {
	return edgeframes.Message{Role: edgeframes.RoleUser, Content: fmt.Sprintf("m%d", seq), Seq: seq, At: noon}
}

func event(seq uint64) edgeframes.EventFrame {
	return edgeframes.EventFrame{Seq: seq, Type: "tick", Payload: superjson.Int(int64(seq)), At: noon}
}

func TestPlainClientIsSilentUntilHello(t *testing.T) {
	first := make(chan edgeframes.Frame, 1)
	greet := make(chan struct{})
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.State{Snapshot: object("n", superjson.Int(1))}, edgeframes.Messages{Snapshot: []edgeframes.Message{msg(1)}})
		<-greet
		p.send(edgeframes.Hello{})
		f := p.recv()
		first <- f
		call := f.(edgeframes.Call)
		p.send(edgeframes.State{Patch: object("n", superjson.Int(2))}, edgeframes.Result{ID: call.ID, Value: call.Args[0]})
		p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{})
	called := make(chan superjson.Value, 1)
	go func() {
		v, err := c.Call(testContext(t), "echo", noon, nil)
		if err != nil {
			t.Error(err)
		}
		called <- v
	}()
	c.Start(testContext(t))
	for state := range c.State(testContext(t)) {
		require.True(t, superjson.Equal(object("n", superjson.Int(1)), state))
		break
	}
	select {
	case f := <-first:
		require.Fail(t, "sent before hello", "%#v", f)
	default:
	}
	close(greet)
	require.Equal(t, edgeframes.Call{ID: "c1", Method: "echo", Args: []superjson.Value{superjson.DateOf(noon), superjson.Null{}}}, receive(t, first))
	require.Equal(t, superjson.DateOf(noon), receive(t, called))
	for state := range c.State(testContext(t)) {
		require.True(t, superjson.Equal(object("n", superjson.Int(2)), state), "the patch came before the result")
		break
	}
	require.Empty(t, c.Claims())
}

// TestTheFirstConnectionResumesAfterGivenCursors and nothing that is older comes to listeners.
func TestTheFirstConnectionResumesAfterGivenCursors(t *testing.T) {
	attaches := make(chan edgeframes.Frame, 1)
	url := agentServer(t, func(p *peer) {
		attaches <- p.recv()
		p.send(edgeframes.Attached{Grants: []string{"read"}, Accepted: edgeframes.Streams()},
			edgeframes.Messages{Appended: []edgeframes.Message{msg(8)}}, edgeframes.Hello{})
		p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{
		Resume: true, Cursors: map[edgeframes.Stream]uint64{edgeframes.StreamMessages: 7, edgeframes.StreamEvents: 20},
	})
	require.EqualValues(t, 7, c.Cursor(edgeframes.StreamMessages))
	c.Start(testContext(t))
	attach := receive(t, attaches).(edgeframes.Attach)
	require.Equal(t, map[edgeframes.Stream]uint64{edgeframes.StreamMessages: 7, edgeframes.StreamEvents: 20}, attach.Cursors)
	for update, err := range c.Messages(testContext(t)) {
		require.NoError(t, err)
		require.Equal(t, edgeframes.MessagesUpdate{Messages: []edgeframes.Message{msg(8)}}, update)
		break
	}
	require.EqualValues(t, 8, c.Cursor(edgeframes.StreamMessages))
}

func TestAttachResumesAfterWhatWasSeen(t *testing.T) {
	attaches := make(chan edgeframes.Frame, 3)
	cut, again := make(chan struct{}), make(chan struct{})
	url := agentServer(t, func(p *peer) {
		attaches <- p.recv()
		if p.n > 1 {
			<-again
		}
		p.send(edgeframes.Attached{Grants: []string{"read", "rpc"}, Accepted: edgeframes.Streams()})
		if p.n == 1 {
			p.send(edgeframes.Messages{Snapshot: []edgeframes.Message{msg(1), msg(2)}}, event(7), event(9), edgeframes.Hello{})
			<-cut
			return
		}
		p.send(edgeframes.Messages{Appended: []edgeframes.Message{msg(3)}}, event(10), edgeframes.Hello{})
		p.drain()
	})
	c := newClient(t, url, quick(edgeframes.ClientOptions{Token: "secret", Subscribe: edgeframes.Streams(), Resume: true}))
	events := c.Events(testContext(t), 8)
	c.Start(testContext(t))
	require.NoError(t, c.Ready(testContext(t)))
	require.Equal(t, []string{"read", "rpc"}, c.Claims())
	require.Equal(t, edgeframes.Streams(), c.Accepted())
	require.Equal(t, uint64(2), c.Cursor(edgeframes.StreamMessages))
	require.Equal(t, uint64(9), c.Cursor(edgeframes.StreamEvents))
	require.Zero(t, c.Cursor(edgeframes.StreamState))

	attach := edgeframes.Attach{Token: "secret", Subscribe: edgeframes.Streams()}
	require.Equal(t, attach, receive(t, attaches), "the first connection has no cursors")
	close(cut)
	attach.Cursors = map[edgeframes.Stream]uint64{edgeframes.StreamMessages: 2, edgeframes.StreamEvents: 9}
	require.Equal(t, attach, receive(t, attaches))
	require.Empty(t, c.Claims(), "claims belong to a connection")
	require.Empty(t, c.Accepted())
	close(again)

	var seqs []uint64
	for e, err := range events {
		require.NoError(t, err)
		if seqs = append(seqs, e.Seq); len(seqs) == 2 {
			break
		}
	}
	require.Equal(t, []uint64{9, 10}, seqs)
	require.Equal(t, []uint64{1, 2, 3}, messageSeqs(t, c, 3))
}

// messageSeqs follows the log until it holds n items.
func messageSeqs(t testing.TB, c *edgeframes.Client, n int) []uint64 {
	var seqs []uint64
	for update, err := range c.Messages(testContext(t)) {
		require.NoError(t, err)
		if update.Snapshot {
			seqs = nil
		}
		for _, m := range update.Messages {
			seqs = append(seqs, m.Seq)
		}
		if len(seqs) >= n {
			break
		}
	}
	return seqs
}

func TestAnyOptionSelectsAttachMode(t *testing.T) {
	tests := map[string]struct {
		give edgeframes.ClientOptions
		want edgeframes.Attach
	}{
		"token":     {edgeframes.ClientOptions{Token: "t"}, edgeframes.Attach{Token: "t"}},
		"subscribe": {edgeframes.ClientOptions{Subscribe: []edgeframes.Stream{}}, edgeframes.Attach{Subscribe: []edgeframes.Stream{}}},
		"resume":    {edgeframes.ClientOptions{Resume: true}, edgeframes.Attach{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			first := make(chan edgeframes.Frame, 1)
			url := agentServer(t, func(p *peer) {
				first <- p.recv()
				p.send(edgeframes.Hello{})
				p.drain()
			})
			dial(t, url, tt.give)
			require.Equal(t, edgeframes.Frame(tt.want), receive(t, first))
		})
	}
}

func TestADropRejectsTheCallsAndNothingIsSentAgain(t *testing.T) {
	calls := make(chan edgeframes.Frame, 10)
	cut, greet := make(chan struct{}), make(chan struct{})
	url := agentServer(t, func(p *peer) {
		if p.n > 1 {
			<-greet
		}
		p.send(edgeframes.Hello{})
		if p.n == 1 {
			calls <- p.recv()
			<-cut
			return
		}
		for f := p.recv(); f != nil; f = p.recv() {
			calls <- f
			p.send(edgeframes.Result{ID: f.(edgeframes.Call).ID})
		}
	})
	down := make(chan error, 10)
	c := dial(t, url, quick(edgeframes.ClientOptions{OnDisconnect: func(err error) { down <- err }}))
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(testContext(t), "lost")
		failed <- err
	}()
	require.Equal(t, "lost", receive(t, calls).(edgeframes.Call).Method)
	close(cut)
	require.ErrorIs(t, receive(t, failed), edgeframes.ErrLinkDown)
	require.Error(t, receive(t, down))
	close(greet)

	v, err := c.Call(testContext(t), "next")
	require.NoError(t, err)
	require.Equal(t, superjson.Undefined{}, v)
	require.Equal(t, edgeframes.Call{ID: "c2", Method: "next", Args: superjson.Array{}}, receive(t, calls))
}

func TestAFailedAttemptRejectsBufferedCallsForGood(t *testing.T) {
	drop := make(chan struct{})
	calls := make(chan edgeframes.Frame, 2)
	url := agentServer(t, func(p *peer) {
		if p.n == 1 {
			<-drop
			return
		}
		p.send(edgeframes.Hello{})
		for f := p.recv(); f != nil; f = p.recv() {
			calls <- f
			p.send(edgeframes.Result{ID: f.(edgeframes.Call).ID})
		}
	})
	c := newClient(t, url, quick(edgeframes.ClientOptions{}))
	c.Start(testContext(t))
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(testContext(t), "early")
		failed <- err
	}()
	require.Eventually(t, func() bool { return c.Waiting() == 1 }, patience, time.Millisecond)
	close(drop)
	require.ErrorIs(t, receive(t, failed), edgeframes.ErrLinkDown)
	_, err := c.Call(testContext(t), "late")
	require.NoError(t, err)
	require.Equal(t, "late", receive(t, calls).(edgeframes.Call).Method)
}

func TestDialGivesUpWithItsContext(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := edgeframes.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http"), edgeframes.ClientOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestCallErrors(t *testing.T) {
	ignored := make(chan struct{})
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		for f := p.recv(); f != nil; f = p.recv() {
			call := f.(edgeframes.Call)
			switch call.Method {
			case "fail":
				p.send(edgeframes.CallError(call.ID, edgeframes.CodeUnauthorized, "this call needs the rpc claim"))
			case "user":
				p.send(edgeframes.Result{ID: "nobody's"}, edgeframes.Result{ID: call.ID, Value: object("name", str("a"), "at", superjson.DateOf(noon), "x", superjson.Undefined{})})
			case "void":
				p.send(edgeframes.Result{ID: call.ID})
			case "ignored":
				close(ignored)
			}
		}
	})
	c := dial(t, url, edgeframes.ClientOptions{MaxCalls: 1})
	ctx := testContext(t)

	_, err := c.Call(ctx, "fail")
	require.ErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeUnauthorized})
	require.NotErrorIs(t, err, edgeframes.Error{Code: edgeframes.CodeMethodError})
	require.EqualError(t, err, "edge: unauthorized: this call needs the rpc claim")

	type user struct {
		Name string    `json:"name"`
		At   time.Time `json:"at"`
	}
	u, err := edgeframes.CallAs[user](ctx, c, "user")
	require.NoError(t, err)
	require.Equal(t, user{"a", noon}, u)
	v, err := edgeframes.CallAs[superjson.Value](ctx, c, "void")
	require.NoError(t, err)
	require.Equal(t, superjson.Undefined{}, v)
	p, err := edgeframes.CallAs[*user](ctx, c, "void")
	require.NoError(t, err)
	require.Nil(t, p)
	_, err = edgeframes.CallAs[int](ctx, c, "user")
	require.Error(t, err)

	_, err = c.Call(ctx, "bad", make(chan int))
	require.ErrorIs(t, err, superjson.ErrConvert)
	_, err = c.Call(ctx, "bad", object("__proto__", superjson.Null{}))
	require.ErrorIs(t, err, superjson.ErrForbiddenKey)

	short, cancel := context.WithCancel(ctx)
	unanswered := make(chan error, 1)
	go func() {
		_, err := c.Call(short, "ignored")
		unanswered <- err
	}()
	receive(t, ignored)
	_, err = c.Call(ctx, "void")
	require.ErrorIs(t, err, edgeframes.ErrTooManyCalls)
	cancel()
	require.ErrorIs(t, receive(t, unanswered), context.Canceled)
	_, err = c.Call(ctx, "void")
	require.NoError(t, err, "the place is free again")
}

func TestACancelledCallIsNotSent(t *testing.T) {
	greet := make(chan struct{})
	calls := make(chan edgeframes.Frame, 2)
	url := agentServer(t, func(p *peer) {
		<-greet
		p.send(edgeframes.Hello{})
		f := p.recv()
		calls <- f
		p.send(edgeframes.Result{ID: f.(edgeframes.Call).ID})
		p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	cancel()
	_, err := c.Call(ctx, "cancelled")
	require.ErrorIs(t, err, context.Canceled)
	c.Start(testContext(t))
	close(greet)
	_, err = c.Call(testContext(t), "kept")
	require.NoError(t, err)
	require.Equal(t, "kept", receive(t, calls).(edgeframes.Call).Method)
}

func TestCloseSaysGoodbyeAndEndsEverything(t *testing.T) {
	codes := make(chan websocket.StatusCode, 2)
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.State{Snapshot: object()}, edgeframes.Messages{Snapshot: []edgeframes.Message{}}, edgeframes.Hello{})
		codes <- p.drain()
	})
	c := dial(t, url, edgeframes.ClientOptions{})
	ctx := testContext(t)
	events := c.Events(ctx, 0)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "never answered")
		failed <- err
	}()
	var listeners sync.WaitGroup
	for _, listen := range []func(){
		func() {
			for range c.State(ctx) {
				continue
			}
		},
		func() {
			for range c.Messages(ctx) {
				continue
			}
		},
		func() {
			for range events {
				t.Error("an event")
			}
		},
	} {
		listeners.Go(listen)
	}
	c.Close()
	c.Close()
	require.Equal(t, websocket.StatusNormalClosure, receive(t, codes))
	require.ErrorIs(t, receive(t, failed), edgeframes.ErrClosed)
	listeners.Wait()
	receive(t, c.Done())
	_, err := c.Call(ctx, "late")
	require.ErrorIs(t, err, edgeframes.ErrClosed)
	require.ErrorIs(t, c.Ready(ctx), edgeframes.ErrClosed)
	require.Empty(t, codes, "a closed client does not come back")
}

func TestTheEndOfItsContextClosesTheClient(t *testing.T) {
	codes := make(chan websocket.StatusCode, 1)
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		codes <- p.drain()
	})
	c := newClient(t, url, edgeframes.ClientOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	c.Start(ctx)
	require.NoError(t, c.Ready(testContext(t)))
	cancel()
	receive(t, c.Done())
	require.Equal(t, websocket.StatusNormalClosure, receive(t, codes))
}

func TestCloseDoesNotWaitForADeafServer(t *testing.T) {
	leave := make(chan struct{})
	url := agentServer(t, func(p *peer) {
		p.send(edgeframes.Hello{})
		<-leave
	})
	c := dial(t, url, edgeframes.ClientOptions{})
	began := time.Now()
	c.Close()
	// The library alone would wait for five seconds.
	require.Less(t, time.Since(began), 4*time.Second)
	close(leave)
}

func TestCloseBeforeStartAndAddresses(t *testing.T) {
	c, err := edgeframes.NewClient("ws://127.0.0.1:1/x?y=z", edgeframes.ClientOptions{})
	require.NoError(t, err)
	c.Close()
	c.Start(context.Background())
	receive(t, c.Done())
	require.ErrorIs(t, c.Ready(context.Background()), edgeframes.ErrClosed)

	for _, bad := range []string{"", "http://x", "ws://", "ws:x", "://", "ws://[::1"} {
		_, err := edgeframes.NewClient(bad, edgeframes.ClientOptions{})
		require.Error(t, err, bad)
	}
}

func TestOnRawSeesTheWire(t *testing.T) {
	url := agentServer(t, func(p *peer) {
		p.recv()
		p.send(edgeframes.Attached{}, edgeframes.Hello{})
		if call, ok := p.recv().(edgeframes.Call); ok {
			p.send(edgeframes.Result{ID: call.ID, Value: superjson.Int(1)})
		}
		p.drain()
	})
	var mu sync.Mutex
	lines := map[edgeframes.Direction][]string{}
	c := dial(t, url, edgeframes.ClientOptions{Token: "secret", OnRaw: func(d edgeframes.Direction, text []byte) {
		mu.Lock()
		defer mu.Unlock()
		lines[d] = append(lines[d], string(text))
	}})
	_, err := c.Call(testContext(t), "m", 1)
	require.NoError(t, err)
	c.Close()
	require.Equal(t, []string{
		`{"json":{"v":2,"kind":"attach","token":"secret"}}`,
		`{"json":{"v":1,"kind":"call","id":"c1","method":"m","args":[1]}}`,
	}, lines[edgeframes.Sent])
	require.Equal(t, []string{
		`{"json":{"v":2,"kind":"attached","grants":[],"accepted":[]}}`,
		`{"json":{"v":1,"kind":"hello"}}`,
		`{"json":{"v":1,"kind":"result","id":"c1","value":1}}`,
	}, lines[edgeframes.Received])
}
