package switchfront

import "sync"

// streams are the streams that are being served, so that all can be woken at once. The zero value is ready for use.
type streams struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

func (s *streams) enter(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*stream]struct{}{}
	}
	s.all[one] = struct{}{}
}

func (s *streams) leave(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one)
}

// wake has every stream look whether it must end.
func (s *streams) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.all {
		one.wake()
	}
}
