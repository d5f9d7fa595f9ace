package console

import (
	"container/list"
	"context"
	"sync"
	"time"

	"stele/core"
)

// hashesAtOnce bounds how many passwords are looked at together: each takes about 20 MB of memory for a moment.
const hashesAtOnce = 4

// maxGateKeys bounds how many addresses and names the gate remembers. When there are more, the one that failed longest
// ago is forgotten.
const maxGateKeys = 8192

// gate lets in so many who try to sign in, and bounds what is open at a time.
type gate struct {
	now    func() time.Time
	opts   Options
	places chan struct{}

	mu       sync.Mutex
	failures map[string]*list.Element
	// recent holds the *tally of every key that failed, the one that failed last behind.
	recent list.List
	// trying are the attempts of each key that have not ended: they count as failures, so that those which come at the same
	// moment are not more than those which come in a row.
	trying  map[string]int
	streams map[string]int
}

func newGate(now func() time.Time, o Options) *gate {
	return &gate{
		now: now, opts: o, places: make(chan struct{}, hashesAtOnce),
		failures: map[string]*list.Element{}, trying: map[string]int{}, streams: map[string]int{},
	}
}

// quota is something that attempts count against. A key has a bounded length, whatever visitors send.
type quota struct {
	key   string
	limit int
}

// tally is when a key failed, oldest first.
type tally struct {
	key string
	at  []time.Time
}

// attempt is somebody at the gate.
type attempt struct {
	gate   *gate
	counts []quota
	// hashing: it holds one of the places.
	hashing bool
}

// enterWithPassword lets somebody try a name and a password, unless there were too many failures from the address or for the
// name. It waits for its turn to hash until ctx ends. Errors: [errTooManySignIns], the context's.
func (g *gate) enterWithPassword(ctx context.Context, address, name string) (*attempt, error) {
	return g.enter(ctx, true, quota{"ip " + address, g.opts.SignInsPerIP}, quota{"name " + core.HashSecret(name), g.opts.SignInsPerName})
}

// enterWithToken is the same for a token that is wrong. A right one needs no leave: it is too long to be guessed, and who is
// locked out by others' guesses can sign in with one.
func (g *gate) enterWithToken(ctx context.Context, address string) (*attempt, error) {
	return g.enter(ctx, false, quota{"ip " + address, g.opts.SignInsPerIP})
}

func (g *gate) enter(ctx context.Context, hashing bool, counts ...quota) (*attempt, error) {
	if !g.allows(counts) {
		return nil, errTooManySignIns
	}
	a := &attempt{gate: g, counts: counts}
	if hashing {
		if err := g.place(ctx); err != nil {
			return nil, err
		}
		a.hashing = true
	}
	if !g.begin(counts) {
		// Others have failed meanwhile.
		a.freePlace()
		return nil, errTooManySignIns
	}
	return a, nil
}

// place waits until a password may be hashed; what is left then frees it.
func (g *gate) place(ctx context.Context) error {
	select {
	case g.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hash does some hashing when it is its turn.
func (g *gate) hash(ctx context.Context, do func() error) error {
	if err := g.place(ctx); err != nil {
		return err
	}
	defer func() { <-g.places }()
	return do()
}

func (g *gate) allows(counts []quota) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed(counts)
}

// allowed tells whether all have an attempt left; g.mu is held.
func (g *gate) allowed(counts []quota) bool {
	for _, c := range counts {
		if g.count(c.key)+g.trying[c.key] >= c.limit {
			return false
		}
	}
	return true
}

func (g *gate) begin(counts []quota) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.allowed(counts) {
		return false
	}
	for _, c := range counts {
		g.trying[c.key]++
	}
	return true
}

func (a *attempt) freePlace() {
	if a.hashing {
		<-a.gate.places
	}
}

// leave must be called once, whatever came of it.
func (a *attempt) leave() {
	a.freePlace()
	g := a.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range a.counts {
		if g.trying[c.key]--; g.trying[c.key] == 0 {
			delete(g.trying, c.key)
		}
	}
}

// failed counts against all that the attempt was for.
func (a *attempt) failed() {
	g := a.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range a.counts {
		e := g.failures[c.key]
		if e == nil {
			if len(g.failures) >= maxGateKeys {
				g.forget(g.recent.Front())
			}
			e = g.recent.PushBack(&tally{key: c.key})
			g.failures[c.key] = e
		}
		t := e.Value.(*tally)
		t.at = append(t.at, g.now())
		g.recent.MoveToBack(e)
	}
}

// count drops what has left the span and counts the rest; g.mu is held.
func (g *gate) count(key string) int {
	e := g.failures[key]
	if e == nil {
		return 0
	}
	begin, t := g.now().Add(-signInSpan), e.Value.(*tally)
	for len(t.at) > 0 && t.at[0].Before(begin) {
		t.at = t.at[1:]
	}
	if len(t.at) == 0 {
		g.forget(e)
	}
	return len(t.at)
}

// forget drops a key's failures; g.mu is held.
func (g *gate) forget(e *list.Element) {
	g.recent.Remove(e)
	delete(g.failures, e.Value.(*tally).key)
}

// openStream counts a live stream of somebody in; leave must be called once when it is let in.
func (g *gate) openStream(who string) (leave func(), ok bool) {
	return g.open(quota{who, g.opts.StreamsPerUser})
}

// openWatch is the same for somebody who watches a room from an address.
func (g *gate) openWatch(address, room string) (leave func(), ok bool) {
	return g.open(quota{"watch ip " + address, g.opts.WatchersPerIP}, quota{"watch room " + room, g.opts.WatchersPerRoom})
}

func (g *gate) open(counts ...quota) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range counts {
		if g.streams[c.key] >= c.limit {
			return nil, false
		}
	}
	for _, c := range counts {
		g.streams[c.key]++
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, c := range counts {
			if g.streams[c.key]--; g.streams[c.key] == 0 {
				delete(g.streams, c.key)
			}
		}
	}, true
}
