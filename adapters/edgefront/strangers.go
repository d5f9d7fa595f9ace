package edgefront

import (
	"sync"
	"time"

	"stele/adapters/transport"
)

// strangerWait is when one who found no place may come back: nobody knows when another leaves.
const strangerWait = 30 * time.Second

// strangers counts the open connections of those who are no members, by where they come from. Whoever is a member is known;
// what anybody else may hold open is bounded. It is safe for concurrent use.
type strangers struct {
	// limit is the most of one network; negative: any number.
	limit int

	mu   sync.Mutex
	open map[string]int
}

func newStrangers(limit int) *strangers { return &strangers{limit: limit, open: map[string]int{}} }

// enter counts a connection in; leave, which must be called once, counts it out.
func (s *strangers) enter(network string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit >= 0 && s.open[network] >= s.limit {
		return nil, false
	}
	s.open[network]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[network]--; s.open[network] == 0 {
			delete(s.open, network)
		}
	}, true
}

// takePlace counts the session in, which keeps its place until it is released, unless its client is a member.
func (s *session) takePlace() error {
	if s.grant.member {
		return nil
	}
	leave, ok := s.front.strangers.enter(transport.ClientNetwork(s.request))
	if !ok {
		return limited(errManyOpen, "too many connections", strangerWait)
	}
	s.vacate = leave
	return nil
}
