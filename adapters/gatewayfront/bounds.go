package gatewayfront

import "sync"

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

func newOpenStreams(limit int) *openStreams {
	return &openStreams{limit: limit, open: map[string]int{}}
}
