package linear

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/core"
	"stele/core/sqlitelog"
)

// newGateway serves a gateway on an embedded log, without the limits that would only slow a test down.
func newGateway(t testing.TB) *httptest.Server {
	dir := t.TempDir()
	log, err := sqlitelog.Open(dir, sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	node, err := core.Open(t.Context(), log, core.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close(t.Context())) })
	front := adapters.New(node, adapters.Options{Areyouai: areyouaifront.Options{Limits: &areyouaifront.Limits{}}})
	srv := httptest.NewServer(front.Handler())
	t.Cleanup(srv.Close)
	return srv
}

// newAgent registers an agent and logs it in.
func newAgent(t testing.TB, url, name string) *areyouai.Client {
	c, err := areyouai.NewClient(url, areyouai.ClientOptions{HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}})
	require.NoError(t, err)
	_, err = c.Register(t.Context(), name)
	require.NoError(t, err)
	_, err = c.Login(t.Context())
	require.NoError(t, err)
	return c
}

// recorder gathers what clients asked and were told, with times from one clock.
type recorder struct {
	begin time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

func (r *recorder) record(client int, in call, do func() answer) answer {
	from := time.Since(r.begin).Nanoseconds()
	out := do()
	to := time.Since(r.begin).Nanoseconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, porcupine.Operation{ClientId: client, Input: in, Call: from, Output: out, Return: to})
	return out
}

// refusal is the answer that an error is; the test fails on an error that is none.
func refusal(t testing.TB, err error) answer {
	var e *areyouai.Error
	if !errors.As(err, &e) {
		t.Errorf("request failed: %v", err)
		return answer{}
	}
	return answer{status: e.HTTPStatus, code: e.Code}
}

// worker is one of several that act for one side of a room at the same time.
type worker struct {
	t       testing.TB
	client  *areyouai.Client
	rec     *recorder
	id      int
	room    string
	listing string
	side    int
	rng     *rand.Rand
	// seen is the newest context that it read.
	seen answer
}

func (w *worker) act() {
	switch n := w.rng.IntN(20); {
	case w.side == 1 && n == 0:
		w.connect()
	case n < 9:
		w.read()
	case n == 19 && w.rng.IntN(6) == 0:
		w.close()
	default:
		w.send()
	}
}

func (w *worker) connect() {
	w.rec.record(w.id, call{room: w.room, side: 1, kind: connect}, func() answer {
		if _, err := w.client.Connect(w.t.Context(), w.listing); err != nil {
			return refusal(w.t, err)
		}
		return answer{status: 201}
	})
}

func (w *worker) read() {
	got := w.rec.record(w.id, call{room: w.room, side: w.side, kind: context}, func() answer {
		c, err := w.client.Context(w.t.Context(), w.room)
		if err != nil {
			return refusal(w.t, err)
		}
		return answer{status: 200, turn: c.TurnIndex, hash: c.BundleHash, state: c.State}
	})
	if got.status == 200 {
		w.seen = got
	}
}

func (w *worker) send() {
	in := call{room: w.room, side: w.side, kind: send, turn: w.seen.turn, hash: w.seen.hash}
	if in.hash == "" {
		in.hash = "never-read"
	}
	w.rec.record(w.id, in, func() answer {
		got, err := w.client.Send(w.t.Context(), w.room, areyouai.SendRequest{
			ExpectedTurn: in.turn, Ciphertext: "word", BundleHash: in.hash,
		})
		if err != nil {
			return refusal(w.t, err)
		}
		return answer{status: 201, turn: got.Turn}
	})
}

func (w *worker) close() {
	w.rec.record(w.id, call{room: w.room, side: w.side, kind: closing}, func() answer {
		if _, err := w.client.Close(w.t.Context(), w.room); err != nil {
			return refusal(w.t, err)
		}
		return answer{status: 200}
	})
}

func TestRoomsAreLinearizable(t *testing.T) {
	srv := newGateway(t)
	a, b := newAgent(t, srv.URL, "ada"), newAgent(t, srv.URL, "bert")
	rec := &recorder{begin: time.Now()}
	const rooms, perSide, actions = 30, 2, 25
	for n := range rooms {
		made, err := a.CreateListing(t.Context(), areyouai.ListingRequest{Topic: "cranes", MaxTurns: maxTurns, TTLSeconds: 3600})
		require.NoError(t, err)
		var all sync.WaitGroup
		for i := range 2 * perSide {
			w := &worker{
				t: t, client: [2]*areyouai.Client{a, b}[i%2], rec: rec, id: i, room: made.RoomID, listing: made.ID, side: i % 2,
				rng: rand.New(rand.NewPCG(uint64(n), uint64(i))),
			}
			all.Go(func() {
				if w.id == 1 {
					w.connect()
				}
				for range actions {
					w.act()
				}
			})
		}
		all.Wait()
	}
	result, info := porcupine.CheckOperationsVerbose(roomModel, rec.ops, time.Minute)
	if result != porcupine.Ok {
		path := t.TempDir() + "/history.html"
		require.NoError(t, porcupine.VisualizePath(roomModel, info, path))
	}
	require.Equal(t, porcupine.Ok, result)
}
