package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

// patience is far more than anything here needs.
const patience = 20 * time.Second

// attendant counts its turns and does in each what a test asks for.
type attendant struct {
	es *transport.EventStream
	// turn is called for each turn, which it may end the stream with.
	turn  func(ctx context.Context, turns int64) (next time.Time, ok bool)
	turns atomic.Int64
	busy  atomic.Int32
	ended chan struct{}
}

func (a *attendant) Turn(ctx context.Context) (time.Time, bool) {
	if a.busy.Add(1) != 1 {
		panic("two turns at a time")
	}
	defer a.busy.Add(-1)
	return a.turn(ctx, a.turns.Add(1))
}

func (a *attendant) Ended() { close(a.ended) }

// never is when an attendant wants its next turn that has nothing to do by itself.
func never() time.Time { return time.Now().Add(time.Hour) }

// attended serves streams with an attendant each, over a taken connection and without. left tells each time that a
// handler has returned.
func attended(t *testing.T, turn func(a *attendant, ctx context.Context, turns int64) (time.Time, bool), run func(t *testing.T, addr string, streams <-chan *attendant, left <-chan struct{}, taken bool)) {
	for _, taken := range []bool{true, false} {
		t.Run(fmt.Sprintf("taken=%v", taken), func(t *testing.T) {
			streams, left := make(chan *attendant, 1000), make(chan struct{}, 1000)
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				a := &attendant{es: es, ended: make(chan struct{})}
				a.turn = func(ctx context.Context, turns int64) (time.Time, bool) { return turn(a, ctx, turns) }
				streams <- a
				es.Attend(a)
				left <- struct{}{}
			})
			if taken {
				_, addr := serveRecycling(t, handler)
				run(t, addr, streams, left, taken)
				return
			}
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			run(t, server.Listener.Addr().String(), streams, left, taken)
		})
	}
}

func get(t *testing.T, addr, proto, header string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, "GET / "+proto+"\r\nHost: test\r\n"+header+"\r\n")
	require.NoError(t, err)
	return conn, bufio.NewReader(conn)
}

func receive[T any](t *testing.T, from <-chan T, what string) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(patience):
		t.Fatal(what)
	}
	return got
}

// writeOne writes one frame a turn, and ends the stream with the third, or when the client is gone.
func writeOne(a *attendant, ctx context.Context, turns int64) (time.Time, bool) {
	if err := a.es.Write(fmt.Appendf(nil, "data: %d\n\n", turns)); err != nil {
		return time.Time{}, false
	}
	return never(), turns < 3 && ctx.Err() == nil
}

// TestWokenStreamTakesATurn, and only then.
func TestWokenStreamTakesATurn(t *testing.T) {
	attended(t, writeOne, func(t *testing.T, addr string, streams <-chan *attendant, left <-chan struct{}, taken bool) {
		_, from := get(t, addr, "HTTP/1.1", "")
		res, err := http.ReadResponse(from, nil)
		require.NoError(t, err)
		a := receive(t, streams, "no stream")
		frame := make([]byte, len("data: 1\n\n"))
		for i := 1; i <= 3; i++ {
			_, err = io.ReadFull(res.Body, frame)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("data: %d\n\n", i), string(frame))
			if taken && i == 1 {
				receive(t, left, "the handler waits although its connection was taken over")
			}
			require.EqualValues(t, i, a.turns.Load())
			a.es.Wake()
		}
		rest, err := io.ReadAll(res.Body)
		require.NoError(t, err, "it ends in order")
		require.Empty(t, rest)
		receive(t, a.ended, "the attendant was not told of the end")
		a.es.Wake()
		require.EqualValues(t, 3, a.turns.Load(), "no turn after the end")
	})
}

// TestTurnComesWhenItIsDue although nobody wakes the stream, also at once.
func TestTurnComesWhenItIsDue(t *testing.T) {
	turn := func(a *attendant, ctx context.Context, turns int64) (next time.Time, ok bool) {
		_, ok = writeOne(a, ctx, turns)
		if turns == 1 {
			return time.Time{}, ok
		}
		return time.Now().Add(20 * time.Millisecond), ok
	}
	attended(t, turn, func(t *testing.T, addr string, streams <-chan *attendant, _ <-chan struct{}, _ bool) {
		began := time.Now()
		_, from := get(t, addr, "HTTP/1.1", "")
		res, err := http.ReadResponse(from, nil)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, "data: 1\n\ndata: 2\n\ndata: 3\n\n", string(body))
		require.GreaterOrEqual(t, time.Since(began), 20*time.Millisecond)
		receive(t, receive(t, streams, "no stream").ended, "the attendant was not told of the end")
	})
}

// TestTurnTellsThatTheClientIsGone.
func TestTurnTellsThatTheClientIsGone(t *testing.T) {
	turn := func(_ *attendant, ctx context.Context, _ int64) (time.Time, bool) { return never(), ctx.Err() == nil }
	attended(t, turn, func(t *testing.T, addr string, streams <-chan *attendant, _ <-chan struct{}, _ bool) {
		conn, from := get(t, addr, "HTTP/1.1", "")
		_, err := http.ReadResponse(from, nil)
		require.NoError(t, err)
		a := receive(t, streams, "no stream")
		require.NoError(t, conn.Close())
		receive(t, a.ended, "the stream goes on without its client")
	})
}

// TestNoWakeIsLost: whatever was there before somebody called Wake is seen by a turn that begins later.
func TestNoWakeIsLost(t *testing.T) {
	const wakers, each = 8, 500
	var told [wakers]atomic.Int64
	seen := make(chan [wakers]int64, 1)
	turn := func(*attendant, context.Context, int64) (time.Time, bool) {
		var now [wakers]int64
		done := true
		for i := range now {
			now[i] = told[i].Load()
			done = done && now[i] == each
		}
		select {
		case <-seen:
		default:
		}
		seen <- now
		return never(), !done
	}
	attended(t, turn, func(t *testing.T, addr string, streams <-chan *attendant, _ <-chan struct{}, _ bool) {
		for i := range told {
			told[i].Store(0)
		}
		get(t, addr, "HTTP/1.1", "")
		a := receive(t, streams, "no stream")
		var wg sync.WaitGroup
		for i := range wakers {
			wg.Go(func() {
				for range each {
					told[i].Add(1)
					a.es.Wake()
					if i%2 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
		receive(t, a.ended, fmt.Sprintf("the last turn saw %v", <-seen))
	})
}

// TestIdleStreamCostsOneGoroutine, the one that notices that its client goes.
func TestIdleStreamCostsOneGoroutine(t *testing.T) {
	const count = 100
	streams := make(chan *attendant, count)
	_, addr := serveRecycling(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		a := &attendant{es: es, ended: make(chan struct{})}
		a.turn = func(ctx context.Context, turns int64) (time.Time, bool) {
			next, _ := writeOne(a, ctx, turns)
			return next, ctx.Err() == nil
		}
		streams <- a
		es.Attend(a)
	}))
	before := runtime.NumGoroutine()
	for range count {
		_, from := get(t, addr, "HTTP/1.1", "")
		_, err := http.ReadResponse(from, nil)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+count+count/10 }, patience, time.Millisecond)
	for range count {
		receive(t, streams, "no stream").es.Wake()
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+count+count/10 }, patience, time.Millisecond)
}

// TestEndsOfAnAttendedStream: the client sees from the bytes alone whether what it has is whole, in every form that a
// body has, and may send its next request only over a connection that is kept.
func TestEndsOfAnAttendedStream(t *testing.T) {
	for _, tc := range []struct {
		name, proto, header, transferEncoding string
		kept                                  bool
	}{
		{"1.1", "HTTP/1.1", "", "chunked", true},
		{"1.1 that closes", "HTTP/1.1", "Connection: close\r\n", "chunked", false},
		{"1.0", "HTTP/1.0", "", "", false},
		{"1.0 that would keep", "HTTP/1.0", "Connection: keep-alive\r\n", "", false},
	} {
		for _, abort := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s abort=%v", tc.name, abort), func(t *testing.T) {
				turn := func(a *attendant, ctx context.Context, turns int64) (time.Time, bool) {
					next, ok := writeOne(a, ctx, turns)
					if !ok && abort {
						a.es.Abort()
					}
					return next, ok
				}
				attended(t, turn, func(t *testing.T, addr string, streams <-chan *attendant, _ <-chan struct{}, taken bool) {
					if abort && !taken && tc.transferEncoding == "" {
						t.Skip("the HTTP server has no way to break off a body without framing")
					}
					conn, from := get(t, addr, tc.proto, tc.header)
					res, err := http.ReadResponse(from, nil)
					require.NoError(t, err)
					require.Equal(t, tc.transferEncoding, joined(res.TransferEncoding))
					a := receive(t, streams, "no stream")
					frame := make([]byte, len("data: 1\n\n"))
					for i := 1; i < 3; i++ {
						_, err = io.ReadFull(res.Body, frame)
						require.NoError(t, err)
						require.Equal(t, fmt.Sprintf("data: %d\n\n", i), string(frame))
						a.es.Wake()
					}
					_, err = io.ReadAll(res.Body)
					if abort {
						require.Error(t, err, "it looks whole")
						return
					}
					require.NoError(t, err)
					if _, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: test\r\n\r\n"); err == nil {
						_, err = http.ReadResponse(from, nil)
					}
					if !tc.kept {
						require.Error(t, err)
						return
					}
					require.NoError(t, err)
				})
			})
		}
	}
}

func joined(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// TestWaitWaitsForAttendedStreams: whoever ends a server joins them.
func TestWaitWaitsForAttendedStreams(t *testing.T) {
	streams, release := make(chan *attendant, 1), make(chan struct{})
	recycler, addr := serveRecycling(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		a := &attendant{es: es, ended: make(chan struct{})}
		a.turn = func(context.Context, int64) (time.Time, bool) {
			<-release
			return time.Time{}, false
		}
		es.Attend(a)
		streams <- a
	}))
	get(t, addr, "HTTP/1.1", "")
	a := receive(t, streams, "no stream")
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		recycler.Wait()
	}()
	select {
	case <-waited:
		t.Fatal("the stream is still being served")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	receive(t, waited, "the end of the stream was not noticed")
	receive(t, a.ended, "the attendant was not told of the end")
}
