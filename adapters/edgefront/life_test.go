package edgefront_test

import (
	"context"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"stele/adapters/edgefront"
	"stele/core"
	"stele/core/memlog"
	"stele/internal/testsocket"
)

// settle waits until no more than a number of goroutines are left.
func settle(t *testing.T, most int) {
	t.Helper()
	end := time.Now().Add(patience)
	for runtime.NumGoroutine() > most {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d expected:\n%s", runtime.NumGoroutine(), most, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestThousandConnectsLeaveNothingBehind(t *testing.T) {
	g := newGateway(t, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	visit := func(i int) {
		l, _, err := g.tryDial("/agents/alice/chat", nil)
		require.NoError(t, err)
		switch i % 4 {
		case 0: // leaves in order
			l.send(attachText(alice.key))
			l.until(`"kind":"hello"`)
			require.NoError(t, l.conn.Close(websocket.StatusNormalClosure, "client closed"))
		case 1: // vanishes
			l.send(attachText(alice.key))
			l.until(`"kind":"hello"`)
			require.NoError(t, l.conn.CloseNow())
		case 2: // vanishes before anything was said
			require.NoError(t, l.conn.CloseNow())
		case 3: // is refused
			l.send(attachText("nonsense"))
			require.EqualValues(t, 1008, l.ended().Code)
		}
	}
	for i := range 50 {
		visit(i)
	}
	settle(t, runtime.NumGoroutine())
	goroutines, before := runtime.NumGoroutine(), heap()
	for i := range 1000 {
		visit(i)
	}
	settle(t, goroutines)
	require.Less(t, heap(), before+4<<20)
	require.Equal(t, 1, g.node.LoadedRooms())
}

func TestDrainAnswersTheCallInFlight(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, edgefront.Options{AttachGrace: time.Hour, DrainTimeout: patience})
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	busy, idle := g.attach("/agents/alice/chat", alice.key), g.attach("/agents/alice/chat", alice.key)
	waiting := g.dial("/agents/alice/chat")
	release := log.hold()
	defer release()
	busy.send(callText("1", "post_message", `,"args":["last words"]`))
	<-log.held
	busy.send(callText("2", "post_message", `,"args":["never said"]`))
	busy.send(pingText)
	busy.until(`"kind":"pong"`)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		g.front.Drain()
	}()
	goodbye := websocket.CloseError{Code: 1001, Reason: "agent going away"}
	require.Equal(t, goodbye, idle.ended())
	require.Equal(t, goodbye, waiting.ended())
	_, resp, err := g.tryDial("/agents/alice/chat", nil)
	require.Error(t, err)
	require.Equal(t, 503, resp.StatusCode)
	release()
	busy.until(`"id":"1","value"`)
	require.Equal(t, goodbye, busy.ended())
	<-drained
	require.EqualValues(t, 1, mustTurn(t, g, room))
	g.front.Drain()
}

// A call that takes longer than draining may does not hold the end up.
func TestDrainIsBounded(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, edgefront.Options{DrainTimeout: 10 * time.Millisecond})
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	release := log.hold()
	defer release()
	l.send(callText("1", "post_message", `,"args":["slow"]`))
	<-log.held
	go g.front.Drain()
	require.EqualValues(t, 1001, l.ended().Code)
}

// Nor does a client that takes nothing.
func TestDrainEndsSessionsThatWaitForTheNetwork(t *testing.T) {
	g := newGateway(t, edgefront.Options{AttachGrace: patience, DrainTimeout: 10 * time.Millisecond, ProgressTimeout: time.Hour})
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	idle := runtime.NumGoroutine()
	s := g.rawDial("/agents/alice/chat")
	s.Put(testsocket.Text(attachText(alice.key)))
	s.Await(`"kind":"hello"`)
	for range 150 {
		g.post(room, alice, strings.Repeat("x", 100_000))
	}
	start := time.Now()
	g.front.Drain()
	require.Less(t, time.Since(start), patience)
	settle(t, idle)
}

func mustTurn(t *testing.T, g *gateway, room string) (turn int) {
	t.Helper()
	require.NoError(t, g.node.ViewRoom(t.Context(), room, func(r *core.Room) { turn = r.Turn }))
	return turn
}

// A client that is gone before its call is done leaves nothing behind; the call takes effect all the same.
func TestClientLeavesDuringACall(t *testing.T) {
	log := newGatedLog()
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	stays := g.attach("/agents/alice/chat", alice.key)
	before := runtime.NumGoroutine()
	l := g.attach("/agents/alice/chat", alice.key)
	release := log.hold()
	defer release()
	l.send(callText("1", "post_message", `,"args":["bye"]`))
	<-log.held
	require.NoError(t, l.conn.CloseNow())
	// The room's queue is the one that still waits for the log.
	settle(t, before+1)
	release()
	stays.until("bye")
	require.Equal(t, 1, mustTurn(t, g, room))
}

// When the node stops by itself, clients are sent away to come back.
func TestNodeStops(t *testing.T) {
	log := memlog.New()
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice := g.register("alice")
	g.room("chat", nil, alice)
	l := g.attach("/agents/alice/chat", alice.key)
	require.NoError(t, log.Close())
	require.EqualValues(t, 1001, l.ended().Code)
}

// unreadable is a log whose streams cannot be read once the test says so.
type unreadable struct {
	core.Log
	broken atomic.Bool
}

func (l *unreadable) Read(ctx context.Context, s core.Stream, after core.Position) iter.Seq2[core.Recorded, error] {
	if !l.broken.Load() {
		return l.Log.Read(ctx, s, after)
	}
	return func(yield func(core.Recorded, error) bool) {
		yield(core.Recorded{}, core.ErrCorrupt)
	}
}

// A snapshot that cannot be read ends the connection before hello, with a code and nothing about the inside.
func TestBootstrapFails(t *testing.T) {
	log := &unreadable{Log: memlog.New()}
	g := newGatewayOn(t, log, core.Options{}, patient())
	alice := g.register("alice")
	room := g.room("chat", nil, alice)
	g.post(room, alice, "hi")
	log.broken.Store(true)
	l := g.dial("/agents/alice/chat")
	l.send(attachText(alice.key))
	for {
		text, err := l.raw()
		if err != nil {
			require.EqualValues(t, 1011, websocket.CloseStatus(err))
			break
		}
		require.NotEqual(t, helloText, text)
	}
	log.broken.Store(false)
	g.attach("/agents/alice/chat", alice.key)
}
