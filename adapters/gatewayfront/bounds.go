package gatewayfront

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// openStreams counts the streams that are open per key.
type openStreams struct {
	limit int

	mu   sync.Mutex
	open map[string]int
}

// enter counts a stream in; leave, which must be called once, counts it out.
func (o *openStreams) enter(key string) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limit >= 0 && o.open[key] >= o.limit {
		return nil, false
	}
	o.open[key]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open[key]--; o.open[key] == 0 {
			delete(o.open, key)
		}
	}, true
}

// maxGuessers bounds how many addresses are remembered for wrong credentials. When there are more, all begin anew.
const maxGuessers = 16 << 10

// guesses keep one network address from trying credentials without end.
type guesses struct {
	perMinute int

	mu   sync.Mutex
	byIP map[string]*rate.Limiter
}

// exhausted tells whether the address has tried too many.
func (g *guesses) exhausted(ip string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.byIP[ip]
	return g.perMinute >= 0 && l != nil && l.TokensAt(now) < 1
}

// wrong counts a credential that opened nothing.
func (g *guesses) wrong(ip string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.byIP[ip]
	if l == nil {
		if len(g.byIP) >= maxGuessers {
			clear(g.byIP)
		}
		l = rate.NewLimiter(rate.Limit(float64(g.perMinute)/60), max(g.perMinute, 0))
		g.byIP[ip] = l
	}
	l.AllowN(now, 1)
}

func newOpenStreams(limit int) *openStreams {
	return &openStreams{limit: limit, open: map[string]int{}}
}

func newGuesses(perMinute int) *guesses {
	return &guesses{perMinute: perMinute, byIP: map[string]*rate.Limiter{}}
}
