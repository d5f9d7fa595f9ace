package adapters

import "sync"

// inFlight counts the requests that are being handled. Unlike with a [sync.WaitGroup], the first of them may begin while
// somebody waits for there to be none: a connection that the HTTP server has given up may have one more.
type inFlight struct {
	mu sync.Mutex
	n  int
	// none is closed when n falls to zero; nil while nobody waits for that.
	none chan struct{}
}

func (f *inFlight) enter() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
}

func (f *inFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if f.n == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}

// wait returns a channel that is closed as soon as there is none.
func (f *inFlight) wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n > 0 {
		if f.none == nil {
			f.none = make(chan struct{})
		}
		return f.none
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}
