package console

import (
	"sync"
	"time"
)

// hashesAtOnce bounds how many passwords are looked at together: each takes about 20 MB of memory for a moment.
const hashesAtOnce = 4

// maxGateKeys bounds how many addresses and names the gate remembers. When there are more, the one that failed longest ago is
// forgotten.
const maxGateKeys = 8192

// gate lets in so many who try to sign in.
type gate struct {
	now             func() time.Time
	perIP, perName  int
	places          chan struct{}
	mu              sync.Mutex
	failures        map[string][]time.Time
	streams         map[string]int
	streamsPerOwner int
}

func newGate(now func() time.Time, o Options) *gate {
	return &gate{
		now: now, perIP: o.SignInsPerIP, perName: o.SignInsPerName, places: make(chan struct{}, hashesAtOnce),
		failures: map[string][]time.Time{}, streams: map[string]int{}, streamsPerOwner: o.StreamsPerUser,
	}
}

// attempt is somebody at the gate.
type attempt struct {
	gate *gate
	keys []string
}

// enter lets somebody try, unless there were too many failures from the address or for the name. A token is too long to be
// guessed for a name, so that somebody whose name is locked by others can sign in with one.
func (g *gate) enter(address, name string, token bool) (*attempt, bool) {
	a := &attempt{gate: g, keys: []string{"ip " + address}}
	if !token {
		a.keys = append(a.keys, "name "+name)
	}
	if !g.allows(a.keys) {
		return nil, false
	}
	g.places <- struct{}{}
	return a, true
}

func (g *gate) allows(keys []string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, key := range keys {
		limit := g.perIP
		if i > 0 {
			limit = g.perName
		}
		if g.count(key) >= limit {
			return false
		}
	}
	return true
}

func (a *attempt) leave() { <-a.gate.places }

// failed counts against the address and the name.
func (a *attempt) failed() {
	g := a.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range a.keys {
		if _, known := g.failures[key]; !known && len(g.failures) >= maxGateKeys {
			g.forgetOldest()
		}
		g.failures[key] = append(g.failures[key], g.now())
	}
}

// count drops what has left the span and counts the rest; g.mu is held.
func (g *gate) count(key string) int {
	begin := g.now().Add(-signInSpan)
	times := g.failures[key]
	for len(times) > 0 && times[0].Before(begin) {
		times = times[1:]
	}
	if len(times) == 0 {
		delete(g.failures, key)
		return 0
	}
	g.failures[key] = times
	return len(times)
}

func (g *gate) forgetOldest() {
	oldest := ""
	for key, times := range g.failures {
		if oldest == "" || times[len(times)-1].Before(g.failures[oldest][len(g.failures[oldest])-1]) {
			oldest = key
		}
	}
	delete(g.failures, oldest)
}

// openStream counts a live stream of somebody in; leave must be called once when it is let in.
func (g *gate) openStream(who string) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.streams[who] >= g.streamsPerOwner {
		return nil, false
	}
	g.streams[who]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.streams[who]--; g.streams[who] == 0 {
			delete(g.streams, who)
		}
	}, true
}
