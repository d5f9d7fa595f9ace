package areyouaifront

import (
	"container/list"
	"sync"
	"time"

	"stele/areyouai"
)

// maxWindowKeys bounds how many keys a window remembers. When there are more at a time, those that were not heard of for
// longest begin anew.
const maxWindowKeys = 16 << 10

// window counts events per key over a span of time that ends now, exactly. It is safe for concurrent use and holds at
// most limit times for each of maxWindowKeys keys.
type window struct {
	limit int
	span  time.Duration

	mu   sync.Mutex
	keys map[string]*list.Element
	// recent holds the *tally of every key, the one counted last in front.
	recent list.List
}

// tally are the times of a key's events, oldest first, in Unix milliseconds.
type tally struct {
	key string
	at  []int64
}

// newWindow returns a window that allows limit events of a key per span; 0: any number.
func newWindow(limit int, span time.Duration) *window {
	return &window{limit: limit, span: span, keys: map[string]*list.Element{}}
}

// take counts an event, unless there were as many as are allowed.
func (w *window) take(key string, now time.Time) bool {
	if w.limit <= 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if e == nil {
		w.forget(now)
		e = w.recent.PushFront(&tally{key: key})
		w.keys[key] = e
	}
	t := e.Value.(*tally)
	if w.count(t, now) >= w.limit {
		return false
	}
	t.at = append(t.at, now.UnixMilli())
	w.recent.MoveToFront(e)
	return true
}

// wait tells how long it takes until the key has a place again, if nothing else is counted meanwhile; 0: it has one now.
func (w *window) wait(key string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if w.limit <= 0 || e == nil {
		return 0
	}
	t := e.Value.(*tally)
	n := w.count(t, now)
	if n < w.limit {
		return 0
	}
	return time.UnixMilli(t.at[n-w.limit]).Add(w.span).Sub(now)
}

// refusal is the answer to what there is no place for. It names when there is one.
func (w *window) refusal(key string, now time.Time) error {
	e := areyouai.NewError(areyouai.CodeRateLimited)
	e.RetryAfter = w.wait(key, now)
	return e
}

// giveBack takes an event out of the count again.
func (w *window) giveBack(key string, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.keys[key]
	if e == nil {
		return
	}
	t := e.Value.(*tally)
	for i := len(t.at) - 1; i >= 0; i-- {
		if t.at[i] == at {
			t.at = append(t.at[:i], t.at[i+1:]...)
			return
		}
	}
}

// count drops what has left the span and counts the rest.
func (w *window) count(t *tally, now time.Time) int {
	begin := now.Add(-w.span).UnixMilli()
	old := 0
	for old < len(t.at) && t.at[old] <= begin {
		old++
	}
	if old > 0 {
		t.at = append(t.at[:0], t.at[old:]...)
	}
	return len(t.at)
}

// forget makes room for one more key: it drops those with nothing in the span, from the one that is silent for longest.
func (w *window) forget(now time.Time) {
	for e := w.recent.Back(); e != nil; e = w.recent.Back() {
		t := e.Value.(*tally)
		if w.count(t, now) > 0 && len(w.keys) < maxWindowKeys {
			return
		}
		w.recent.Remove(e)
		delete(w.keys, t.key)
	}
}
