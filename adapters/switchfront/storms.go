package switchfront

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	agentswitch "stele/switch"
)

// Two processes that share a connection id evict each other for ever, and a client reopens an ended stream within
// milliseconds. So an id may change hands a few times at once and then once per stormPace; an open beyond that waits
// for its answer.
const (
	stormBurst = 4
	stormPace  = time.Second
	// stormPatience bounds the wait, and with it how many opens of an id wait at the same time; more are refused.
	stormPatience = 10 * time.Second
	// stormEntries is how many ids are remembered before those that have been quiet are forgotten.
	stormEntries = 256
)

// connectionKey keeps the ids of different agents apart: a stranger's refused opens must not slow down their owner.
type connectionKey struct{ agent, id string }

// storms paces the takeovers of connection ids. It is safe for concurrent use.
type storms struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu   sync.Mutex
	byID map[connectionKey]*rate.Limiter
	// attached counts the streams of each id that are being served here.
	attached map[connectionKey]int
	// forgetAt is the number of ids at which the quiet ones are forgotten.
	forgetAt int
}

func newStorms(now func() time.Time, sleep func(context.Context, time.Duration) error) *storms {
	return &storms{
		now: now, sleep: sleep, byID: map[connectionKey]*rate.Limiter{}, attached: map[connectionKey]int{}, forgetAt: stormEntries,
	}
}

// attach notes a stream of an id; the returned function notes its end.
func (s *storms) attach(id connectionKey) (detach func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attached[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.attached[id]--; s.attached[id] == 0 {
			delete(s.attached, id)
		}
	}
}

// await holds an open back for as long as its id has changed hands too often. elsewhere tells that another node serves a
// stream of the id. It fails when the wait is cut short or would be too long.
func (s *storms) await(ctx context.Context, id connectionKey, elsewhere bool) error {
	s.mu.Lock()
	if !elsewhere && s.attached[id] == 0 {
		s.mu.Unlock()
		return nil
	}
	now := s.now()
	turn := s.limiter(id, now).ReserveN(now, 1)
	s.mu.Unlock()
	delay := turn.DelayFrom(now)
	if delay <= 0 {
		return nil
	}
	if delay > stormPatience {
		turn.CancelAt(now)
		return agentswitch.Refuse(http.StatusConflict,
			"Streams of connection %s replace each other too fast: does another process use the same id?", id.id)
	}
	if err := s.sleep(ctx, delay); err != nil {
		turn.CancelAt(s.now())
		return err
	}
	return nil
}

// limiter returns the pace of an id; s.mu is held.
func (s *storms) limiter(id connectionKey, now time.Time) *rate.Limiter {
	if l := s.byID[id]; l != nil {
		return l
	}
	if len(s.byID) >= s.forgetAt {
		for other, l := range s.byID {
			if l.TokensAt(now) >= stormBurst {
				delete(s.byID, other)
			}
		}
		s.forgetAt = max(stormEntries, 2*len(s.byID))
	}
	l := rate.NewLimiter(rate.Every(stormPace), stormBurst)
	s.byID[id] = l
	return l
}
