package transport

import "sync"

// Places counts what is open at a time per key, such as the streams of a caller or the sockets of a network. It is safe for
// concurrent use, and holds nothing of a key with nothing open.
type Places struct {
	limit int

	mu   sync.Mutex
	open map[string]int
}

// NewPlaces allows so many at a time per key; negative: any number.
func NewPlaces(limit int) *Places { return &Places{limit: limit, open: map[string]int{}} }

// Enter counts one in, unless there are as many as are allowed; leave, which must be called once, counts it out.
func (p *Places) Enter(key string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit >= 0 && p.open[key] >= p.limit {
		return nil, false
	}
	p.open[key]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open[key]--; p.open[key] == 0 {
			delete(p.open, key)
		}
	}, true
}
