package switchfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"stele/adapters/switchfront"
	"stele/adapters/transport"
	"stele/core"
	"stele/core/memlog"
	"stele/core/operations"
)

// beatTime is the time between two steps: long enough for every stream to come to rest after one.
const beatTime = 100 * time.Millisecond

// world is a gateway with its clients in a bubble of simulated time, beside the reference that says what the clients
// must see. Requests are real HTTP over pipes, so that the bubble knows when everything has come to rest.
type world struct {
	t     worldT
	o     worldOptions
	began time.Time
	log   *memlog.Log
	node  *core.Node
	http  *http.Client
	ref   *reference
	// ids and keys are those of agents and rooms by name; names replaces the ids in whatever the gateway says.
	ids, keys map[string]string
	names     *strings.Replacer
	// rooms read everything that happens, for the positions.
	rooms map[string]*core.Reader
	// listeners are the streams of the connections' clients, ending those that must end before the next step.
	listeners map[string]*listener
	ending    []*listener
	// seen is the highest id that the client of a connection has read.
	seen map[string]uint64
	said int
}

// worldT is a test or a check of a property.
type worldT interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(f func())
}

// worldOptions say what a world has of what gateways have.
type worldOptions struct {
	// sweeps: without, a connection that lapsed stays where it is until somebody looks.
	sweeps bool
	// plain: streams are written by the HTTP server; otherwise they take their connections over, as in the program.
	plain bool
	// guard: with, ids that change hands too often are slowed down.
	guard bool
	// keepsAlive: silent streams show comments, as they do by default.
	keepsAlive bool
}

// newWorld builds the gateway inside the bubble.
func newWorld(t worldT, o worldOptions) *world {
	w := &world{
		t: t, o: o, began: time.Now(), ids: map[string]string{}, keys: map[string]string{}, rooms: map[string]*core.Reader{},
		listeners: map[string]*listener{}, seen: map[string]uint64{},
	}
	ids := core.IDs{Random: &steadyBits{src: rand.NewChaCha8([32]byte{})}}
	w.log = memlog.NewStore(memlog.Options{IDs: ids}).Open()
	node := core.Options{IDs: ids, RetainEvents: refKept, RetainAge: refAge}
	if !o.sweeps {
		node.SweepEvery = 1000 * never
	}
	var err error
	w.node, err = core.Open(context.Background(), w.log, node)
	w.must(err)
	w.serve()
	w.populate()
	return w
}

// serve puts the front behind a server whose connections are pipes.
func (w *world) serve() {
	var o switchfront.Options
	if !w.o.keepsAlive {
		o.KeepAlive = 1000 * never
	}
	front := switchfront.New(w.node, operations.New(w.node), o)
	if !w.o.guard {
		calm := newClock()
		front.SetStormClock(func() time.Time { calm.Advance(time.Hour); return calm.Now() }, nil)
	}
	door := newPipes()
	recycler := transport.NewRecycler(door.Addr())
	srv := &http.Server{Handler: front.Handler()}
	if !w.o.plain {
		srv.BaseContext = func(net.Listener) context.Context { return recycler.Context(context.Background()) }
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(door) })
	serving.Go(func() { _ = srv.Serve(recycler) })
	tr := &http.Transport{DialContext: door.dial}
	w.http = &http.Client{Transport: tr}
	w.t.Cleanup(func() {
		for _, l := range slices.AppendSeq(w.ending, maps.Values(w.listeners)) {
			l.cancel()
		}
		front.Drain()
		tr.CloseIdleConnections()
		w.rest()
		w.must(srv.Close())
		serving.Wait()
		w.must(w.node.Close(context.Background()))
		w.must(w.log.Close())
	})
}

// populate makes agents and rooms. Rooms are made one after the other in time, so that their ids sort like their names.
func (w *world) populate() {
	ctx := context.Background()
	w.must(w.node.AddRegistrationToken(ctx, "acme", "token"))
	var pairs []string
	for _, name := range refAgents {
		var made struct {
			ID  string `json:"id"`
			Key string `json:"api_key"`
		}
		w.ask(&made, "POST", "/agents/register-known", "token",
			fmt.Sprintf(`{"agent_type":"claude-code","name":%q,"description":"d"}`, name))
		w.ids[name], w.keys[name] = made.ID, made.Key
		pairs = append(pairs, made.ID, name)
	}
	w.ref = newReference()
	for _, name := range refRooms {
		time.Sleep(10 * time.Millisecond)
		members, err := json.Marshal(refMembers[name])
		w.must(err)
		listeners, err := json.Marshal(refListeners[name])
		w.must(err)
		var made struct {
			Result struct{ ID string }
		}
		w.ask(&made, "POST", "/agents/"+w.ids["alice"]+"/ops/create_room", w.keys["alice"], fmt.Sprintf(
			`{"name":%q,"description":"d","agent_names":%s,"join_event_listeners":%s}`, name, members, listeners))
		w.ids[name] = made.Result.ID
		pairs = append(pairs, made.Result.ID, name)
		w.rooms[name] = w.node.NewRoomReader(made.Result.ID, 0)
	}
	w.names = strings.NewReplacer(pairs...)
	w.rest()
	w.ref.pass(w.now())
	w.ref.learn(w.observed(), w.now(), w.head())
}

// steadyBits are the same random bits in every run.
type steadyBits struct {
	mu  sync.Mutex
	src io.Reader
}

func (s *steadyBits) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(p)
}

func (w *world) now() time.Time { return time.Now() }

func (w *world) head() uint64 { return uint64(w.node.Applied()) }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("the test's own machinery failed: %v", err)
	}
}

// law fails the test when a law does not hold. The text names the law alone, so that shrinking keeps to it; what was
// seen goes to the log.
func (w *world) law(holds bool, law, format string, args ...any) {
	w.t.Helper()
	if !holds {
		w.t.Logf("        "+format, args...)
		w.t.Fatalf("broken: %s", law)
	}
}

// tell logs a line under its time.
func (w *world) tell(format string, args ...any) {
	w.t.Helper()
	w.t.Logf("%6.1fs %s", w.now().Sub(w.began).Seconds(), fmt.Sprintf(format, args...))
}

// rest lets time pass until every stream has come to rest.
func (w *world) rest() { w.sleep(beatTime) }

func (w *world) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// request sends a request; the answer has names where the gateway said ids.
func (w *world) request(method, path, token, body string, headers ...string) reply {
	w.t.Helper()
	req, err := http.NewRequest(method, "http://gateway"+path, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+token)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := w.http.Do(req)
	w.must(err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	w.must(err)
	text := string(data)
	if w.names != nil {
		text = w.names.Replace(text)
	}
	return reply{status: res.StatusCode, header: res.Header, body: text}
}

// ask sends a request that succeeds.
func (w *world) ask(out any, method, path, token, body string) {
	w.t.Helper()
	r := w.request(method, path, token, body)
	if r.status != 200 {
		w.t.Fatalf("the test's own machinery failed: %s: %d %s", path, r.status, r.body)
	}
	w.must(json.Unmarshal([]byte(r.body), out))
}

// as sends a request of an agent to a path of its own.
func (w *world) as(agent, method, path, body string, headers ...string) reply {
	w.t.Helper()
	return w.request(method, "/agents/"+w.ids[agent]+path, w.keys[agent], body, headers...)
}

// id is the id of a room, also of one that there is not.
func (w *world) id(room string) string {
	if id, ok := w.ids[room]; ok {
		return id
	}
	return "room_of_nobody"
}

// observed reads what happened in the rooms since it was called last, in log order.
func (w *world) observed() (out []refEvent) {
	w.t.Helper()
	for _, room := range refRooms {
		entries, err := w.rooms[room].Read(context.Background(), 1000, nil)
		w.must(err)
		for _, e := range entries {
			seen := refEvent{at: uint64(e.Position), when: e.At, room: room, kind: "other"}
			switch p := e.Payload.(type) {
			case *core.MessagePostedEvent:
				seen.kind, seen.who, seen.text = "message", w.names.Replace(p.Sender), p.Text
			case *core.MemberJoinedEvent:
				seen.kind, seen.who = "room_join", w.names.Replace(p.Agent)
			case *core.MemberLeftEvent:
				seen.kind, seen.who = "left", w.names.Replace(p.Agent)
			}
			out = append(out, seen)
		}
	}
	slices.SortFunc(out, func(a, b refEvent) int { return int(int64(a.at) - int64(b.at)) })
	return out
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }

func (pipeAddr) String() string { return "pipe" }
