package areyouaifront

import "sync"

// openStreams counts the streams that are open, so that a member holds no more than it may. Counting what is open, rather
// than when something was opened, lets no slot lapse under a stream that lives long.
type openStreams struct {
	limit int

	mu   sync.Mutex
	open map[seat]int
}

// seat is an agent in a room.
type seat struct{ room, agent string }

// newOpenStreams allows limit streams per seat; 0: any number.
func newOpenStreams(limit int) *openStreams {
	return &openStreams{limit: limit, open: map[seat]int{}}
}

// enter counts a stream in; leave, which must be called once, counts it out.
func (o *openStreams) enter(s seat) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limit > 0 && o.open[s] >= o.limit {
		return nil, false
	}
	o.open[s]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open[s]--; o.open[s] == 0 {
			delete(o.open, s)
		}
	}, true
}
