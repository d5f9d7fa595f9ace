package areyouaifront

import (
	"sync"
	"time"

	"stele/adapters/transport"
)

// strikes counts violations of the content policy and remembers who may not post for a while.
type strikes struct {
	limit int
	block time.Duration
	seen  *transport.Window

	mu    sync.Mutex
	until map[string]time.Time
	// sweepAt is how many blocks there may be before those that are over are looked for.
	sweepAt int
}

// minSweep keeps small numbers of blocks from being swept with each new one.
const minSweep = 64

func newStrikes(o Policy) *strikes {
	if o.Violations == 0 {
		o.Violations = defaultViolations
	}
	if o.Within <= 0 {
		o.Within = defaultWithin
	}
	if o.Block <= 0 {
		o.Block = defaultBlock
	}
	// The window allows one violation less: the one that finds it full is the one that blocks.
	return &strikes{
		limit: o.Violations, block: o.Block, seen: transport.NewWindow(o.Violations-1, o.Within), until: map[string]time.Time{},
		sweepAt: minSweep,
	}
}

// add notes a violation; the last one allowed blocks the agent.
func (s *strikes) add(agent string, now time.Time) {
	if s.limit < 0 || s.limit > 1 && s.seen.Take(agent, now) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	s.until[agent] = now.Add(s.block)
}

// blocked tells until when the agent may not post, if it may not now.
func (s *strikes) blocked(agent string, now time.Time) (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.until[agent]
	return until, ok && now.Before(until)
}

// expire forgets blocks that are over. When there are more of the others than a window has keys, half of them go, so that
// the looking is paid for by as many blocks that are added.
func (s *strikes) expire(now time.Time) {
	if len(s.until) < s.sweepAt {
		return
	}
	keep := transport.MaxWindowKeys
	if len(s.until) >= transport.MaxWindowKeys {
		keep /= 2
	}
	for agent, until := range s.until {
		if !now.Before(until) || len(s.until) > keep {
			delete(s.until, agent)
		}
	}
	s.sweepAt = min(max(2*len(s.until), minSweep), transport.MaxWindowKeys)
}
